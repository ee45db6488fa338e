import type {Model, SceneFile, Vector3} from 'turgor-web';

/** Colours as light has them, not as screens do. */
export const colours: Vector3[] = [
    [0.80, 0.06, 0.05], [0.90, 0.32, 0.03], [0.90, 0.62, 0.04], [0.12, 0.50, 0.10],
    [0.05, 0.26, 0.66], [0.42, 0.10, 0.55], [0.86, 0.16, 0.36],
];

const shapes: {shape: object; vertices?: number}[] = [
    {shape: {gummy_bear: {height: 0.9, vertices: 3000}}, vertices: 500},
    {shape: {rubber_duck: {height: 0.8, vertices: 3000}}, vertices: 500},
    {shape: {torus: {ring_radius: 0.34, tube_radius: 0.15, major: 28, minor: 14}}},
    {shape: {icosphere: {radius: 0.35, subdivisions: 3}}},
];

/** The next thing to drop: size relative to `scale` [m], from `height` [m] at (x, z). */
export function dropping(count: number, scale: number, place: Vector3, model?: Model): SceneFile {
    const {shape, vertices} = shapes[count % shapes.length]!;
    const angle = 40 + 73 * count;
    return {
        bodies: [{
            shape,
            ...(vertices ? {sim_vertices: vertices} : {}),
            ...(model ? {model} : {}),
            size: 0.75 * scale,
            position: [place[0], 0, place[2]],
            clearance: place[1],
            rotation: {axis: [0.4, 1, 0.2], degrees: angle % 360},
            color: colours[count % colours.length],
        }],
    };
}
