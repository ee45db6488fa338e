import type {
    BodyDescription, BodyOptions, ColliderDescription, ColliderOptions, Material, MaterialName, Model, Plasticity,
    Quaternion, WorldDescription,
} from './types.js';

// Everything that is added goes to the library as part of a scene file, so that there is one reader and one set of
// messages.

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelCase = (key: string): string => key.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

function renamed(value: object, rename: (key: string) => string): Record<string, unknown> {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    return Object.fromEntries(entries.map(([key, entry]) => [rename(key), entry]));
}

function fileRotation(q: Quaternion | undefined): object {
    return q ? {rotation: [q[3], q[0], q[1], q[2]]} : {};
}

/** A material's keys renamed, those of its plasticity as well. */
function renamedMaterial(material: {plasticity?: Plasticity}, rename: (key: string) => string): object {
    const {plasticity, ...rest} = material;
    return {...renamed(rest, rename), ...(plasticity ? {plasticity: renamed(plasticity, rename)} : {})};
}

export function materialText(material: MaterialName | Material): string {
    return JSON.stringify(typeof material === 'string' ? material : renamedMaterial(material, snakeCase));
}

/** As turgor's command line has it: "meshless:mode=linear,beta=0.5". */
export function modelText(model: Model | undefined): string {
    const [[name, settings] = ['', {}]] = Object.entries(model ?? {});
    const pairs = Object.entries(settings).filter(([, value]) => value !== undefined);
    return name + (pairs.length > 0 ? `:${pairs.map(([key, value]) => `${key}=${String(value)}`).join()}` : '');
}

/** A part with one body, whose shape the mesh will be. */
export function bodyPart(options: BodyOptions): string {
    const {material, rotation, ...rest} = options;
    const body = {
        shape: {cube: {}},
        ...renamed(rest, snakeCase),
        ...(material === undefined ? {} : {material: JSON.parse(materialText(material))}),
        ...fileRotation(rotation),
    };
    return JSON.stringify({bodies: [body]});
}

export function colliderPart(options: ColliderOptions): string {
    const {plane, sphere, box, capsule, cup, rotation, ...rest} = options;
    const shape = renamed({plane, sphere, box, capsule, cup}, (key) => key);
    return JSON.stringify({colliders: [{shape, ...renamed(rest, snakeCase), ...fileRotation(rotation)}]});
}

/** The library's description with names as JavaScript has them. */
export function readDescription(text: string): WorldDescription {
    const raw = JSON.parse(text);
    return {
        ...raw,
        bodies: raw.bodies.map((body: {material: object}) =>
            ({...renamed(body, camelCase), material: renamedMaterial(body.material, camelCase)}) as BodyDescription),
        colliders: raw.colliders.map((collider: object) =>
            renamed(collider, camelCase) as unknown as ColliderDescription),
    };
}
