// The same scene in WebAssembly and natively: the same bits.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Engine} from '../dist/engine.js';
import {continuedNatively, nativeSnapshot, noExchange, noProgram, simulateNatively} from './helpers.mjs';

const hashOf = (engine) => engine.stateHash().toString(16).padStart(16, '0');
const steps = {balls_in_glass: 60, cube: 20, ducks_and_tori: 40, recovery: 60};

for (const {name, problem} of await Engine.scenes())
    test(`${name} has the hash of the native program`, {skip: problem ?? noProgram}, async () => {
        const count = steps[name] ?? 150;
        const engine = await Engine.create({builtIn: name});
        for (let k = 0; k < count; ++k) engine.advance(1, 1e9);
        assert.equal(hashOf(engine), simulateNatively(name, count).state_hash);
    });

for (const name of ['bouncing', 'rigid_on_soft'])
    test(`snapshots of ${name} are the same bytes here and natively, and go on alike`, {skip: noExchange}, async () => {
        const engine = await Engine.create({builtIn: name});
        const {dt} = engine.describe();
        engine.advance(60, 1e9);
        const snapshot = engine.snapshot();
        assert.deepEqual(Buffer.from(snapshot), Buffer.from(nativeSnapshot(name, 60)));
        engine.advance(30, 1e9);
        assert.equal(continuedNatively(snapshot, 30, dt), hashOf(engine));
        const other = await Engine.create({settings: '{}'});
        other.restore(snapshot);
        other.advance(30, 1e9);
        assert.equal(hashOf(other), hashOf(engine));
    });
