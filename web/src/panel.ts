import type {ModelEntry, SceneEntry, WorldDescription, WorldState} from 'turgor-web';
import {ModelControls, readModel, type ChosenModel} from './model.js';
import {settingsHash, sliders, type Settings, type SliderDescription} from './settings.js';

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
    return document.getElementById(id) as T;
}

const readable = (name: string): string => name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());

/** What the controls do. */
export interface Actions {
    pause(): void;
    step(): void;
    reset(): void;
    drop(): void;
    straight(): void;
    choose(file: File): void;
    model(chosen: ChosenModel | undefined): void;
    scene(name: string): void;
    /** The material or a number of the settings changed. */
    changed(key: 'material' | SliderDescription['key']): void;
}

const steps = 1000;  // of a slider
const toWay = ({low, high, logarithmic}: SliderDescription, value: number): number =>
    steps * (logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
const fromWay = ({low, high, logarithmic}: SliderDescription, way: number): number =>
    logarithmic ? low * (high / low) ** (way / steps) : low + (high - low) * way / steps;

/** The controls, the measurements and the messages. */
export class Panel {
    private readonly inputs = new Map<SliderDescription['key'], {input: HTMLInputElement; output: HTMLOutputElement}>();
    private readonly modelControls: ModelControls;
    private models: readonly ModelEntry[] = [];
    private hiding = 0;

    constructor(private readonly settings: Settings, private readonly actions: Actions) {
        for (const slider of sliders) this.addSlider(slider);
        this.modelControls = new ModelControls(element<HTMLSelectElement>('models'), element('settings'),
            (chosen) => actions.model(chosen));
        for (const name of ['pause', 'step', 'reset', 'drop', 'straight'] as const)
            element(name).addEventListener('click', () => actions[name]());
        element('controls').addEventListener('submit', (event) => event.preventDefault());
        element('fold').addEventListener('click', () => this.fold());
        element('choose').addEventListener('click', () => element('file').click());
        element('share').addEventListener('click', () => void this.share());
        this.listenToChoices();
        if (matchMedia('(max-width: 720px)').matches) this.fold();
    }

    private listenToChoices(): void {
        const file = element<HTMLInputElement>('file');
        file.addEventListener('change', () => {
            const [chosen] = file.files ?? [];
            if (chosen) this.actions.choose(chosen);
            file.value = '';  // the same file can be chosen again
        });
        const scene = element<HTMLSelectElement>('scene');
        scene.addEventListener('change', () => this.actions.scene(scene.value));
        const material = element<HTMLSelectElement>('material');
        material.addEventListener('change', () => {
            this.settings.material = material.value;
            this.actions.changed('material');
        });
    }

    private addSlider(slider: SliderDescription): void {
        const label = document.createElement('label');
        label.className = 'slider';
        label.title = slider.title;
        const input = document.createElement('input');
        const output = document.createElement('output');
        Object.assign(input, {type: 'range', min: '0', max: String(steps), name: slider.key});
        label.append(slider.label, output, input);
        input.addEventListener('input', () => {
            this.settings[slider.key] = fromWay(slider, Number(input.value));
            this.showValue(slider, this.settings[slider.key]!);
            this.actions.changed(slider.key);
        });
        this.inputs.set(slider.key, {input, output});
        element(slider.plasticity ? 'plasticity' : 'sliders').append(label);
    }

    /** A time or a yield that is not there: it never does so. */
    private showValue(slider: SliderDescription, value: number | undefined): void {
        const {input, output} = this.inputs.get(slider.key)!;
        output.value = value === undefined ? 'never' : slider.show(value);
        input.setAttribute('aria-valuetext', output.value);
    }

    fold(): void {
        const folded = element('panel').classList.toggle('folded');
        element('fold').setAttribute('aria-expanded', String(!folded));
    }

    listScenes(scenes: SceneEntry[]): void {
        element('scene').replaceChildren(...scenes.map(({name}) => new Option(readable(name), name)));
    }

    listModels(models: ModelEntry[]): void {
        this.models = models;
        this.modelControls.list(models);
    }

    /** The sliders show what the settings say, or else what the scene's first body is. */
    showScene(description: WorldDescription): void {
        element<HTMLSelectElement>('scene').value = this.settings.scene;
        element<HTMLSelectElement>('material').value = this.settings.material;
        element('about').textContent = description.description;
        const material = description.bodies[0]?.material;
        const own = {
            frequency: material?.frequency ?? 6, damping: material?.dampingRatio ?? 0.15,
            alpha: material?.alpha ?? 0.3, beta: material?.beta ?? 0.1,
            gravity: -description.gravity[1],
        };
        for (const slider of sliders) {
            const value = this.settings[slider.key] ?? (slider.plasticity
                ? material?.plasticity?.[slider.plasticity] : own[slider.key as keyof typeof own]);
            this.inputs.get(slider.key)!.input.value = String(toWay(slider, value ?? slider.high));
            this.showValue(slider, value);
        }
        this.showModel(description);
    }

    /** What the model of the scene's first body tells of it, by name. */
    showModel(description: WorldDescription): void {
        const body = description.bodies[0];
        const figure = (setting: string) => body?.figures.find(({name}) => name === setting)?.value;
        this.modelControls.show(readModel(this.settings.model, this.models), figure);
        element('keeps').textContent = body?.material.plasticity ? 'Keeps new shapes' : 'Springs back';
        element('model').textContent = body ? `Model: ${readable(body.model)}` : 'Model';
        element('figures').replaceChildren(...(body?.figures ?? []).map(({name, value, unit}) => {
            const line = document.createElement('div');
            const term = document.createElement('dt');
            const number = document.createElement('dd');
            term.textContent = readable(name);
            number.textContent = `${Number(value.toPrecision(4))} ${unit}`.trim();
            line.append(term, number);
            return line;
        }));
    }

    showPaused(paused: boolean): void {
        element('pause').setAttribute('aria-pressed', String(paused));
        element('pause').textContent = paused ? 'Go on' : 'Pause';
    }

    showState(state: WorldState, particles: number): void {
        const put = (name: string, text: string): void => {
            document.querySelector(`[data-readout=${name}]`)!.textContent = text;
        };
        put('volume', `${(100 * state.volumeError).toFixed(6)} %`);
        put('steps', state.stepsPerSecond.toFixed(0));
        put('milliseconds', state.stepMilliseconds.toFixed(2));
        put('particles', String(particles));
    }

    /** A sentence for a person, for as long as it takes to read. */
    say(sentence: string): void {
        const message = element('message');
        message.textContent = sentence;
        clearTimeout(this.hiding);
        this.hiding = window.setTimeout(() => (message.textContent = ''), 4000 + 60 * sentence.length);
    }

    private async share(): Promise<void> {
        const link = new URL(location.href);
        link.hash = settingsHash(this.settings);
        history.replaceState(null, '', link);
        try {
            await navigator.clipboard.writeText(link.href);
            this.say('The link is copied: it opens this scene with these settings.');
        } catch {
            const box = element<HTMLInputElement>('link');
            box.hidden = false;
            box.value = link.href;
            box.select();
            this.say('Copy the link from the box below the buttons.');
        }
    }
}
