import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Engine} from '../dist/engine.js';
import {Playback} from '../dist/playback.js';
import {createWorld, listModels, listScenes, TurgorError} from '../dist/index.js';
import {boxObj, boxWithSeams, geometryOf, run} from './helpers.mjs';

const here = {worker: false};

/** What a promise is rejected with is a sentence of the library's. */
async function refuses(work, code, words) {
    await assert.rejects(work, (error) => {
        assert.ok(error instanceof TurgorError, String(error));
        assert.equal(error.code, code);
        assert.match(error.message, words);
        return true;
    });
}

test('ten lines: a geometry falls, its arrays follow in place, its volume stays', async () => {
    const world = await createWorld(here);
    await world.addGround();
    const geometry = geometryOf(boxWithSeams());
    const {array} = geometry.attributes.position;
    const body = await world.addBody(geometry, {material: 'gummy', position: [0, 1, 0]});
    assert.equal(geometry.attributes.position.array, array);
    const before = array[1];
    assert.ok(Math.abs(before - 0.5) < 1e-6 || Math.abs(before - 1.5) < 1e-6, `placed at ${before}`);
    geometry.attributes.position.needsUpdate = false;
    await run(world, 40);
    assert.ok(array[1] < before - 0.1, 'it fell');
    assert.ok(geometry.attributes.position.needsUpdate && geometry.attributes.normal.needsUpdate);
    assert.ok(world.state.volumeError < 1e-5);
    assert.ok(Math.abs(world.state.time - 0.2) < 1e-9);
    assert.equal(body.positions, array);
});

test('seams are welded for the simulation and stay closed in the picture', async () => {
    const world = await createWorld(here);
    await world.addGround();
    const geometry = geometryOf(boxWithSeams());
    const rest = geometry.attributes.position.array.slice();
    const body = await world.addBody(geometry, {material: 'jelly', position: [0, 0.6, 0],
        rotation: [0.1, 0, 0.2, 0.97]});
    assert.equal(body.description.particles, 8);
    await run(world, 60);
    const {position: {array: now}, normal: {array: normals}} = geometry.attributes;
    const key = (array, v) => Array.from(array.subarray(3 * v, 3 * v + 3)).join();
    for (let a = 0; a < 24; ++a)
        for (let b = 0; b < 24; ++b)
            if (key(rest, a) === key(rest, b)) {
                assert.equal(key(now, a), key(now, b));
                assert.equal(key(normals, a), key(normals, b), 'normals are smooth across the seam');
            }
    for (let v = 0; v < 24; ++v)
        assert.ok(Math.abs(Math.hypot(...normals.subarray(3 * v, 3 * v + 3)) - 1) < 1e-5);
});

test('a geometry without index and without normals does as well', async () => {
    const {positions, index} = boxWithSeams();
    const soup = index.flatMap((v) => positions.slice(3 * v, 3 * v + 3));
    const geometry = geometryOf({positions: soup, index: null});
    delete geometry.attributes.normal;
    const world = await createWorld(here);
    const body = await world.addBody(geometry);
    assert.equal(body.description.particles, 8);
    assert.equal(geometry.attributes.normal.array.length, soup.length);
    assert.ok(Math.abs(Math.hypot(...geometry.attributes.normal.array.subarray(0, 3)) - 1) < 1e-5);
});

test('a fine geometry follows a coarse simulation', async () => {
    const world = await createWorld({...here, scene: {bodies: [{shape: {icosphere: {subdivisions: 4}}}]}});
    const [fine] = world.bodies;
    const copy = await world.addBody({positions: fine.positions, indices: fine.indices},
        {simVertices: 200, position: [3, 0, 0]});
    assert.ok(copy.description.particles < 300, `${copy.description.particles} particles`);
    assert.equal(copy.positions.length, fine.positions.length);
    assert.ok(Math.abs(copy.positions[0] - fine.positions[0] - 3) < 0.02);
});

