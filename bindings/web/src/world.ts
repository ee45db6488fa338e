import {Body, Grip, Rigid} from './drawn.js';
import type {Added, Frame, Layout, WorldStart} from './engine.js';
import {Engine, numbersPerPose} from './engine.js';
import {isGeometry, meshArrays, type GeometryLike, type MeshArrays} from './geometry.js';
import {localLink, workerLink, type Link} from './link.js';
import type {WasmSource} from './module.js';
import {bodyPart, colliderPart, materialText, modelText} from './parts.js';
import {Playback} from './playback.js';
import type {
    BodyOptions, ColliderDescription, ColliderOptions, Material, MaterialName, Model, ModelEntry, RayHit, SceneEntry,
    SceneFile, Vector3, WorldDescription,
} from './types.js';

export interface WorldOptions {
    /** [m/s²]; default [0, −9.81, 0]. */
    gravity?: Vector3;
    /** One step [s]; default 0.005. The motion hardly depends on it. */
    dt?: number;
    /** A built-in scene by its name, or a scene file's content; then gravity and dt are the scene's. */
    scene?: string | SceneFile;
    /** Of all of the scene's bodies; settings that the scene gives of that model stay. Default: as the scene says. */
    model?: Model;
    /** Whether the simulation runs in a thread of its own. Default: yes, where there are workers. */
    worker?: boolean;
    /** Where turgor.wasm is, if not beside the package's script. */
    wasm?: WasmSource;
}

/** How the world is doing. */
export interface WorldState {
    /** Of what is shown [s]. */
    time: number;
    /** In the last second. */
    stepsPerSecond: number;
    stepMilliseconds: number;
    /** The largest relative error of any body's volume. */
    volumeError: number;
}

/** Position and rotation of a collider: x, y, z, then x, y, z, w. */
export type ColliderPose = Float32Array;

/** Soft bodies, what they collide with, and the time they live in. */
export class World {
    /** Soft bodies, in the order in which they came. */
    bodies: Body[] = [];
    rigids: Rigid[] = [];
    /** Called when a step fails; the world is paused then. Default: console.error. */
    onError: (error: Error) => void = (error) => console.error(error);
    /** Bodies have torn: there are others in their place, and more. */
    onTear: () => void = () => undefined;
    paused = false;

    private layout!: Layout;
    private playback!: Playback;
    private numbers = new Float32Array();
    /** The steps that are being made, if any. */
    private asked: Promise<void> | undefined;
    private lastUpdate: number | undefined;
    private steps: {at: number; count: number}[] = [];
    /** Of the last frame for which there was a step. */
    private stepMilliseconds = 0;
    /** For the steps of one picture [ms]. */
    private budget = 12;
    private generation = 0;

    private constructor(private readonly link: Link, private readonly threaded: boolean) {}

    /** Use createWorld. */
    static async create(options: WorldOptions): Promise<World> {
        const threaded = options.worker ?? typeof Worker !== 'undefined';
        const link = await (threaded ? workerLink : localLink)(startOf(options), options.wasm);
        const world = new World(link, threaded);
        world.playback = new Playback(0.005);
        await world.refresh();
        return world;
    }

    get description(): WorldDescription {
        return this.layout.description;
    }
    get colliders(): ColliderDescription[] {
        return this.description.colliders;
    }
    /** The pose of a collider at the moment that is shown. */
    colliderPose(index: number): ColliderPose {
        const begin = this.numbers.length - numbersPerPose * (this.colliders.length - index);
        return this.numbers.subarray(begin, begin + numbersPerPose);
    }

    get state(): WorldState {
        const newest = this.playback.newest;
        return {
            time: this.playback.time,
            stepsPerSecond: this.lastSecond().reduce((sum, {count}) => sum + count, 0),
            stepMilliseconds: this.stepMilliseconds,
            volumeError: newest?.volumeError ?? 0,
        };
    }

    /** 0.25: four times slower than the clock. */
    get timeScale(): number {
        return this.playback.timeScale;
    }
    set timeScale(scale: number) {
        this.playback.timeScale = Math.min(Math.max(scale, 0), 10);
    }

    /**
     * Call it once for each picture. Time goes on to `now` [ms], and positions and normals of all bodies follow.
     * Without a worker the steps are made here, at once.
     */
    update(now: number = performance.now()): void {
        const seconds = this.lastUpdate === undefined || this.paused ? 0 : (now - this.lastUpdate) / 1000;
        this.lastUpdate = now;
        this.playback.advance(seconds);
        // A worker may take as long as a picture does; here the picture waits.
        this.budget = this.threaded ? Math.min(250, Math.max(30, 1000 * seconds)) : 12;
        const steps = this.paused ? 0 : this.playback.stepsWanted();
        if (steps > 0 && !this.asked) void this.ask(steps);
        this.show();
    }

