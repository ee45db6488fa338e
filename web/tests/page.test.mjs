// The built page in a real browser: Debian's Chromium, without a window and without a graphics card.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';
import {serve} from '../serve.mjs';

const folder = process.env.TURGOR_PAGE ?? fileURLToPath(new URL('../../out/web', import.meta.url));
const patience = 60000;
let server;
let browser;

before(async () => {
    server = await serve(folder, 0);
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
            '--no-first-run', '--disable-background-networking', '--disable-component-update',
            '--disable-sync', '--disable-quic'],
    });
});
after(async () => {
    await browser?.close();
    server?.close();
});

/** The page with some settings; it fails the test if anything is written to the console as an error. */
async function open(t, hash, options = {}) {
    const page = await browser.newPage({viewport: {width: 760, height: 480}, reducedMotion: 'reduce', ...options});
    const errors = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    t.after(async () => {
        await page.close();
        assert.deepEqual(errors, []);
    });
    await page.goto(server.address + hash);
    await page.waitForSelector('html[data-ready]', {timeout: patience});
    return page;
}

/** The page with one red ball, paused. */
async function openBall(t, gravity, options) {
    const page = await open(t, '#scene=incline', options);
    await page.evaluate(async (g) => {
        const {world, stage} = turgor;
        world.paused = true;
        await world.restart({scene: {
            gravity: [0, -g, 0], colliders: [{shape: {plane: {}}}],
            bodies: [{shape: {icosphere: {subdivisions: 3}}, clearance: 0.7, color: [0.8, 0.05, 0.05]}],
        }});
        world.timeScale = 1;
        stage.show(world);
        stage.frame(world);
        // The camera is where it was put once a picture has been drawn.
        for (let k = 0; k < 2; ++k) await new Promise(requestAnimationFrame);
    }, gravity);
    return page;
}

const goOn = (page) => page.evaluate(() => (turgor.world.paused = false));

const middleOf = (page, body = 0) => page.evaluate((index) => {
    const {positions} = turgor.world.bodies[index];
    const sum = [0, 0, 0];
    positions.forEach((value, i) => (sum[i % 3] += 3 * value / positions.length));
    return sum;
}, body);

/** Where a point of the world is on the page [pixels]. */
const onPage = (page, point) => page.evaluate(([x, y, z]) => {
    const {camera, controls} = turgor.stage;
    const {x: across, y: up} = controls.target.clone().set(x, y, z).project(camera);
    return {x: (1 + across) / 2 * innerWidth, y: (1 - up) / 2 * innerHeight};
}, point);

const until = (page, work, argument) => page.waitForFunction(work, argument, {timeout: patience, polling: 100});
const message = (page) => page.textContent('#message');

/** Of a picture: how many pixels have a strong colour, where their middle is, how many different colours there are. */
async function structure(page) {
    const picture = (await page.screenshot()).toString('base64');
    return page.evaluate(async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const pixels = context.getImageData(0, 0, image.width, image.height).data;
        const panel = document.getElementById('panel').getBoundingClientRect();
        const seen = new Set();
        let count = 0, x = 0, y = 0;
        for (let i = 0; i < pixels.length; i += 4) {
            const px = i / 4 % image.width, py = Math.floor(i / 4 / image.width);
            if (px >= panel.left && px < panel.right && py >= panel.top) continue;
            const colour = [pixels[i], pixels[i + 1], pixels[i + 2]];
            seen.add((colour[0] >> 3) * 1024 + (colour[1] >> 3) * 32 + (colour[2] >> 3));
            if (Math.max(...colour) - Math.min(...colour) < 90) continue;
            count++, x += px, y += py;
        }
        return {count, x: x / count, y: y / count, colours: seen.size};
    }, picture);
}

async function dropFile(page, name, text) {
    const data = await page.evaluateHandle(([file, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], file));
        return transfer;
    }, [name, text]);
    await page.dispatchEvent('body', 'drop', {dataTransfer: data});
}

const tetrahedron = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';

test('a body falls, is where it should be in the picture, and keeps its volume', async (t) => {
    const page = await openBall(t, 9.81);
    const [, start] = await middleOf(page);
    await goOn(page);
    await until(page, () => turgor.world.state.time > 0.2);
    await page.keyboard.press('Space');
    await until(page, () => turgor.world.paused);
    await page.waitForTimeout(1000);
    const middle = await middleOf(page);
    assert.ok(middle[1] < start - 0.1, `from ${start} to ${middle[1]}`);
    const error = await page.textContent('[data-readout=volume]');
    assert.match(error, /^\d+\.\d+ %$/);
    assert.ok(parseFloat(error) < 0.001, error);
    assert.equal(await page.textContent('#model'), 'Model: Surface');
    assert.match(await page.textContent('#figures'), /Omega\d+ edges/);
    const expected = await onPage(page, middle);
    const picture = await structure(page);
    assert.ok(picture.colours > 100, `${picture.colours} colours`);
    assert.ok(picture.count > 2000, `${picture.count} pixels of the body`);
    assert.ok(Math.hypot(picture.x - expected.x, picture.y - expected.y) < 15, JSON.stringify({picture, expected}));
});