test('broken geometry is refused with a sentence', async () => {
    const world = await createWorld(here);
    const box = boxWithSeams();
    const nan = geometryOf(box);
    nan.attributes.position.array[4] = NaN;
    await refuses(() => world.addBody(nan), 'bad_mesh', /vertex 1 .*not finite/);
    await refuses(() => world.addBody(geometryOf({positions: [], index: []})), 'bad_mesh', /no positions/);
    await refuses(() => world.addBody(geometryOf({...box, index: [0, 1, 4000000000]}, Uint32Array)), 'bad_mesh',
        /names vertex 4000000000/);
    await refuses(() => world.addBody({positions: box.positions, indices: [0, 1, -1]}), 'bad_mesh', /index 2 .*-1/);
    await refuses(() => world.addBody(geometryOf({...box, index: box.index.slice(0, 6)})), 'bad_mesh', /./);
    await refuses(() => world.addBody({attributes: {}}), 'bad_mesh', /no position attribute/);
    await refuses(() => world.addBody(geometryOf({...box, index: [0, 1]})), 'bad_mesh', /multiples of three/);
    const quantized = geometryOf(box);
    quantized.attributes.position.array = Int16Array.from(box.positions);
    await refuses(() => world.addBody(quantized), 'bad_mesh', /Float32Array/);
    await world.addBody(geometryOf(box));
    assert.equal(world.bodies.length, 1, 'the world goes on');
});

test('bad options are refused with a sentence', async () => {
    const world = await createWorld(here);
    const box = () => geometryOf(boxWithSeams());
    await refuses(() => world.addBody(box(), {material: 'cheese'}), 'bad_scene', /cheese.*jelly/);
    await refuses(() => world.addBody(box(), {material: {frequency: -1}}), 'bad_scene', /frequency/);
    await refuses(() => world.addBody(box(), {colour: [1, 0, 0]}), 'bad_scene', /colour/);
    await refuses(() => world.addCollider({}), 'bad_scene', /shape/);
    await refuses(() => createWorld({...here, scene: 'no_such_scene'}), 'bad_argument', /built in are/);
    await refuses(() => createWorld({...here, scene: {bodies: []}}), 'bad_scene', /bodies/);
    await refuses(() => world.setGravity([0, NaN, 0]), 'bad_argument', /./);
});

test('files: what can be read appears, what cannot says why', async () => {
    const world = await createWorld(here);
    const bytes = (text) => new TextEncoder().encode(text);
    const [box] = await world.addFile(bytes(boxObj), 'box.obj', {position: [0, 2, 0]});
    assert.equal(box.description.particles, 8);
    assert.equal(box.indices.length, 36);
    await refuses(() => world.addFile(bytes(''), 'nothing.obj'), 'bad_file', /nothing\.obj.*empty/);
    await refuses(() => world.addFile(bytes('v 1 2 three\n'), 'words.obj'), 'bad_file', /words\.obj.*line 1/);
    await refuses(() => world.addFile(bytes('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'), 'flat.obj'), 'bad_mesh',
        /flat\.obj/);
    await refuses(() => world.addFile(new Uint8Array(100), 'zeros.stl'), 'bad_file', /zeros\.stl/);
    await refuses(() => world.addFile(bytes('{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":4}],' +
        '"bufferViews":[{"buffer":0,"byteLength":4}]}'), 'a.gltf'), 'io', /a\.gltf: its buffer a\.bin.*\.glb/);
    for (const number of ['1e400', '0x10', '+-1', '1,5', ''])
        await refuses(() => world.addFile(bytes(`v ${number} 0 0\n`), 'odd.obj'), 'bad_file', /odd\.obj.*line 1/);
});

