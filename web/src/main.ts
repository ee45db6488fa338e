import {
    createWorld, listModels, listScenes, TurgorError, type Body, type Material, type MaterialName, type Model,
    type ModelEntry, type SceneEntry, type Vector3, type World,
} from 'turgor-web';
import {colours, dropping} from './droppings.js';
import {listenToDrops, readMesh} from './files.js';
import {Hand} from './hand.js';
import {listenToKeys} from './keys.js';
import {asModel, modelText, readModel} from './model.js';
import {element, Panel} from './panel.js';
import {defaultSettings, readSettings, sliders} from './settings.js';
import {Stage} from './stage.js';

const settings = readSettings(location.hash);
const mostVertices = 1500;  // that a dropped mesh is simulated with
let scenes: SceneEntry[] = [];  // that can run here
let models: ModelEntry[] = [];
let world: World;
let stage: Stage;
let hand: Hand;
let drops = 0;

const panel = new Panel(settings, {
    pause() {
        world.paused = !world.paused;
        panel.showPaused(world.paused);
    },
    step() {
        world.paused = true;
        panel.showPaused(true);
        void world.step();
    },
    reset: () => void trying(() => open(settings.scene)),
    drop: () => void trying(drop),
    straight: () => void trying(() => world.resetShapes()),
    model: (chosen) => void trying(() => {
        settings.model = chosen && modelText(chosen);
        return open(settings.scene, true);
    }),
    choose: (file) => void trying(() => addFile(file)),
    scene: (name) => void trying(() => open(name)),
    changed: (key) => changed(key),
});

/** What goes wrong is said, and the page goes on. */
async function trying(work: () => Promise<unknown>): Promise<void> {
    try {
        await work();
    } catch (error) {
        panel.say(error instanceof Error ? error.message : String(error));
        if (!(error instanceof Error)) throw error;
    }
}

/** What the settings say about materials; undefined where they leave them to the scene. */
function ownMaterial(): Material | MaterialName | undefined {
    const {material, frequency, damping: dampingRatio, alpha, beta} = settings;
    const numbers = Object.entries({frequency, dampingRatio, alpha, beta}).filter(([, value]) => value !== undefined);
    const kept = sliders.filter(({key, plasticity}) => plasticity && settings[key] !== undefined);
    if (!material && numbers.length === 0 && kept.length === 0) return undefined;
    return {
        ...(material ? {base: material as MaterialName} : {}), ...Object.fromEntries(numbers),
        ...(kept.length > 0
            ? {plasticity: Object.fromEntries(kept.map(({key, plasticity}) => [plasticity, settings[key]]))} : {}),
    };
}

/** What the settings say about the model; undefined where they leave it to the scene. */
function ownModel(): {model?: Model} {
    const chosen = readModel(settings.model, models);
    return chosen ? {model: asModel(chosen)} : {};
}

async function applySettings(): Promise<void> {
    world.timeScale = settings.speed;
    if (settings.gravity !== undefined) await world.setGravity([0, -settings.gravity, 0]);
    const material = ownMaterial();
    if (material) await world.setMaterial(material);
    stage.showMaterials(world);
    panel.showScene(world.description);
}

/** A world that has stopped for good is replaced by a new one. */
async function restart(scene: string): Promise<void> {
    try {
        await world.restart({scene, ...ownModel()});
    } catch (error) {
        if (!(error instanceof TurgorError && error.code === 'failed')) throw error;
        world.dispose();
        useWorld(await createWorld({scene, ...ownModel()}));
    }
}

function useWorld(made: World): void {
    world = made;
    world.onTear = () => stage.show(world);
    world.onError = (error) => {
        panel.showPaused(true);
        panel.say(`${error.message}. Reset starts anew.`);
    };
    Object.assign(globalThis, {turgor: {world, stage}});  // for the curious, in the browser's console
}

/** `sameView`: it is what was there before, changed. */
async function open(scene: string, sameView = false): Promise<void> {
    hand.letGo();
    const before = settings.scene;
    settings.scene = scene;
    try {
        await restart(scene);
    } catch (error) {
        settings.scene = before;
        panel.showScene(world.description);
        throw error;
    }
    present(sameView);
    await applySettings();
}

/** Takes the settings out of the address. Returns what a person should know about that. */
function useLink(): string | undefined {
    for (const key of Object.keys(settings)) Reflect.deleteProperty(settings, key);
    Object.assign(settings, readSettings(location.hash));
    const {scene} = settings;
    if (scenes.some(({name}) => name === scene)) return undefined;
    settings.scene = defaultSettings.scene;
    return `There is no scene “${scene}” here; this is another one.`;
}

/** A link that comes into a page that is open already. What the page itself writes there comes without an event. */
async function followLink(): Promise<void> {
    clearTimeout(waiting);
    const remark = useLink();
    await open(settings.scene);
    if (remark) panel.say(remark);
}

/** A world that has just begun. */
function present(sameView = false): void {
    world.paused = false;
    panel.showPaused(false);
    panel.showScene(world.description);
    stage.show(world);
    if (!sameView) stage.frame(world);
    for (const warning of world.description.warnings.slice(0, 1)) panel.say(warning);
}

