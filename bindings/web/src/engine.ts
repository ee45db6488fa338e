import {errorCodes, TurgorError} from './errors.js';
import {instantiate, type Address, type Exports, type WasmSource} from './module.js';
import {readDescription} from './parts.js';
import type {ModelEntry, RayHit, SceneEntry, Vector3, WorldDescription} from './types.js';

/** What the world is made from, in the order of native/exports.cpp. */
export type WorldStart = ({settings: string} | {builtIn: string} | {text: string}) & {
    /** Of all of the scene's bodies: "meshless:mode=linear"; default: as the scene says. */
    model?: string;
};

/** One thing to draw: where its numbers lie in a frame, and its triangles. */
export interface DrawnThing {
    id: number;
    points: number;
    indices: Uint32Array;
    /** For every vertex of the geometry that was given, its point; null where they are the same. */
    pointOfVertex: Uint32Array | null;
}

/** Which numbers are where in a frame. It changes when something is added or removed. */
export interface Layout {
    number: number;
    things: DrawnThing[];
    description: WorldDescription;
}

export interface Added {
    bodies: number[];
    rigids: number[];
    colliders: number[];
    /** What a person should know about it. */
    warnings: string[];
}

/** The world after some steps. */
export interface Frame {
    /** Which layout its numbers have. */
    layout: number;
    /** For each thing x, y, z of all points, then of all normals; at last numbersPerPose for each collider. */
    numbers: Float32Array;
    /** [s] */
    time: number;
    /** How many steps were made, and how long one took [ms]. */
    steps: number;
    stepMilliseconds: number;
    /** The largest relative error of any body's volume. */
    volumeError: number;
}

/** Position and rotation of a collider in a frame. */
export const numbersPerPose = 7;

/** A world in WebAssembly, asked and answered at once. What it says and takes can be sent between threads. */
export class Engine {
    private world: Address = 0;
    private layoutNumber = 0;
    /** What the layout with the number `listed` has. */
    private listed = 0;
    private ids: number[] = [];
    private colliderCount = 0;
    private stopped: string | undefined;

    private constructor(private readonly wasm: Exports) {}

    static async create(start: WorldStart, source?: WasmSource): Promise<Engine> {
        const engine = new Engine(await instantiate(source));
        engine.start(start);
        return engine;
    }

    static scenes(source?: WasmSource): Promise<SceneEntry[]> {
        return Engine.list((wasm) => wasm.list_scenes(), source);
    }

    static models(source?: WasmSource): Promise<ModelEntry[]> {
        return Engine.list((wasm) => wasm.list_models(), source);
    }

    private static async list<T>(ask: (wasm: Exports) => number, source?: WasmSource): Promise<T> {
        const engine = new Engine(await instantiate(source));
        engine.require(engine.call(ask));
        return JSON.parse(engine.resultText());
    }

    /** Starts anew, with another world. */
    start(start: WorldStart): void {
        const [from, text] = 'settings' in start ? [0, start.settings]
            : 'builtIn' in start ? [1, start.builtIn]
            : [2, start.text];
        const world = this.withText(text, (at, size) => this.withText(start.model ?? '', (model, modelSize) =>
            this.require(this.call((wasm) => wasm.create_world(from, at, size, model, modelSize)))));
        this.destroy();
        this.world = world;
        this.layoutNumber++;
    }

    destroy(): void {
        if (this.world !== 0 && !this.stopped) this.wasm.destroy_world(this.world);
        this.world = 0;
    }

    describe(): WorldDescription {
        this.require(this.call((wasm) => wasm.describe_world(this.world)));
        return readDescription(this.resultText());
    }

    layout(): Layout {
        const description = this.describe();
        this.ids = [...description.bodies, ...description.rigids].map(({id}) => id);
        this.colliderCount = description.colliders.length;
        this.listed = this.layoutNumber;
        return {number: this.layoutNumber, things: this.ids.map((id) => this.thing(id)), description};
    }

    add(part: string): Added {
        return this.added(this.withText(part, (at, size) => this.call((wasm) => wasm.add_part(this.world, at, size))));
    }