test('what was repaired about a mesh is told with its bodies', async () => {
    const world = await createWorld(here);
    const turned = boxObj.replace('f 4 3 2 1', 'f 1 2 3 4');
    const [box] = await world.addFile(new TextEncoder().encode(turned), 'turned.obj', {position: [0, 2, 0]});
    const told = box.warnings.map((sentence) => /^turned\.obj: turned 2 triangles/.test(sentence));
    assert.deepEqual(told, [true], box.warnings.join());
    const {positions, index} = boxWithSeams();
    const [a, b, c, ...rest] = index;
    const geometry = await world.addBody(geometryOf({positions, index: [a, c, b, ...rest]}), {position: [3, 2, 0]});
    assert.match(geometry.warnings.join(), /^the geometry: turned 1 triangle /);
    const sound = await world.addBody(geometryOf(boxWithSeams()), {position: [6, 2, 0]});
    assert.deepEqual(sound.warnings, []);
    assert.deepEqual(world.description.warnings, [...box.warnings, ...geometry.warnings]);
});

test('a height field is described with one vertex for each height', async () => {
    const world = await createWorld(here);
    await world.addScene({colliders: [{shape: {height_field: {heights: [[0, 1, 0], [0, 0, 2]], spacing: [0.5, 1]}}}]});
    const {shape, mesh} = world.colliders[0];
    assert.equal(shape, 'height_field');
    assert.deepEqual(mesh.positions, [-0.5, 0, -0.5, 0, 1, -0.5, 0.5, 0, -0.5, -0.5, 0, 0.5, 0, 0, 0.5, 0.5, 2, 0.5]);
    assert.equal(mesh.indices.length, 12);
});

test('scenes: all are listed, those that cannot run say why', async () => {
    const scenes = await listScenes();
    assert.ok(scenes.length >= 12);
    assert.match(scenes.find(({name}) => name === 'armadillos').problem, /package libcgal-demo/);
    const world = await createWorld({...here, scene: 'rigid_on_soft'});
    assert.equal(world.bodies.length, 2);
    assert.deepEqual(world.rigids.map(({name}) => name), ['ball', 'box', 'capsule', 'stone']);
    const height = world.rigids[0].positions[1];
    await run(world, 20);
    assert.ok(world.rigids[0].positions[1] < height);
    assert.equal(world.colliders[0].shape, 'plane');
});

test('a body is grabbed, pulled and let go', async () => {
    const world = await createWorld({...here, gravity: [0, 0, 0]});
    const body = await world.addBody(geometryOf(boxWithSeams()), {position: [0, 1, 0]});
    assert.equal(await world.grab([0, 1, 5], [0, 1, 0]), null);
    const grip = await world.grab([0.4, 1.4, 5], [0, 0, -1]);
    assert.equal(grip.body, body);
    grip.moveTo([0.4, 3, 0.5]);
    await run(world, 100);
    const height = body.positions[1];
    assert.ok(height > 1.7, `pulled to ${height}`);
    await grip.release();
    grip.moveTo([0, -100, 0]);
    await run(world, 20);
    assert.ok(body.positions[1] > 1.7);
});

test('a snapshot goes back to the same bits', async () => {
    const world = await createWorld({...here, scene: 'bouncing'});
    await run(world, 20);
    const snapshot = await world.snapshot();
    await run(world, 20);
    const hash = await world.stateHash();
    await world.restore(snapshot);
    assert.ok(Math.abs(world.state.time - 0.1) < 1e-9);
    await run(world, 20);
    assert.equal(await world.stateHash(), hash);
    await refuses(() => world.restore(snapshot.slice(0, 100)), 'bad_snapshot', /./);
    await refuses(() => world.restore(new Uint8Array()), 'bad_snapshot', /./);
    assert.equal(await world.stateHash(), hash, 'unchanged');
});

test('a snapshot from before a collider, and from after it', async () => {
    const world = await createWorld(here);
    const before = await world.snapshot();
    await world.addGround();
    await world.addCollider({box: {size: [1, 1, 1]}, position: [5, 0, 0]});
    const after = await world.snapshot();
    await world.restore(before);
    assert.equal(world.colliders.length, 0);
    await run(world, 3);
    await world.restore(after);
    assert.equal(world.colliders.length, 2);
    assert.ok(Math.abs(world.colliderPose(1)[0] - 5) < 1e-6);
    await run(world, 3);
});