test('a drag with the mouse moves a body', async (t) => {
    const page = await openBall(t, 0);
    const {x, y} = await onPage(page, await middleOf(page));
    await goOn(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 60, y - 40, {steps: 4});
    await until(page, () => {
        const {positions} = turgor.world.bodies[0];
        let sum = 0;
        for (let i = 0; i < positions.length; i += 3) sum += positions[i];
        return 3 * sum / positions.length < -0.2;
    });
    await page.mouse.up();
    const after = await onPage(page, await middleOf(page));
    assert.ok(after.x < x - 8 && after.y < y - 4, JSON.stringify({from: {x, y}, to: after}));
});

test('a finger pulls on a phone, whose controls fold away', async (t) => {
    const phone = {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true, colorScheme: 'dark'};
    const page = await openBall(t, 0, phone);
    assert.equal(await page.getAttribute('#fold', 'aria-expanded'), 'false');
    assert.ok(!(await page.isVisible('#scene')));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing sticks out');
    const {x, y} = await onPage(page, await middleOf(page));
    const height = await page.evaluate(() => turgor.world.bodies[0].positions[1]);
    await goOn(page);
    const touch = await page.context().newCDPSession(page);
    const finger = (type, points) => touch.send('Input.dispatchTouchEvent', {type, touchPoints: points});
    await finger('touchStart', [{x, y}]);
    for (const k of [1, 2, 3]) await finger('touchMove', [{x: x + 25 * k, y: y - 25 * k}]);
    await until(page, (from) => turgor.world.bodies[0].positions[1] - from > 0.05, height);
    await finger('touchEnd', []);
    await page.tap('#fold');
    assert.ok(await page.isVisible('#scene'));
    await page.locator('#share').scrollIntoViewIfNeeded();
    const {top, buttons, said} = await page.evaluate(() => {
        const place = (id) => document.getElementById(id).getBoundingClientRect();
        document.getElementById('message').textContent = 'A sentence for a person.';
        return {top: place('panel').top, buttons: place('pause').top, said: place('message').bottom};
    });
    assert.ok(buttons > top, `the buttons stay while the controls scroll: ${buttons} in a panel from ${top}`);
    assert.ok(said <= top, `a message lies beside the controls: it ends at ${said}, and they begin at ${top}`);
});

test('a dropped mesh appears; a broken one and one that is no mesh say why', async (t) => {
    const page = await openBall(t, 9.81);
    await goOn(page);
    await dropFile(page, 'tetrahedron.obj', tetrahedron);
    await until(page, () => turgor.world.bodies.length === 2);
    await until(page, () => document.getElementById('message').textContent.includes('soft now'));
    assert.ok((await middleOf(page, 1)).every(Number.isFinite));
    assert.match(await message(page), /soft now\.$/);
    await dropFile(page, 'turned.obj', tetrahedron.replace('f 1 3 2', 'f 1 2 3'));
    await until(page, () => document.getElementById('message').textContent.startsWith('turned.obj is soft now'));
    assert.match(await message(page), /soft now\. Worth knowing: turned 1 triangle .*\.$/);
    await dropFile(page, 'broken.obj', 'v 0 0 0\nv 1 0 zero\n');
    await until(page, () => document.getElementById('message').textContent.startsWith('broken.obj'));
    assert.match(await message(page), /line 2/);
    await dropFile(page, 'holiday.txt', 'Dear all, the beach is lovely.');
    await until(page, () => document.getElementById('message').textContent.startsWith('holiday.txt'));
    assert.match(await message(page), /OBJ, PLY, STL/);
    await dropFile(page, 'empty.stl', '');
    await until(page, () => document.getElementById('message').textContent.startsWith('empty.stl'));
    assert.equal(await page.evaluate(() => turgor.world.bodies.length), 3);
    assert.equal(await page.getAttribute('#message', 'aria-live'), 'polite');
});