    addMesh(positions: Float32Array, indices: Uint32Array, part: string): Added {
        return this.added(this.withBytes(positions, (p) => this.withBytes(indices, (i) =>
            this.withText(part, (at, size) => this.call((wasm) =>
                wasm.add_mesh(this.world, p, positions.length, i, indices.length, at, size))))));
    }

    addFile(bytes: Uint8Array, name: string, part: string): Added {
        return this.added(this.withBytes(bytes, (b) => this.withText(name, (n, nameSize) =>
            this.withText(part, (at, size) => this.call((wasm) =>
                wasm.add_file(this.world, b, bytes.length, n, nameSize, at, size))))));
    }

    removeBody(id: number): void {
        this.require(this.call((wasm) => wasm.remove_body(this.world, id)));
        this.layoutNumber++;
    }

    /**
     * Makes up to `steps` steps, at least one, as long as the next one is expected to end within `budget` [ms]. The
     * frame's numbers are put into `buffer` where they fit.
     */
    advance(steps: number, budget: number, buffer?: ArrayBuffer): Frame {
        const begin = performance.now();
        let done = 0;
        while (done < steps) {
            const stepped = this.call((wasm) => wasm.step(this.world));
            if (this.call((wasm) => wasm.has_torn(this.world))) this.layoutNumber++;
            this.require(stepped);
            done++;
            const passed = performance.now() - begin;
            if (passed * (done + 1) / done > budget) break;
        }
        const milliseconds = performance.now() - begin;
        return {...this.frame(buffer), steps: done, stepMilliseconds: done > 0 ? milliseconds / done : 0};
    }

    castRay(origin: Vector3, direction: Vector3): RayHit | null {
        this.require(this.call((wasm) => wasm.cast_ray(this.world, ...origin, ...direction)));
        return JSON.parse(this.resultText());
    }

    /** Pulls what is within `radius` of a point, like a spring. Returns the handle. */
    drag(id: number, point: Vector3, radius: number, frequency: number): number {
        return this.require(this.call((wasm) => wasm.drag(this.world, id, ...point, radius, frequency)));
    }

    /** Holds what is within `radius` of a point where it is. Returns the handle. */
    pin(id: number, point: Vector3, radius: number): number {
        return this.require(this.call((wasm) => wasm.pin(this.world, id, ...point, radius)));
    }

    moveHandle(id: number, handle: number, point: Vector3): void {
        this.require(this.call((wasm) => wasm.move_handle(this.world, id, handle, ...point)));
    }

    releaseHandle(id: number, handle: number): void {
        this.require(this.call((wasm) => wasm.release_handle(this.world, id, handle)));
    }

    push(id: number, impulse: Vector3): void {
        this.require(this.call((wasm) => wasm.push(this.world, id, ...impulse)));
    }

    /** `id` 0: of all bodies. */
    changeMaterial(id: number, material: string): void {
        this.withText(material, (at, size) =>
            this.require(this.call((wasm) => wasm.change_material(this.world, id, at, size))));
    }

    /** `id` 0: of all bodies. */
    resetShape(id: number): void {
        this.require(this.call((wasm) => wasm.reset_shape(this.world, id)));
    }

    /** x, y, z of each point. */
    restShape(id: number): Float32Array {
        this.require(this.call((wasm) => wasm.rest_shape(this.world, id)));
        return new Float32Array(this.resultBytes().slice().buffer);
    }

    setGravity(gravity: Vector3): void {
        this.require(this.call((wasm) => wasm.set_gravity(this.world, ...gravity)));
    }

    moveCollider(id: number, position: Vector3): void {
        this.require(this.call((wasm) => wasm.move_collider(this.world, id, ...position)));
    }

    snapshot(): Uint8Array {
        this.require(this.call((wasm) => wasm.snapshot(this.world)));
        return this.resultBytes().slice();
    }

    restore(snapshot: Uint8Array): void {
        this.withBytes(snapshot, (at) =>
            this.require(this.call((wasm) => wasm.restore(this.world, at, snapshot.length))));
        this.layoutNumber++;
    }

    stateHash(): bigint {
        return BigInt.asUintN(64, this.call((wasm) => wasm.state_hash(this.world)));
    }