    /** One step, for a world that is paused. */
    async step(): Promise<void> {
        while (this.asked) await this.asked;
        await this.ask(1);
        this.playback.catchUp();
        this.show();
    }

    /**
     * Adds a closed mesh, or any with `wrap: true`, as a soft body. A geometry's positions and normals follow from
     * then on, in world coordinates, so leave its mesh at the origin and place it here. Vertices at the same place
     * (seams of textures) are one for the simulation.
     */
    async addBody(mesh: GeometryLike | MeshArrays, options: BodyOptions = {}): Promise<Body> {
        const {positions, indices} = meshArrays(mesh);
        const own = indices.slice();
        const {bodies} = await this.adding(this.link.call('addMesh', [positions, indices, bodyPart(options)],
            [positions.buffer, indices.buffer] as Transferable[]));
        const body = this.bodyWith(bodies[0]!);
        body.indices = own;
        if (isGeometry(mesh)) body.attach(mesh);
        return body;
    }

    /**
     * Adds the content of an OBJ, PLY, STL, OFF, glTF or GLB file, centred; parts that stand apart are bodies of
     * their own, all with the file's warnings. With `wrap: true` all of it is one body, closed or not.
     */
    async addFile(bytes: ArrayBuffer | Uint8Array, name: string, options: BodyOptions = {}): Promise<Body[]> {
        const copy = new Uint8Array(bytes).slice();
        const {bodies} = await this.adding(this.link.call('addFile', [copy, name, bodyPart(options)], [copy.buffer]));
        return bodies.map((id) => this.bodyWith(id));
    }

    /** Adds the bodies, colliders, rigid bodies and handles of a scene file's content. */
    async addScene(part: SceneFile): Promise<Body[]> {
        const {bodies} = await this.adding(this.link.call('add', [JSON.stringify(part)]));
        return bodies.map((id) => this.bodyWith(id));
    }

    /** Returns its id. */
    async addCollider(options: ColliderOptions): Promise<number> {
        const {colliders} = await this.adding(this.link.call('add', [colliderPart(options)]));
        return colliders[0]!;
    }

    /** A plane to fall on, at height 0 unless said otherwise. */
    addGround(options: Omit<ColliderOptions, 'plane'> = {}): Promise<number> {
        return this.addCollider({plane: {}, ...options});
    }

    /** It reaches the position at the end of the next step. */
    async moveCollider(id: number, position: Vector3): Promise<void> {
        await this.link.call('moveCollider', [id, position]);
    }

    async remove(body: Body): Promise<void> {
        await this.changing(this.link.call('removeBody', [body.id]));
    }

    /** The first thing that a ray meets. */
    castRay(origin: Vector3, direction: Vector3): Promise<RayHit | null> {
        return this.link.call('castRay', [origin, direction]);
    }

    /** Takes hold of the soft body that a ray meets first, or of nothing. */
    async grab(origin: Vector3, direction: Vector3): Promise<Grip | null> {
        const hit = await this.castRay(origin, direction);
        const body = this.bodies.find(({id}) => id === hit?.body);
        return hit && body ? body.drag(hit.point) : null;
    }

    /** Of all bodies: a preset, or what is to change. */
    async setMaterial(material: MaterialName | Material): Promise<void> {
        await this.changing(this.link.call('changeMaterial', [0, materialText(material)]));
    }

    /** All bodies forget their dents. */
    async resetShapes(): Promise<void> {
        await this.link.call('resetShape', [0]);
    }

    async setGravity(gravity: Vector3): Promise<void> {
        await this.link.call('setGravity', [gravity]);
    }

    /** The whole state as bytes, which the native library reads as well. */
    snapshot(): Promise<Uint8Array> {
        return this.link.call('snapshot', []);
    }

    async restore(snapshot: Uint8Array): Promise<void> {
        await this.changing(this.link.call('restore', [snapshot.slice()]));
    }

    /** Changes with any bit of the state; the same as that of the native library after the same steps. */
    stateHash(): Promise<bigint> {
        return this.link.call('stateHash', []);
    }

    /** Starts anew with another scene, without loading anything again. Bodies of before are gone. */
    async restart(options: Pick<WorldOptions, 'scene' | 'gravity' | 'dt' | 'model'>): Promise<void> {
        this.generation++;
        await this.changing(this.link.call('start', [startOf(options)]), true);
    }

