/** x, y, z. Lengths are metres, y is up. */
export type Vector3 = readonly [number, number, number];
/** x, y, z, w, as three.js has them. */
export type Quaternion = readonly [number, number, number, number];

export type MaterialName =
    'jelly' | 'gummy' | 'rubber' | 'flesh' | 'clay' | 'dough' | 'metal' | 'foam';

/** What a body is made of. What is not given is that of `base`. */
export interface Material {
    /** A preset to start from; where a material is changed, default: what it was. */
    base?: MaterialName;
    /** Mass per volume [kg/m³]. */
    density?: number;
    /** How fast a body of 1 m wobbles [Hz], 0.1 … 1000; higher is firmer. */
    frequency?: number;
    /** Share of critical damping of that wobble, 0 … 2. */
    dampingRatio?: number;
    /** Where the volume goes that is pressed out, 0 (next to where it was) … 1 (everywhere alike). */
    alpha?: number;
    /** How much the thickness counts when that is decided, 0 … 1. */
    beta?: number;
    /** Coulomb's coefficient, 0 … 10. */
    friction?: number;
    /** Share of the speed that a particle keeps when it hits, 0 … 1. */
    restitution?: number;
    /** How it keeps new shapes; what is not given is as it was. Without it the body always springs back. */
    plasticity?: Plasticity;
}

/** How a material keeps a new shape. Strains are logarithms of stretches, 0.1: by about a tenth. */
export interface Plasticity {
    /** Up to this strain it springs back, beyond it flows, 0 … 1; not set: it never flows. */
    yield?: number;
    /** In which the strain beyond the yield falls to 1/e [s]. */
    flowTime?: number;
    /** In which all strain falls to 1/e [s]; not set: it does not creep. */
    creepTime?: number;
    /** In which what it keeps falls to 1/e [s]; not set: it never heals. */
    healingTime?: number;
    /** The largest strain that it keeps, 0 … 1.5. */
    cap?: number;
    /** How much the yield grows with what it keeps, 0 … 10. */
    hardening?: number;
}

/** `local`: bulges near the squeeze; `global`: everywhere alike; `off`: its volume is not kept. */
export type VolumeMode = 'local' | 'global' | 'off';

/** Shape matching over regions of the surface. */
export interface SurfaceModel {
    /** Region width in edges, 1 … 16; default: the smallest that reaches the frequency. */
    omega?: number;
    /** Share of the way to the goal shape per 5 ms, 0 … 1; default: from the frequency. */
    stiffness?: number;
    /** Share of the non-rigid velocity removed per 5 ms, 0 … 1; default: from the damping ratio. */
    damping?: number;
}

/** Shape matching of a few clusters of particles, which bend, twist and stretch as wholes. */
export interface MeshlessModel {
    /** What goals may do: turn; stretch and shear, too; bend and twist, too. Default quadratic. */
    mode?: 'rigid' | 'linear' | 'quadratic';
    /** How far goals follow what the body does, 0 … 0.95; default: as far as the frequency allows. */
    beta?: number;
    /** How many, 1 … 1000; default: from shape and firmness. */
    clusters?: number;
    /** Parts of the shape, or cells of its box. Default connected. */
    placement?: 'connected' | 'regular';
    /** Share of the way to the goals per 5 ms, 0 … 1; default: from the frequency. 1 in rigid mode: a rigid body. */
    stiffness?: number;
}

/** How a body resists being deformed: one model, with its settings, which win over the material. */
export type Model = {surface: SurfaceModel} | {meshless: MeshlessModel};

/** A model that there is, with the settings that it knows. */
export interface ModelEntry {
    name: string;
    description: string;
    settings: ModelSetting[];
}
export interface ModelSetting {
    name: string;
    /** What it means, a sentence or two. */
    description: string;
    least: number;
    most: number;
    /** Whole numbers only. */
    whole: boolean;
    /** Words for the numbers 0, 1, …; empty: it is a number. */
    choices: string[];
}

