// The other end of workerLink: an engine in a thread of its own.
import {Engine, type WorldStart} from './engine.js';
import {reply, type Request} from './link.js';
import type {WasmSource} from './module.js';

interface WorkerScope {
    onmessage: ((event: MessageEvent<Request>) => void) | null;
    postMessage(message: unknown, transfer: Transferable[]): void;
}
const scope = globalThis as unknown as WorkerScope;

let engine: Engine | undefined;

async function handle({method, values}: Request): Promise<unknown> {
    if (method === 'create') {
        engine = await Engine.create(values[0] as WorldStart, values[1] as WasmSource | undefined);
        return null;
    }
    const work = engine![method as 'describe'] as (...all: unknown[]) => unknown;
    return work.apply(engine, values);
}

/** Large arrays change hands instead of being copied. */
function buffersOf(result: unknown): Transferable[] {
    const numbers = (result as {numbers?: unknown} | null | undefined)?.numbers;
    if (numbers instanceof Float32Array) return [numbers.buffer];
    return result instanceof Uint8Array ? [result.buffer] : [];
}

// One at a time, in their order, though creating takes a while.
let last: Promise<unknown> = Promise.resolve();
scope.onmessage = ({data}) => {
    last = last.then(async () => {
        const answer = await reply(data.id, () => handle(data));
        scope.postMessage(answer, 'result' in answer ? buffersOf(answer.result) : []);
    });
};