test('what cannot be added whole is not added at all', async () => {
    const world = await createWorld(here);
    const part = {colliders: [{shape: {box: {size: [1, 1, 1]}}}],
        bodies: [{shape: {cube: {}}}, {shape: {mesh: 'nowhere.obj'}}]};
    await assert.rejects(() => world.addScene(part), TurgorError);
    await world.addCollider({sphere: {radius: 1}, position: [3, 0, 0]});
    assert.equal(world.colliders.length, 1);
    assert.equal(world.colliders[0].shape, 'sphere');
    assert.equal(world.bodies.length, 0);
});

test('arrays with seams have triangles of their own vertices', async () => {
    const world = await createWorld(here);
    const {positions, index} = boxWithSeams();
    const body = await world.addBody({positions: new Float32Array(positions), indices: new Uint32Array(index)});
    assert.deepEqual(Array.from(body.indices), Array.from(index));
    assert.equal(body.positions.length, positions.length);
});

test('a material changes only what it is told to', async () => {
    const world = await createWorld(here);
    const body = await world.addBody(geometryOf(boxWithSeams()), {material: {base: 'rubber', density: 300}});
    await world.setMaterial({frequency: 3});
    const {density, frequency} = body.description.material;
    assert.deepEqual([density, frequency], [300, 3]);
    await refuses(() => world.setMaterial({frequency: 1e9}), 'bad_scene', /frequency/);
});

test('a body tells its model and what that knows of it, by name', async () => {
    const world = await createWorld(here);
    const body = await world.addBody(geometryOf(boxWithSeams()), {model: {surface: {omega: 2}}});
    const {model, figures} = body.description;
    assert.equal(model, 'surface');
    assert.deepEqual(figures.find(({name}) => name === 'omega'), {name: 'omega', value: 2, unit: 'edges'});
    await refuses(() => world.addBody(geometryOf(boxWithSeams()), {model: {surfase: {}}}), 'bad_scene', /surfase/);
});

test('models are listed with their settings, and a scene can be made of another one', async () => {
    const models = await listModels();
    assert.deepEqual(models.map(({name}) => name), ['surface', 'meshless', 'lattice', 'cells']);
    for (const {description, settings} of models) {
        assert.ok(description.length > 20);
        for (const setting of settings) assert.ok(setting.description.length > 10, setting.name);
    }
    const settings = Object.fromEntries(models[1].settings.map((setting) => [setting.name, setting]));
    assert.deepEqual(settings.mode.choices, ['rigid', 'linear', 'quadratic']);
    assert.deepEqual([settings.beta.least, settings.beta.most, settings.beta.whole], [0, 0.95, false]);
    assert.ok(settings.clusters.whole);
    const world = await createWorld({...here, scene: 'bouncing', model: {meshless: {mode: 'linear', beta: 0.4}}});
    for (const {description} of world.bodies) {
        assert.equal(description.model, 'meshless');
        assert.deepEqual(description.modelSettings, {beta: 0.4, mode: 1});
    }
    await world.restart({scene: 'bouncing'});
    assert.equal(world.bodies[0].description.model, 'surface');
    await refuses(() => createWorld({...here, scene: 'bouncing', model: {meshless: {omega: 3}}}), 'bad_argument',
        /'omega' is no setting of the model 'meshless', but one of the model 'surface'/);
});