    /** Ends it and frees its memory. */
    dispose(): void {
        this.paused = true;
        this.generation++;
        this.link.close();
    }

    private bodyWith(id: number): Body {
        return this.bodies.find((body) => body.id === id)!;
    }

    private ask(steps: number): Promise<void> {
        this.asked = this.advance(steps).finally(() => (this.asked = undefined));
        return this.asked;
    }

    private async advance(steps: number): Promise<void> {
        const generation = this.generation;
        const buffer = this.playback.takeBuffer();
        try {
            const frame = await this.link.call('advance', [steps, this.budget, buffer], buffer ? [buffer] : []);
            if (generation === this.generation) this.take(frame);
        } catch (error) {
            if (generation !== this.generation) return;
            this.paused = true;
            this.onError(error as Error);
        }
    }

    private lastSecond(): {at: number; count: number}[] {
        const now = performance.now();
        return this.steps.filter(({at}) => now - at < 1000);
    }

    private take(frame: Frame): void {
        this.steps = [...this.lastSecond(), {at: performance.now(), count: frame.steps}];
        if (frame.steps > 0) this.stepMilliseconds = frame.stepMilliseconds;
        if (frame.layout === this.layout.number) this.playback.add(frame);
        else this.playback.recycle(frame);
        if (frame.layout > this.layout.number) void this.followTear(frame.layout);
    }

    private async followTear(layout: number): Promise<void> {
        const generation = this.generation;
        await this.changing(Promise.resolve()).catch(() => undefined);
        if (generation === this.generation && this.layout.number >= layout) this.onTear();
    }

    private async adding(added: Promise<Added>): Promise<Added> {
        await this.changing(added);
        const {bodies, warnings} = await added;
        for (const body of this.bodies) if (bodies.includes(body.id)) body.warnings = warnings;
        return added;
    }

    /** What changes the layout is followed at once by asking for the new one, so that no frame comes in between. */
    private async changing(change: Promise<unknown>, anew = false): Promise<void> {
        const layout = this.link.call('layout', []);
        const first = this.link.call('advance', [0, 0]);
        layout.catch(() => undefined);
        first.catch(() => undefined);
        await change;
        this.use(await layout, await first, anew);
    }

    private async refresh(): Promise<void> {
        await this.changing(Promise.resolve(), true);
    }

    private use(layout: Layout, frame: Frame, anew: boolean): void {
        const scale = this.playback.timeScale;
        if (anew) {
            this.bodies = [];
            this.rigids = [];
            this.steps = [];
            this.stepMilliseconds = 0;
            this.playback = new Playback(layout.description.dt);
            this.playback.timeScale = scale;
        }
        this.layout = layout;
        this.playback.reset();
        this.playback.add(frame);
        this.numbers = new Float32Array(frame.numbers.length);
        const things = new Map(layout.things.map((thing) => [thing.id, thing]));
        this.bodies = layout.description.bodies.map((description) => {
            const known = this.bodies.find(({id}) => id === description.id);
            const thing = things.get(description.id)!;
            if (!known?.shows(thing)) return new Body(this.link, thing, description);
            known.description = description;
            return known;
        });
        this.rigids = layout.description.rigids.map((description) =>
            this.rigids.find(({id}) => id === description.id) ?? new Rigid(things.get(description.id)!, description));
        this.show();
    }

    private show(): void {
        if (!this.playback.read(this.layout, this.numbers)) return;
        let end = 0;
        for (const drawn of [...this.bodies, ...this.rigids]) end = drawn.read(this.numbers, end);
    }
}

function startOf({scene, gravity, dt, model}: Pick<WorldOptions, 'scene' | 'gravity' | 'dt' | 'model'>): WorldStart {
    const text = {model: modelText(model)};
    if (typeof scene === 'string') return {builtIn: scene, ...text};
    if (scene) return {text: JSON.stringify(scene), ...text};
    return {settings: JSON.stringify({gravity, dt})};
}

/** A world with its simulation in a worker. */
export function createWorld(options: WorldOptions = {}): Promise<World> {
    return World.create(options);
}

/** The scenes that are built in. */
export function listScenes(wasm?: WasmSource): Promise<SceneEntry[]> {
    return Engine.scenes(wasm);
}

/** The models that bodies can have, with their settings. */
export function listModels(wasm?: WasmSource): Promise<ModelEntry[]> {
    return Engine.models(wasm);
}
