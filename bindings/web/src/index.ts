export {TurgorError, type ErrorCode} from './errors.js';
export {type AttributeLike, type GeometryLike, type MeshArrays} from './geometry.js';
export {type WasmSource} from './module.js';
export * from './types.js';
export {Body, Grip, Rigid} from './drawn.js';
export {
    createWorld, listModels, listScenes, World,
    type ColliderPose, type WorldOptions, type WorldState,
} from './world.js';