test('a plastic body keeps a dent, tells its shape, and forgets it', async () => {
    const world = await createWorld({...here, gravity: [0, 0, 0]});
    const body = await world.addBody(geometryOf(boxWithSeams()), {
        material: {base: 'clay', plasticity: {yield: 0.05}}, model: {meshless: {}}, position: [0, 5, 0]});
    const {surface, plasticity} = body.description.material;
    assert.equal(surface, 'clay');
    assert.deepEqual(plasticity, {flowTime: 0.03, cap: 1.4, hardening: 0, yield: 0.05});
    /** The longest of its diagonals. */
    const length = (shape) => {
        const points = Array.from({length: shape.length / 3}, (_, v) => shape.slice(3 * v, 3 * v + 3));
        return Math.max(...points.map((p) =>
            Math.max(...points.map((q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])))));
    };
    const near = (value, expected, tolerance) =>
        assert.ok(Math.abs(value - expected) < tolerance, `${value} instead of ${expected}`);
    const first = await body.restShape();
    assert.equal(first.length, body.positions.length, 'one for each vertex that was given');
    const whole = Math.sqrt(3);
    near(length(first), whole, 1e-5);
    near(first[1], body.positions[1], 1e-5);  // where the body is
    const top = await body.drag([0, 5.5, 0], 0.8, 20);
    const bottom = await body.drag([0, 4.5, 0], 0.8, 20);
    for (let k = 1; k <= 12; ++k) {
        top.moveTo([0, 5.5 + 0.025 * k, 0]);
        bottom.moveTo([0, 4.5 - 0.025 * k, 0]);
        await run(world, 5);
    }
    await run(world, 40);
    await top.release();
    await bottom.release();
    await run(world, 100);
    const pulled = length(await body.restShape());
    assert.ok(pulled > 1.1 * whole, `pulled to ${pulled}`);
    const snapshot = await world.snapshot();
    await body.resetShape();
    near(length(await body.restShape()), whole, 1e-4);
    await run(world, 100);
    await body.resetShape();  // it yields a little on its way
    await run(world, 100);
    near(length(body.positions), whole, 0.02);  // it springs back
    await world.restore(snapshot);
    near(length(await world.bodies[0].restShape()), pulled, 1e-5);  // the snapshot has the dent
    await world.resetShapes();
    near(length(await world.bodies[0].restShape()), whole, 1e-4);
    await world.setMaterial({plasticity: {cap: 0.2}});
    assert.deepEqual(world.bodies[0].description.material.plasticity, {...plasticity, cap: 0.2});
    await refuses(() => world.setMaterial({plasticity: {cap: 9}}), 'bad_scene', /cap/);
});

test('a body that tears: there are others in its place, whose arrays fit', async () => {
    const world = await createWorld({...here, scene: 'torn_cake'});
    const whole = world.bodies[0];
    let torn = 0;
    world.onTear = () => torn++;
    for (let k = 0; k < 24; ++k) {
        await run(world, 10);
        await new Promise((resolve) => setTimeout(resolve, 0));
    }
    assert.ok(torn > 0, 'it said so');
    assert.ok(world.bodies.length > 1);
    assert.ok(!world.bodies.includes(whole), 'what has other triangles is another object');
    for (const body of world.bodies) {
        assert.equal(body.positions.length, body.normals.length);
        assert.ok(body.indices.every((index) => index < body.positions.length / 3));
        assert.ok(body.positions.every(Number.isFinite));
    }
    assert.ok(world.state.volumeError < 1e-5);
});

test('a scene that is too large is refused before it is made', async () => {
    const world = await createWorld(here);
    const huge = {bodies: [{shape: {icosphere: {subdivisions: 8}}, copies: {grid: [100, 1, 1], spacing: [2, 2, 2]}}]};
    await refuses(() => world.addScene(huge), 'bad_scene', /million particles/);
    await world.addScene({bodies: [{shape: {icosphere: {subdivisions: 3}}}]});
    assert.equal(world.bodies.length, 1);
});

