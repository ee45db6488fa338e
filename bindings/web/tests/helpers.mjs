import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** The native program, to compare with. */
export const program = process.env.TURGOR_PROGRAM ??
    fileURLToPath(new URL('../../../build/release/apps/turgor/turgor', import.meta.url));
export const noProgram = existsSync(program) ? false : 'the native program is not built; build it with ./run';

/** What `turgor simulate` says about a scene after some steps. */
export function simulateNatively(scene, steps) {
    const stats = join(mkdtempSync(join(tmpdir(), 'turgor-')), 'stats.json');
    const {status, stderr} = spawnSync(program,
        ['simulate', scene, '--steps', String(steps), '--threads', '1', '--quiet', '--stats', stats]);
    if (status !== 0 && status !== 3) throw new Error(String(stderr));
    return JSON.parse(readFileSync(stats, 'utf8'));
}

const exchange = process.env.TURGOR_EXCHANGE ??
    fileURLToPath(new URL('../../../build/release/tests/snapshot_exchange', import.meta.url));
export const noExchange = existsSync(exchange) ? false : 'the native tests are not built; build them with ./test';

function exchangeNatively(...values) {
    const {status, stdout, stderr} = spawnSync(exchange, values.map(String));
    if (status !== 0) throw new Error(String(stderr));
    return String(stdout).trim();
}

/** The snapshot of a scene after some steps, made natively. */
export function nativeSnapshot(scene, steps) {
    const file = join(mkdtempSync(join(tmpdir(), 'turgor-')), 'snapshot');
    exchangeNatively('write', scene, steps, file);
    return new Uint8Array(readFileSync(file));
}

/** The hash some steps after a snapshot, natively. */
export function continuedNatively(snapshot, steps, dt) {
    const file = join(mkdtempSync(join(tmpdir(), 'turgor-')), 'snapshot');
    writeFileSync(file, snapshot);
    return exchangeNatively('read', file, steps, dt);
}

/** A box of 8 points drawn with 24 vertices, four for each side, as boxes with sharp edges and textures are. */
export function boxWithSeams(side = 1) {
    const h = side / 2;
    const positions = [];
    const index = [];
    for (const axis of [0, 1, 2])
        for (const sign of [1, -1]) {
            const first = positions.length / 3;
            for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
                const corner = [0, 0, 0];
                corner[axis] = sign * h;
                corner[(axis + 1) % 3] = u * h;
                corner[(axis + 2) % 3] = sign * v * h;
                positions.push(...corner);
            }
            index.push(first, first + 1, first + 2, first, first + 2, first + 3);
        }
    return {positions, index};
}

/** As three.js has it, without three.js. */
export function geometryOf({positions, index}, arrayOfIndices = Uint16Array) {
    return {
        attributes: {
            position: {array: Float32Array.from(positions), itemSize: 3, needsUpdate: false},
            normal: {array: new Float32Array(positions.length), itemSize: 3, needsUpdate: false},
            uv: {array: new Float32Array(2 * positions.length / 3), itemSize: 2},
        },
        index: index && {array: arrayOfIndices.from(index)},
    };
}

export const boxObj = `o box
v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\nv 0.5 0.5 -0.5\nv -0.5 0.5 -0.5
v -0.5 -0.5 0.5\nv 0.5 -0.5 0.5\nv 0.5 0.5 0.5\nv -0.5 0.5 0.5
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n`;

/** Makes steps in a world without a worker, where each picture takes as long as one step. */
export async function run(world, steps) {
    for (let k = 0; k < steps; ++k) await world.step();
}
