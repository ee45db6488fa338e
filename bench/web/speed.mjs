// How fast the WebAssembly build is beside the native one: the same scenes, one thread, the native program held to
// SSE4, which has registers as wide as WebAssembly's. Both take turns, so that the ratios hold on a busy machine.
// Build both first: ./run web --build, ./run scenes.
//     node bench/web/speed.mjs [--json FILE] [ROUNDS]
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {cpus, tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Engine} from '../../bindings/web/dist/engine.js';

const program = fileURLToPath(new URL('../../build/release/apps/turgor/turgor', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'turgor-'));
const floor = [{shape: {plane: {}}}];
const scenes = [
    {name: 'cube of 5402', steps: 200, scene: {colliders: floor, duration: 1, bodies: [
        {shape: {cube: {side: 1, points: 31}}, material: {omega: 3, stiffness: 0.9},
         rotation: {axis: [0.2, 0.1, 1], degrees: 24}, clearance: 0.2}]}},
    {name: 'cube of 30248', steps: 30, scene: 'cube'},
    {name: 'five balls', steps: 200, scene: 'bouncing'},
    {name: 'six bears', steps: 150, scene: 'gummy_bears'},
    {name: 'twenty balls in a glass', steps: 60, scene: 'balls_in_glass'},
];

function native({scene, steps}, index) {
    let name = scene;
    if (typeof scene !== 'string') writeFileSync(name = join(folder, `scene${index}.json`), JSON.stringify(scene));
    const stats = join(folder, 'stats.json');
    const {status, stderr} = spawnSync(program, ['simulate', name, '--steps', steps, '--threads', 1,
        '--instructions', 'SSE4', '--never-sleep', '--quiet', '--stats', stats].map(String));
    if (status !== 0 && status !== 3) throw new Error(`${program}: ${stderr}`);
    const {ms_per_step: {total}, particles, state_hash: hash} = JSON.parse(readFileSync(stats, 'utf8'));
    return {milliseconds: total.median, particles, hash};
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

async function wasm({scene, steps}) {
    const engine = await Engine.create(typeof scene === 'string' ? {builtIn: scene} : {text: JSON.stringify(scene)});
    const times = [];
    for (let k = 0; k < steps; ++k) {
        const begin = performance.now();
        engine.require(engine.wasm.step(engine.world));
        times.push(performance.now() - begin);
    }
    const hash = engine.stateHash().toString(16).padStart(16, '0');
    engine.destroy();
    return {milliseconds: median(times), hash};
}

const values = process.argv.slice(2);
const json = values[0] === '--json' ? values.splice(0, 2)[1] : undefined;
const rounds = Number(values[0] ?? 3);
await wasm({...scenes[0], steps: 100});  // the compiler of the browser's engine gets going
const rows = [];
console.log(`${cpus()[0].model}, node ${process.version}; median ms per step, best of ${rounds} rounds`);
console.log('case                        particles   native SSE4      wasm   wasm/native speed   steps/s');
for (const [index, entry] of scenes.entries()) {
    const each = [];
    for (let k = 0; k < rounds; ++k) each.push({native: native(entry, index), wasm: await wasm(entry)});
    const best = (who) => Math.min(...each.map((round) => round[who].milliseconds));
    const [there, here] = [best('native'), best('wasm')];
    const {particles, hash} = each[0].native;
    rows.push({suite: 'web', name: 'wasm', case: entry.name, threads: 1, particles,
        ms_median: here, native_sse4_ms_median: there, speed_ratio: there / here,
        same_hash: each.every((round) => round.wasm.hash === hash)});
    console.log(`${entry.name.padEnd(28)}${String(particles).padStart(9)}` +
        `${there.toFixed(3).padStart(14)}${here.toFixed(3).padStart(10)}` +
        `${(there / here).toFixed(2).padStart(15)}${(1000 / here).toFixed(0).padStart(14)}`);
}
if (json) writeFileSync(json, JSON.stringify({machine: {cpu: cpus()[0].model, node: process.version}, rows}, null, 2));