test('a world that trapped says so, and stays dead', async () => {
    const engine = await Engine.create({builtIn: 'bouncing'});
    const {step} = engine.wasm;
    engine.wasm = {...engine.wasm, step: () => {
        throw new WebAssembly.RuntimeError('unreachable');
    }};
    const dead = (error) => error instanceof TurgorError && error.code === 'failed' &&
        /has stopped.*new world.*unreachable/.test(error.message);
    assert.throws(() => engine.advance(1, 1), dead);
    engine.wasm = {...engine.wasm, step};
    assert.throws(() => engine.advance(1, 1), dead);
    assert.throws(() => engine.snapshot(), dead);
    engine.destroy();
});

test('what is shown lies between two frames, waits for the next, and does not catch up', () => {
    const frame = (time) => ({layout: 1, numbers: Float32Array.of(time, 2 * time), time});
    const playback = new Playback(0.01);
    const shown = () => {
        const numbers = new Float32Array(2);
        assert.ok(playback.read({number: 1}, numbers));
        return Array.from(numbers, (value) => Number(value.toFixed(6)));
    };
    playback.add(frame(1));
    playback.advance(0.02);
    assert.deepEqual(shown(), [1, 2], 'nothing comes after it yet');
    assert.equal(playback.stepsWanted(), 4);
    playback.add(frame(1.04));
    playback.advance(0.01);
    assert.deepEqual(shown(), [1.01, 2.02]);
    playback.advance(0.5);
    assert.deepEqual(shown(), [1.04, 2.08], 'it waits');
    playback.advance(60);
    assert.equal(playback.stepsWanted(), 50, 'a minute away counts as a quarter of a second');
    playback.add(frame(1.1));
    playback.timeScale = 0.5;
    playback.advance(0.06);
    assert.deepEqual(shown(), [1.07, 2.14]);
    assert.ok(playback.takeBuffer() instanceof ArrayBuffer, 'the first frame can be filled again');
    assert.equal(playback.read({number: 2}, new Float32Array(2)), false, 'of another layout');
});

test('time: follows the clock, stands when it is paused', async () => {
    const world = await createWorld({...here, scene: 'bouncing'});
    let now = 1000;
    const pictures = async (count, milliseconds) => {
        for (let k = 0; k < count; ++k) {
            world.update(now += milliseconds);
            await new Promise((resolve) => setImmediate(resolve));
        }
    };
    await pictures(60, 1000 / 60);
    assert.ok(world.state.time > 0.5 && world.state.time < 1.01, `${world.state.time} s after a second`);
    world.paused = true;
    const stopped = world.state.time;
    await pictures(10, 100);
    assert.equal(world.state.time, stopped);
});

test('a step that is asked for while others are being made is made as well', async () => {
    const world = await createWorld({...here, scene: 'bouncing'});
    world.update(1000);
    world.update(1016);
    world.paused = true;
    await world.step();
    const {time} = world.state;
    await Promise.all([world.step(), world.step()]);
    assert.ok(Math.abs(world.state.time - time - 0.01) < 1e-9);
});

test('how long a step took stays known when something is added', async () => {
    const world = await createWorld({...here, scene: 'bouncing'});
    await run(world, 2);
    const {stepMilliseconds} = world.state;
    assert.ok(stepMilliseconds > 0);
    await world.addCollider({sphere: {radius: 0.1}, position: [9, 0, 0]});
    assert.equal(world.state.stepMilliseconds, stepMilliseconds);
});

test('removing and restarting', async () => {
    const world = await createWorld(here);
    const first = await world.addBody(geometryOf(boxWithSeams()), {position: [0, 1, 0]});
    const second = await world.addBody(geometryOf(boxWithSeams()), {position: [5, 1, 0]});
    await world.remove(first);
    assert.deepEqual(world.bodies, [second]);
    await run(world, 2);
    assert.ok(second.positions[0] > 4);
    await world.restart({scene: 'cube'});
    assert.equal(world.bodies.length, 1);
    assert.equal(world.description.name, 'cube');
    world.dispose();
    await refuses(() => world.step().then(() => world.stateHash()), 'failed', /gone/);
});