test('keys, buttons and links do what they say', async (t) => {
    const page = await open(t, '#scene=incline&material=jelly&speed=0.5&frequency=nonsense&gravity=99');
    assert.equal(await page.evaluate(() => turgor.world.timeScale), 0.5);
    assert.equal(await page.inputValue('#material'), 'jelly');
    assert.match(await page.textContent('.slider:has([name=gravity]) output'), /^25\.0/);
    await page.keyboard.press('Space');
    assert.ok(await page.evaluate(() => turgor.world.paused));
    const before = await page.evaluate(() => turgor.world.state.time);
    await page.keyboard.press('s');
    await until(page, (time) => turgor.world.state.time > time, before);
    const bodies = await page.evaluate(() => turgor.world.bodies.length);
    await page.keyboard.press('d');
    await until(page, (count) => turgor.world.bodies.length === count + 1, bodies);
    await page.selectOption('#scene', 'twirled_bar');
    await until(page, () => turgor.world.description.name === 'twirled_bar');
    await page.click('#share');
    await until(page, () => location.hash.includes('scene=twirled_bar'));
    assert.match(await page.evaluate(() => location.hash), /(?=.*material=jelly)(?=.*gravity=25)(?=.*speed=0.5)/);
    for (const id of ['pause', 'step', 'reset', 'drop', 'scene', 'material']) {
        await page.focus(`#${id}`);
        assert.ok(await page.evaluate((name) => document.activeElement.id === name, id), id);
    }
    await page.focus('#view');
    await page.keyboard.press('Tab');
    assert.notEqual(await page.evaluate(() => document.activeElement.id), 'view');
});

test('a model and its settings are chosen by name, and a link keeps them', async (t) => {
    const page = await open(t, '#scene=incline');
    await page.click('#model');
    const settings = () => page.evaluate(() => turgor.world.bodies[0].description.modelSettings);
    assert.equal(await page.inputValue('#models'), '');
    await page.selectOption('#models', 'meshless');
    await until(page, () => turgor.world.bodies.every(({description}) => description.model === 'meshless'));
    assert.deepEqual(await settings(), {});
    assert.match(await page.textContent('#settings .slider:has([name=beta]) output'), /^automatic: 0\.\d/);
    assert.match(await page.getAttribute('#settings .slider:has([name=beta])', 'title'), /dent/);
    await page.locator('#settings [name=beta]').evaluate((input) => {
        input.value = 500;
        input.dispatchEvent(new Event('change'));
    });
    await until(page, () => turgor.world.bodies[0].description.modelSettings.beta === 0.475);
    await page.selectOption('#settings [name=mode]', 'linear');
    await until(page, () => turgor.world.bodies[0].description.modelSettings.mode === 1);
    assert.deepEqual(await settings(), {beta: 0.475, mode: 1});
    await page.keyboard.press('d');
    await page.click('[aria-label="Beta: automatic"]');
    await until(page, () => !('beta' in turgor.world.bodies[0].description.modelSettings));
    await page.click('#share');
    await until(page, () => location.hash.includes('model='));
    const link = await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('model'));
    assert.equal(link, 'meshless:mode=linear');
    await page.evaluate(() => (location.hash = '#scene=cube&model=meshless:clusters=2,beta=7,omega=3'));
    await until(page, () => turgor.world.description.name === 'cube');
    assert.deepEqual(await settings(), {clusters: 2}, 'what makes no sense is left out');
    await page.evaluate(() => (location.hash = '#scene=incline&model=jam'));
    await until(page, () => turgor.world.description.name === 'incline');
    assert.equal(await page.evaluate(() => turgor.world.bodies[0].description.model), 'surface');
});

test('plastic materials look like it, have their numbers and can be bent straight again', async (t) => {
    const page = await open(t, '#scene=incline&material=clay&cap=0.5');
    const looks = () => page.evaluate(() => turgor.stage.followers.map(({look}) => look));
    const material = () => page.evaluate(() => turgor.world.bodies[0].description.material);
    assert.ok((await looks()).every((look) => look === 'clay'), String(await looks()));
    assert.deepEqual((await material()).plasticity, {yield: 0.02, flowTime: 0.03, cap: 0.5, hardening: 0});
    assert.equal(await page.textContent('#keeps'), 'Keeps new shapes');
    assert.match(await page.textContent('.slider:has([name=flow]) output'), /^0\.03 s/);
    assert.match(await page.textContent('.slider:has([name=creep]) output'), /^never/);
    await page.locator('[name=healing]').evaluate((input) => {
        input.value = 400;
        input.dispatchEvent(new Event('input'));
    });
    await until(page, () => Math.abs(turgor.world.bodies[0].description.material.plasticity.healingTime - 1) < 1e-9);
    await page.evaluate(() => {
        const {world} = turgor;
        const {resetShapes} = world;
        world.resetShapes = () => resetShapes.call(world).then(() => (turgor.straight = true));
    });
    await page.keyboard.press('b');
    await until(page, () => turgor.straight);
    await page.selectOption('#material', 'gummy');
    await until(page, () => turgor.stage.followers.every(({look}) => look === 'gummy'));
    assert.equal((await material()).plasticity, undefined, 'a preset replaces what was set');
    assert.equal(await page.textContent('#keeps'), 'Springs back');
});