/** What a body's model tells of it. */
export interface ModelFigure {
    name: string;
    value: number;
    /** Empty: none. */
    unit: string;
}

export interface BodyOptions {
    name?: string;
    /** A preset, or numbers of your own; default gummy. */
    material?: MaterialName | Material;
    /** Default {surface: {}}. */
    model?: Model;
    /** Added to the geometry's own coordinates [m]. */
    position?: Vector3;
    rotation?: Quaternion;
    /** About the geometry's origin. */
    scale?: number;
    /** Scales it so that a sphere of equal volume has this diameter [m]. */
    size?: number;
    /** Puts its lowest point this high above `position` [m]. */
    clearance?: number;
    /** [m/s] */
    velocity?: Vector3;
    /** [rad/s] */
    angularVelocity?: Vector3;
    /** 0 floats, −1 rises. */
    gravityFactor?: number;
    volume?: VolumeMode;
    /** Simulates a simplified mesh of about so many vertices; the geometry you gave follows it. */
    simVertices?: number;
    /**
     * The geometry may be anything, open, sheets, parts (and of a file: points, lines): a closed cage of about
     * simVertices (default 2000) vertices around it is simulated, and the geometry you gave follows it.
     */
    wrap?: boolean;
    /** Red, green, blue, 0 … 1. */
    color?: Vector3;
    /** Whether its parts keep from passing through each other; default true. */
    selfContact?: boolean;
}

/** Something that bodies collide with and that no body moves: give exactly one shape. */
export interface ColliderOptions {
    /** A half-space; its outside is up. */
    plane?: Record<string, never>;
    sphere?: {radius: number};
    box?: {size: Vector3};
    capsule?: {radius: number; height: number};
    /** An open cup standing on its floor. */
    cup?: {radius: number; height: number; wall?: number};
    name?: string;
    position?: Vector3;
    rotation?: Quaternion;
    friction?: number;
    restitution?: number;
}

/** A scene as turgor's scene files have it; docs/scene.schema.json lists every key. */
export type SceneFile = Record<string, unknown>;

export interface SceneEntry {
    name: string;
    description: string;
    /** Why it cannot run here, if so. */
    problem?: string;
}

export interface BodyDescription {
    id: number;
    name: string;
    color: Vector3;
    /** Diameter of the sphere of equal volume [m]. */
    size: number;
    particles: number;
    /** Of its slowest wobble [Hz]. */
    frequency: number;
    /** The name of its model, and the settings that it was given; choices are numbers. */
    model: string;
    modelSettings: Record<string, number>;
    figures: ModelFigure[];
    material: Required<Pick<Material, 'density' | 'frequency' | 'dampingRatio' | 'alpha' | 'beta' | 'friction'>> & {
        /** What its surface is called: of a preset, its name. */
        surface: string;
        /** Not there: it always springs back. */
        plasticity?: Plasticity;
    };
}

export interface RigidDescription {
    id: number;
    name: string;
    color: Vector3;
}

export interface ColliderDescription {
    id: number;
    name: string;
    shape: 'plane' | 'sphere' | 'box' | 'capsule' | 'cup' | 'mesh' | 'height_field';
    radius: number;
    height: number;
    halfExtent: Vector3;
    wall: number;
    sensor: boolean;
    /** Triangles in the collider's own frame, of a mesh or a height field. */
    mesh?: {positions: number[]; indices: number[]};
}

export interface WorldDescription {
    name: string;
    description: string;
    /** One step [s]. */
    dt: number;
    /** How long the scene is meant to run [s]. */
    duration: number;
    gravity: Vector3;
    particles: number;
    bodies: BodyDescription[];
    rigids: RigidDescription[];
    colliders: ColliderDescription[];
    /** What a person should know, e.g. what was repaired about a mesh, of the scene and of all that came since. */
    warnings: string[];
}

/** What a ray met. */
export interface RayHit {
    /** Ids; 0 where it is something else. */
    body: number;
    rigid: number;
    collider: number;
    point: Vector3;
    normal: Vector3;
    /** Along the ray [m]. */
    distance: number;
}
