import type {DrawnThing} from './engine.js';
import {boundArrays, markChanged, type GeometryLike} from './geometry.js';
import type {Link} from './link.js';
import {materialText} from './parts.js';
import type {BodyDescription, Material, MaterialName, RigidDescription, Vector3} from './types.js';

/** Something that is drawn: a soft or a rigid body. Its arrays follow the simulation in place. */
class Drawn {
    readonly id: number;
    readonly name: string;
    readonly color: Vector3;
    /** World coordinates [m], x, y, z of each vertex. */
    positions: Float32Array;
    /** Unit vectors, as above. */
    normals: Float32Array;
    /** Three for each triangle; of a mesh that was given, its own. */
    indices: Uint32Array;
    private readonly points: number;
    private readonly triangles: number;
    private readonly pointOfVertex: Uint32Array | null;
    private geometry: GeometryLike | undefined;

    constructor(thing: DrawnThing, {id, name, color}: RigidDescription) {
        this.id = id;
        this.name = name;
        this.color = color;
        this.indices = thing.indices;
        this.points = thing.points;
        this.triangles = thing.indices.length;
        this.pointOfVertex = thing.pointOfVertex;
        const vertices = thing.pointOfVertex?.length ?? thing.points;
        this.positions = new Float32Array(3 * vertices);
        this.normals = new Float32Array(3 * vertices);
    }

    /** Whether it still has the triangles of a thing. */
    shows(thing: DrawnThing): boolean {
        return this.points === thing.points && this.triangles === thing.indices.length;
    }

    /** From now on the geometry's own arrays follow. */
    attach(geometry: GeometryLike): void {
        const {positions, normals} = boundArrays(geometry);
        positions.set(this.positions);
        normals.set(this.normals);
        this.positions = positions;
        this.normals = normals;
        this.geometry = geometry;
        markChanged(geometry);
    }

    /** Takes its numbers out of a frame's; returns where they end. */
    read(numbers: Float32Array, begin: number): number {
        const middle = begin + 3 * this.points;
        const end = middle + 3 * this.points;
        this.put(numbers, begin, this.positions);
        this.put(numbers, middle, this.normals);
        if (this.geometry) markChanged(this.geometry);
        return end;
    }

    protected put(numbers: Float32Array, begin: number, to: Float32Array): void {
        const map = this.pointOfVertex;
        if (!map) {
            to.set(numbers.subarray(begin, begin + 3 * this.points));
            return;
        }
        for (let v = 0; v < map.length; ++v) {
            const from = begin + 3 * map[v]!;
            to[3 * v] = numbers[from]!;
            to[3 * v + 1] = numbers[from + 1]!;
            to[3 * v + 2] = numbers[from + 2]!;
        }
    }
}

/** A soft body. */
export class Body extends Drawn {
    /** What one should know about what it was added with, e.g. what was repaired about its mesh; one sentence each. */
    warnings: readonly string[] = [];

    constructor(private readonly link: Link, thing: DrawnThing, public description: BodyDescription) {
        super(thing, description);
    }

    /** A preset, or what is to change. */
    async setMaterial(material: MaterialName | Material): Promise<void> {
        await this.link.call('changeMaterial', [this.id, materialText(material)]);
    }

    /**
     * Forgets dents: it comes back to the shape that it was made with. Until it has had the time for that (three
     * periods of its wobble) it takes no new ones.
     */
    async resetShape(): Promise<void> {
        await this.link.call('resetShape', [this.id]);
    }

    /**
     * The shape that it comes back to, where it is: x, y, z of each vertex, in the order of `positions`. Of a plastic
     * body it changes as it is pressed, bent and twisted.
     */
    async restShape(): Promise<Float32Array> {
        const points = await this.link.call('restShape', [this.id]);
        const shape = new Float32Array(this.positions.length);
        this.put(points, 0, shape);
        return shape;
    }

    /** A kick [N s]. */
    async push(impulse: Vector3): Promise<void> {
        await this.link.call('push', [this.id, impulse]);
    }

    /** Holds what is within `radius` [m] of a point where it is, until it is released. */
    async pin(point: Vector3, radius: number): Promise<Grip> {
        return new Grip(this.link, this, await this.link.call('pin', [this.id, point, radius]), point);
    }

    /** Pulls what is within `radius` [m] of a point like a spring of that frequency [Hz]; move the grip to pull. */
    async drag(point: Vector3, radius = 0.2 * this.description.size, frequency = 4): Promise<Grip> {
        return new Grip(this.link, this, await this.link.call('drag', [this.id, point, radius, frequency]), point);
    }
}

/** A rigid body of a scene. */
export class Rigid extends Drawn {}

/** A hold on a body. */
export class Grip {
    private wanted: Vector3 | undefined;
    private sending = false;

    constructor(
        private readonly link: Link, readonly body: Body, private readonly handle: number, readonly point: Vector3) {}

    /** Pulls towards a point; of many in a row only the last is sent. */
    moveTo(point: Vector3): void {
        this.wanted = point;
        if (!this.sending) void this.send();
    }

    async release(): Promise<void> {
        this.wanted = undefined;
        await this.link.call('releaseHandle', [this.body.id, this.handle]).catch(() => undefined);
    }

    private async send(): Promise<void> {
        this.sending = true;
        while (this.wanted) {
            const point = this.wanted;
            this.wanted = undefined;
            // Its body may be gone by now, which ends the hold as well.
            await this.link.call('moveHandle', [this.body.id, this.handle, point]).catch(() => undefined);
        }
        this.sending = false;
    }
}
