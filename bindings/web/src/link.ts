import {Engine, type WorldStart} from './engine.js';
import {TurgorError, type ErrorCode} from './errors.js';
import type {WasmSource} from './module.js';

/** The functions of an engine that can be called from another thread. */
export type EngineMethod = {
    [K in keyof Engine]: Engine[K] extends (...values: never[]) => unknown ? K : never
}[keyof Engine];
type Parameters_<M extends EngineMethod> = Engine[M] extends (...values: infer P) => unknown ? P : never;
type Result<M extends EngineMethod> = Engine[M] extends (...values: never[]) => infer R ? R : never;

export interface Request {
    id: number;
    method: EngineMethod | 'create';
    values: unknown[];
}
export type Reply = {id: number; result: unknown} | {id: number; error: {code: ErrorCode; message: string}};

/** A way to an engine, here or in a worker. Answers come in the order of the calls. */
export interface Link {
    call<M extends EngineMethod>(method: M, values: Parameters_<M>, transfer?: Transferable[]): Promise<Result<M>>;
    close(): void;
}

const gone = 'the world is gone: it was disposed of';

/** Runs `handle`; what it throws becomes something that can be sent. */
export async function reply(id: number, handle: () => unknown): Promise<Reply> {
    try {
        return {id, result: await handle()};
    } catch (error) {
        const code = error instanceof TurgorError ? error.code : 'failed';
        return {id, error: {code, message: error instanceof Error ? error.message : String(error)}};
    }
}

export async function localLink(start: WorldStart, source?: WasmSource): Promise<Link> {
    const engine = await Engine.create(start, source);
    let closed = false;
    return {
        async call(method, values) {
            if (closed) throw new TurgorError('failed', gone);
            const work = engine[method] as (...values: unknown[]) => unknown;
            return work.apply(engine, values) as never;
        },
        close() {
            closed = true;
            engine.destroy();
        },
    };
}

/** What can be sent to a worker, whose script lies elsewhere than the page. */
function sendable(source?: WasmSource): WasmSource | undefined {
    return typeof source === 'string' || source instanceof URL
        ? new URL(source, globalThis.location?.href).href : source;
}

export async function workerLink(start: WorldStart, source?: WasmSource): Promise<Link> {
    const worker = new Worker(new URL('./worker.js', import.meta.url), {type: 'module'});
    const waiting = new Map<number, {resolve(result: never): void; reject(error: Error): void}>();
    let last = 0;
    let closed = false;
    const fail = (sentence: string): void => {
        for (const {reject} of waiting.values()) reject(new TurgorError('failed', sentence));
        waiting.clear();
    };
    worker.onmessage = ({data}: MessageEvent<Reply>) => {
        const asked = waiting.get(data.id);
        waiting.delete(data.id);
        if ('error' in data) asked?.reject(new TurgorError(data.error.code, data.error.message));
        else asked?.resolve(data.result as never);
    };
    worker.onerror = (event) =>
        fail(`the simulation's worker could not run: ${event.message || 'its script did not load'}`);
    const send = (method: Request['method'], values: unknown[], transfer: Transferable[] = []) =>
        new Promise<never>((resolve, reject) => {
            if (closed) return reject(new TurgorError('failed', gone));
            const id = ++last;
            waiting.set(id, {resolve, reject});
            worker.postMessage({id, method, values} satisfies Request, transfer);
        });
    const close = (): void => {
        closed = true;
        worker.terminate();
        fail(gone);
    };
    try {
        await send('create', [start, sendable(source)]);
    } catch (error) {
        close();
        throw error;
    }
    return {call: (method, values, transfer) => send(method, values, transfer), close};
}