test('apart from drawing, 5402 particles get more than 60 steps per second', async (t) => {
    const page = await open(t, '#scene=incline');
    const steps = await page.evaluate(async () => {
        const {world, stage} = turgor;
        stage.draw = () => undefined;
        await world.restart({scene: {
            colliders: [{shape: {plane: {}}}],
            bodies: [{shape: {cube: {side: 1, points: 31}}, material: {omega: 3, stiffness: 0.9}, clearance: 0.2,
                rotation: {axis: [0, 0, 1], degrees: 20}}],
        }});
        // A machine that is busy with something else at first gets another chance.
        for (let k = 0; k < 10 && world.state.stepsPerSecond < 70; ++k)
            await new Promise((resolve) => setTimeout(resolve, 1500));
        return [world.description.particles, world.state.stepsPerSecond];
    });
    assert.equal(steps[0], 5402);
    assert.ok(steps[1] > 60, `${steps[1]} steps per second`);
    t.diagnostic(`${steps[1]} steps per second`);
});

test('a link that is pasted into the open page is followed, one that the page writes is not', async (t) => {
    const page = await open(t, '#scene=incline&gravity=5');
    await page.evaluate(() => (location.hash = '#scene=twirled_bar&material=jelly&speed=0.5'));
    await until(page, () => turgor.world.description.name === 'twirled_bar' && turgor.world.timeScale === 0.5);
    assert.equal(await page.inputValue('#scene'), 'twirled_bar');
    assert.equal(await page.inputValue('#material'), 'jelly');
    assert.match(await page.textContent('.slider:has([name=gravity]) output'), /^0\.0/, 'the scene has none');
    await page.evaluate(() => (location.hash = '#scene=nowhere'));
    await until(page, () => document.getElementById('message').textContent.includes('no scene “nowhere”'));
    assert.equal(await page.evaluate(() => turgor.world.description.name), 'gummy_bears');
    assert.equal(await page.inputValue('#material'), '');
    await page.selectOption('#scene', 'incline');
    await until(page, () => turgor.world.description.name === 'incline' && turgor.world.state.time > 0.05);
    const bodies = await page.evaluateHandle(() => turgor.world.bodies[0]);
    await page.click('#share');
    await until(page, () => location.hash === '#scene=incline');
    await page.waitForTimeout(500);
    assert.ok(await page.evaluate((body) => turgor.world.bodies[0] === body, bodies), 'the world goes on');
});

test('scenes that are gone leave nothing on the graphics card', async (t) => {
    const page = await open(t, '#scene=incline');
    const kept = await page.evaluate(async () => {
        const {world, stage} = turgor;
        const counts = [];
        for (let k = 0; k < 11; ++k) {
            await world.restart({scene: {
                colliders: [{shape: {plane: {}}}, {shape: {sphere: {radius: 0.2}}},
                    {shape: {cup: {radius: 1, height: 1}}}],
                rigid_bodies: [{shape: {sphere: {radius: 0.2}}, position: [0, 3, 0]}],
                bodies: [{shape: {icosphere: {subdivisions: 1}}, clearance: 1}],
            }});
            stage.show(world);
            stage.draw(world, performance.now());
            const {memory, programs} = stage.renderer.info;
            const used = programs.map(({name, usedTimes}) => `${name} ${usedTimes}`).sort().join();
            counts.push({...memory, programs: used});
        }
        return counts;
    });
    assert.deepEqual(kept[10], kept[0]);
});

test('a world that has stopped is replaced by Reset', async (t) => {
    const page = await open(t, '#scene=incline');
    await page.evaluate(() => {
        turgor.world.onError(new Error('it has stopped'));
        turgor.world.dispose();
    });
    assert.match(await message(page), /it has stopped\. Reset starts anew/);
    await page.click('#reset');
    await until(page, () => turgor.world.state.time > 0.05);
});

test('a link to a scene that is not there opens another', async (t) => {
    const page = await open(t, '#scene=<b>nothing</b>');
    assert.equal(await page.evaluate(() => turgor.world.description.name), 'gummy_bears');
    assert.match(await message(page), /no scene “<b>nothing<\/b>”/);
});
