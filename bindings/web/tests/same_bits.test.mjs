// The same scene in WebAssembly and natively: the same bits.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Engine} from '../dist/engine.js';
import {noProgram, simulateNatively} from './helpers.mjs';

const steps = {balls_in_glass: 60, cube: 20, ducks_and_tori: 40, recovery: 60};

for (const {name, problem} of await Engine.scenes())
    test(`${name} has the hash of the native program`, {skip: problem ?? noProgram}, async () => {
        const count = steps[name] ?? 150;
        const engine = await Engine.create({builtIn: name});
        for (let k = 0; k < count; ++k) engine.advance(1, 1e9);
        assert.equal(engine.stateHash().toString(16).padStart(16, '0'), simulateNatively(name, count).state_hash);
    });