    private added(done: number): Added {
        this.require(done);
        this.layoutNumber++;
        return JSON.parse(this.resultText());
    }

    private frame(buffer: ArrayBuffer | undefined): Omit<Frame, 'steps' | 'stepMilliseconds'> {
        if (this.listed !== this.layoutNumber) this.layout();
        const arrays = this.ids.map((id) => this.arrays(id));
        const poses = this.call((wasm) => wasm.collider_poses(this.world));
        const length = arrays.reduce((sum, {points}) => sum + 6 * points, numbersPerPose * this.colliderCount);
        const numbers = buffer?.byteLength === 4 * length ? new Float32Array(buffer) : new Float32Array(length);
        let end = 0;
        const put = (address: Address, count: number): void => {
            numbers.set(new Float32Array(this.wasm.memory.buffer, address, count), end);
            end += count;
        };
        for (const {positions, normals, points} of arrays) {
            put(positions, 3 * points);
            put(normals, 3 * points);
        }
        put(poses, numbersPerPose * this.colliderCount);
        const time = this.wasm.world_time(this.world);
        const volumeError = this.call((wasm) => wasm.volume_error(this.world));
        return {layout: this.layoutNumber, numbers, time, volumeError};
    }

    private arrays(id: number) {
        const to = this.wasm.allocate(32);
        try {
            this.require(this.call((wasm) => wasm.body_arrays(this.world, id, to)));
            const [positions = 0, points = 0, normals = 0, , triangles = 0, triangleCount = 0, map = 0, mapped = 0] =
                new Uint32Array(this.wasm.memory.buffer, to, 8);
            return {positions, points, normals, triangles, triangleCount, map, mapped};
        } finally {
            this.wasm.release(to);
        }
    }

    private thing(id: number): DrawnThing {
        const {points, triangles, triangleCount, map, mapped} = this.arrays(id);
        const copy = (address: Address, count: number) =>
            new Uint32Array(this.wasm.memory.buffer, address, count).slice();
        const pointOfVertex = mapped > 0 ? copy(map, mapped) : null;
        return {id, points, indices: copy(triangles, 3 * triangleCount), pointOfVertex};
    }

    /** A trap (memory that is used up, above all) leaves the world in pieces: it is the last thing that it does. */
    private call<T>(work: (wasm: Exports) => T): T {
        if (this.stopped) throw new TurgorError('failed', this.stopped);
        try {
            return work(this.wasm);
        } catch (error) {
            if (error instanceof TurgorError) throw error;
            this.stopped = 'the simulation has stopped, most likely because its memory is used up; ' +
                'make a new world with fewer or coarser bodies ' +
                `(${error instanceof Error ? error.message : String(error)})`;
            throw new TurgorError('failed', this.stopped);
        }
    }

    /** What was returned, unless that is 0: then the library says why. */
    private require(returned: number): number {
        if (returned !== 0) return returned;
        const memory = new Uint8Array(this.wasm.memory.buffer);
        const begin = this.wasm.error_text();
        const sentence = new TextDecoder().decode(memory.subarray(begin, memory.indexOf(0, begin)));
        throw new TurgorError(errorCodes[this.wasm.error_code()] ?? 'failed', sentence);
    }

    private resultBytes(): Uint8Array {
        return new Uint8Array(this.wasm.memory.buffer, this.wasm.result_data(), this.wasm.result_size());
    }

    private resultText(): string {
        return new TextDecoder().decode(this.resultBytes());
    }

    private withText<T>(text: string, work: (address: Address, size: number) => T): T {
        const bytes = new TextEncoder().encode(text);
        return this.withBytes(bytes, (address) => work(address, bytes.length));
    }

    private withBytes<T>(data: ArrayBufferView, work: (address: Address) => T): T {
        const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
        const address = this.call((wasm) => wasm.allocate(Math.max(16, bytes.length)));
        if (address === 0) throw new TurgorError('out_of_memory', `there is no memory for ${bytes.length} more bytes`);
        new Uint8Array(this.wasm.memory.buffer, address, bytes.length).set(bytes);
        try {
            return work(address);
        } finally {
            if (!this.stopped) this.wasm.release(address);
        }
    }
}
