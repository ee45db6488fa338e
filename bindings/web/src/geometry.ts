import {TurgorError} from './errors.js';

/** What of a three.js BufferAttribute is used; no three.js is needed for it. */
export interface AttributeLike {
    array: ArrayLike<number>;
    itemSize: number;
    needsUpdate?: boolean;
    isInterleavedBufferAttribute?: boolean;
}

/** A three.js BufferGeometry, or anything with arrays in the same places. */
export interface GeometryLike {
    /** `position` and `normal`, if there is one, are AttributeLike. */
    attributes: Record<string, unknown>;
    index?: {array: ArrayLike<number>} | null;
    boundingSphere?: unknown;
    boundingBox?: unknown;
    setAttribute?(name: string, attribute: never): unknown;
}

/** Plain arrays: x, y, z of each vertex, and three indices for each triangle (none: every three vertices are one). */
export interface MeshArrays {
    positions: Float32Array | readonly number[];
    indices?: Uint32Array | readonly number[];
}

function attributesOf(geometry: GeometryLike): {position?: AttributeLike; normal?: AttributeLike} {
    return geometry.attributes;
}

function floatArray(attribute: AttributeLike | undefined, name: string): Float32Array {
    if (!attribute) throw new TurgorError('bad_mesh', `the geometry has no ${name} attribute`);
    const packed = !attribute.isInterleavedBufferAttribute && attribute.itemSize === 3;
    if (!packed || !(attribute.array instanceof Float32Array))
        throw new TurgorError('bad_mesh',
            `the geometry's ${name} must be a Float32Array of x, y, z by itself, for it is written in place; ` +
            'convert it first, e.g. with BufferGeometryUtils.deinterleaveGeometry');
    return attribute.array;
}

/** The arrays of a geometry that follow the body. */
export interface BoundArrays {
    positions: Float32Array;
    normals: Float32Array;
}

/** A geometry without normals gets them. */
export function boundArrays(geometry: GeometryLike): BoundArrays {
    const {position, normal} = attributesOf(geometry);
    const positions = floatArray(position, 'position');
    if (normal) return {positions, normals: floatArray(normal, 'normal')};
    const normals = new Float32Array(positions.length);
    const Attribute = position!.constructor as new (array: Float32Array, itemSize: number) => AttributeLike;
    const made = (Attribute as unknown) === Object ? {array: normals, itemSize: 3} : new Attribute(normals, 3);
    if (geometry.setAttribute) geometry.setAttribute('normal', made as never);
    else geometry.attributes.normal = made;
    return {positions, normals};
}

/** Checked here, because an array of 32-bit numbers would turn −1 and 0.5 into others. */
function indexArray(indices: ArrayLike<number> | undefined): Uint32Array {
    if (indices instanceof Uint32Array) return indices;
    const checked = new Uint32Array(indices?.length ?? 0);
    for (let k = 0; k < checked.length; ++k) {
        const index = indices![k]!;
        if (!(Number.isInteger(index) && index >= 0 && index < 2 ** 32))
            throw new TurgorError('bad_mesh', `index ${k} of the geometry is ${index}, which names no vertex`);
        checked[k] = index;
    }
    return checked;
}

export function isGeometry(mesh: GeometryLike | MeshArrays): mesh is GeometryLike {
    return 'attributes' in mesh;
}

/** Copies that can be given away. */
export function meshArrays(mesh: GeometryLike | MeshArrays): {positions: Float32Array; indices: Uint32Array} {
    if (isGeometry(mesh))
        return {positions: boundArrays(mesh).positions.slice(), indices: indexArray(mesh.index?.array).slice()};
    return {positions: Float32Array.from(mesh.positions), indices: indexArray(mesh.indices).slice()};
}

export function markChanged(geometry: GeometryLike): void {
    const {position, normal} = attributesOf(geometry);
    position!.needsUpdate = true;
    normal!.needsUpdate = true;
    // Found anew by whoever needs them.
    geometry.boundingSphere = null;
    geometry.boundingBox = null;
}
