import type {
    BodyDescription, BodyOptions, ColliderDescription, ColliderOptions, Material, MaterialName, Quaternion,
    WorldDescription,
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

export function materialText(material: MaterialName | Material): string {
    return JSON.stringify(typeof material === 'string' ? material : renamed(material, snakeCase));
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
            ({...body, material: renamed(body.material, camelCase)}) as BodyDescription),
        colliders: raw.colliders.map((collider: object) =>
            renamed(collider, camelCase) as unknown as ColliderDescription),
    };
}
