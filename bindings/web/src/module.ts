import {TurgorError} from './errors.js';

/** Where the WebAssembly comes from: an address, its bytes, or a module that is compiled already. */
export type WasmSource = string | URL | BufferSource | WebAssembly.Module;

/** An address in WebAssembly's memory. */
export type Address = number;

/** What native/exports.cpp exports. */
export interface Exports extends WebAssembly.Exports {
    memory: WebAssembly.Memory;
    _initialize(): void;
    allocate(size: number): Address;
    release(data: Address): void;
    error_code(): number;
    error_text(): Address;
    result_data(): Address;
    result_size(): number;
    list_scenes(): number;
    list_models(): number;
    create_world(from: number, text: Address, size: number, model: Address, modelSize: number): Address;
    destroy_world(world: Address): void;
    describe_world(world: Address): number;
    add_part(world: Address, part: Address, size: number): number;
    add_mesh(world: Address, positions: Address, numbers: number, indices: Address, corners: number,
        part: Address, size: number): number;
    add_file(world: Address, bytes: Address, count: number, name: Address, nameSize: number,
        part: Address, size: number): number;
    remove_body(world: Address, id: number): number;
    step(world: Address): number;
    has_torn(world: Address): number;
    world_time(world: Address): number;
    state_hash(world: Address): bigint;
    volume_error(world: Address): number;
    body_arrays(world: Address, id: number, to: Address): number;
    collider_poses(world: Address): Address;
    cast_ray(world: Address, ox: number, oy: number, oz: number, dx: number, dy: number, dz: number): number;
    drag(world: Address, id: number, x: number, y: number, z: number, radius: number, frequency: number): number;
    pin(world: Address, id: number, x: number, y: number, z: number, radius: number): number;
    move_handle(world: Address, id: number, handle: number, x: number, y: number, z: number): number;
    release_handle(world: Address, id: number, handle: number): number;
    push(world: Address, id: number, x: number, y: number, z: number): number;
    change_material(world: Address, id: number, text: Address, size: number): number;
    reset_shape(world: Address, id: number): number;
    rest_shape(world: Address, id: number): number;
    set_gravity(world: Address, x: number, y: number, z: number): number;
    move_collider(world: Address, id: number, x: number, y: number, z: number): number;
    snapshot(world: Address): number;
    restore(world: Address, bytes: Address, size: number): number;
}

/** Code of "bad file descriptor" in WASI: there are no files. */
const noFile = 8;

/** The few functions of the system that the C library asks for: a clock, and nowhere to write to. */
function system(memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
    return {
        clock_time_get(_clock: number, _precision: bigint, to: Address): number {
            new DataView(memory().buffer).setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true);
            return 0;
        },
        fd_write: () => noFile,
        fd_seek: () => noFile,
        fd_close: () => noFile,
    };
}

let shipped: Promise<WebAssembly.Module> | undefined;

/** The module that comes with the package, compiled once. */
function shippedModule(): Promise<WebAssembly.Module> {
    shipped ??= compile(new URL('./turgor.wasm', import.meta.url));
    return shipped;
}

async function bytesOf(address: string | URL): Promise<BufferSource> {
    const url = new URL(address, globalThis.location?.href ?? import.meta.url);
    if (url.protocol === 'file:') {
        const files = 'node:fs/promises';  // a name that bundlers for browsers do not follow
        const {readFile} = await import(/* @vite-ignore */ files);
        return readFile(url);
    }
    const response = await fetch(url);
    if (!response.ok)
        throw new TurgorError('io', `turgor.wasm could not be loaded from ${url.href}: ${response.status}`);
    return response.arrayBuffer();
}

async function compile(source: WasmSource): Promise<WebAssembly.Module> {
    if (source instanceof WebAssembly.Module) return source;
    const bytes = typeof source === 'string' || source instanceof URL ? await bytesOf(source) : source;
    try {
        return await WebAssembly.compile(bytes);
    } catch (error) {
        throw new TurgorError('missing',
            `this browser cannot run turgor.wasm, which needs WebAssembly with SIMD and exceptions: ${String(error)}`);
    }
}

/** A new instance with a memory of its own. */
export async function instantiate(source?: WasmSource): Promise<Exports> {
    const module = source === undefined ? await shippedModule() : await compile(source);
    let memory: WebAssembly.Memory | undefined;
    const instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: system(() => memory!)});
    const exports = instance.exports as Exports;
    memory = exports.memory;
    exports._initialize();
    return exports;
}