let waiting = 0;
function changed(key: string): void {
    if (key === 'speed') world.timeScale = settings.speed;
    // A preset replaces what was set by hand.
    if (key === 'material')
        for (const {key: number} of sliders)
            if (number !== 'gravity' && number !== 'speed') delete settings[number];
    clearTimeout(waiting);
    waiting = window.setTimeout(() => void trying(async () => {
        if (key === 'gravity') return world.setGravity([0, -settings.gravity!, 0]);
        if (key === 'material' && !settings.material) return open(settings.scene);
        const material = ownMaterial();
        if (material) await world.setMaterial(material);
        stage.showMaterials(world);
        if (key === 'material') panel.showScene(world.description);
        else panel.showModel(world.description);
    }), 60);
}

/** As large as what is there. */
function usualSize(): number {
    const sizes = world.bodies.map(({description}) => description.size).sort((a, b) => a - b);
    return sizes[Math.floor(sizes.length / 2)] ?? 0.7;
}

/** How high the highest body reaches [m]. */
function top(): number {
    let highest = 0;
    for (const {positions} of world.bodies)
        for (let i = 1; i < positions.length; i += 3) highest = Math.max(highest, positions[i]!);
    return highest;
}

async function added(bodies: Promise<Body[]>): Promise<Body[]> {
    const list = await bodies;
    stage.addNew(world);
    const material = ownMaterial();
    if (material) await world.setMaterial(material);
    stage.showMaterials(world);
    return list;
}

async function drop(): Promise<void> {
    const {x, z} = stage.controls.target;
    const size = usualSize();
    await added(world.addScene(dropping(drops++, size, [x, Math.max(1.2 * size, top() + 0.3 * size), z],
        ownModel().model)));
}

/** What was found and repaired, as the end of a message that has named the file already. */
function remarks(warnings: readonly string[], name: string): string {
    if (warnings.length === 0) return '';
    const most = 3;
    const sentences = warnings.slice(0, most).map((warning) => warning.replace(`${name}: `, ''));
    if (warnings.length > most) sentences.push(`and ${warnings.length - most} more`);
    return ` Worth knowing: ${sentences.join('; ')}.`;
}

async function addFile(file: File): Promise<void> {
    const bytes = await readMesh(file);
    panel.say(`Reading ${file.name} …`);
    const {x, z} = stage.controls.target;
    const size = usualSize();
    const options = {
        size: 1.4 * size, position: [x, 0, z] as Vector3, clearance: Math.max(0.4 * size, top() + 0.2 * size),
        simVertices: mostVertices, color: colours[drops++ % colours.length]!, ...ownModel(),
    };
    let wrapped = false;
    const bodies = await added(world.addFile(bytes, file.name, options).catch((error: unknown) => {
        if (!(error instanceof TurgorError) || error.code !== 'bad_mesh') throw error;
        wrapped = true;
        panel.say(`Putting a closed cage around ${file.name} …`);
        return world.addFile(bytes, file.name, {...options, wrap: true});
    }));
    const cloud = bodies[0]?.indices.length === 0;
    const done = cloud ? `${file.name} has points only: they are soft now, in a closed cage that carries them along.`
        : wrapped ? `${file.name} is not closed: a closed cage around it is soft now, and carries it along.`
        : bodies.length === 1 ? `${file.name} is soft now.`
        : `${file.name} is ${bodies.length} soft bodies now.`;
    panel.say(`${done}${remarks(bodies[0]?.warnings ?? [], file.name)}`);
}

function animate(now: number): void {
    requestAnimationFrame(animate);
    world.update(now);
    stage.draw(world, now);
}

function begin(): void {
    const canvas = element<HTMLCanvasElement>('view');
    hand = new Hand(canvas, stage, () => world);
    const click = (id: string) => () => element(id).click();
    listenToKeys({
        ' ': click('pause'), s: click('step'), r: click('reset'), d: click('drop'),
        b: click('straight'), c: () => panel.fold(),
        ArrowLeft: () => stage.turn(-0.12, 0), ArrowRight: () => stage.turn(0.12, 0),
        ArrowUp: () => stage.turn(0, 0.08), ArrowDown: () => stage.turn(0, -0.08),
        '+': () => stage.turn(0, 0, 0.9), '=': () => stage.turn(0, 0, 0.9), '-': () => stage.turn(0, 0, 1.1),
    });
    addEventListener('hashchange', () => void trying(followLink));
    listenToDrops((file) => void trying(() => addFile(file)));
    setInterval(() => panel.showState(world.state, world.description.particles), 200);
}

async function start(): Promise<void> {
    try {
        stage = new Stage(element<HTMLCanvasElement>('view'));
    } catch {
        element('loading').textContent = 'This browser shows no 3D graphics (WebGL 2), which this page needs.';
        return;
    }
    scenes = (await listScenes()).filter(({problem}) => !problem);
    models = await listModels();
    panel.listScenes(scenes);
    panel.listModels(models);
    const link = location.hash;
    const remark = useLink();
    element('loading').textContent = 'Making the bodies …';
    useWorld(await createWorld({scene: settings.scene, ...ownModel()}));
    begin();
    present();
    await applySettings();
    element('loading').hidden = true;
    if (remark) panel.say(remark);
    requestAnimationFrame(animate);
    if (location.hash !== link) await trying(followLink);
    document.documentElement.dataset.ready = 'true';
}

start().catch((error: unknown) => {
    element('loading').textContent = error instanceof TurgorError ? error.message
        : `The page could not start: ${String(error)}`;
});
