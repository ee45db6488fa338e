import type {Model, ModelEntry, ModelSetting} from 'turgor-web';

/** A model with what was set by hand: numbers, or words of choices. What is not there is automatic. */
export interface ChosenModel {
    name: string;
    settings: Record<string, string>;
}

/** As a link and the command line have it: "meshless:mode=linear,beta=0.5". */
export function modelText({name, settings}: ChosenModel): string {
    const pairs = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
    return pairs.length > 0 ? `${name}:${pairs.join()}` : name;
}

function isPossible({choices, least, most, whole}: ModelSetting, value: string): boolean {
    if (choices.length > 0) return choices.includes(value);
    const number = Number(value);
    return value.trim() !== '' && number >= least && number <= most && (!whole || Number.isInteger(number));
}

/** What of the text makes sense; nothing where there is no such model. */
export function readModel(text: string | undefined, models: readonly ModelEntry[]): ChosenModel | undefined {
    const [name = '', pairs = ''] = (text ?? '').split(':');
    const known = models.find((model) => model.name === name);
    if (!known) return undefined;
    const given = pairs.split(',').map((pair) => pair.split('=') as [string, string | undefined]);
    const possible = given.filter(([key, value]) => {
        const setting = known.settings.find((candidate) => candidate.name === key);
        return setting !== undefined && value !== undefined && isPossible(setting, value);
    });
    return {name, settings: Object.fromEntries(possible) as Record<string, string>};
}

/** As the package and scene files have it. */
export function asModel({name, settings}: ChosenModel): Model {
    const values = Object.entries(settings).map(([key, value]) =>
        [key, Number.isNaN(Number(value)) ? value : Number(value)]);
    return {[name]: Object.fromEntries(values)} as unknown as Model;
}

const steps = 1000;  // of a slider
const readable = (name: string): string => name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());
const isWide = ({least, most}: ModelSetting): boolean => least > 0 && most > 100 * least;
const toWay = (setting: ModelSetting, value: number): number => steps * (isWide(setting)
    ? Math.log(value / setting.least) / Math.log(setting.most / setting.least)
    : (value - setting.least) / (setting.most - setting.least));
const fromWay = (setting: ModelSetting, way: number): number => {
    const {least, most, whole} = setting;
    const value = isWide(setting) ? least * (most / least) ** (way / steps) : least + (most - least) * way / steps;
    return whole ? Math.round(value) : Number(value.toPrecision(3));
};

/** Controls of whatever models there are, and whatever settings they have, by name. */
export class ModelControls {
    private models: readonly ModelEntry[] = [];
    private chosen: ChosenModel | undefined;

    /** `changed` gets undefined where it is to be as the scene says. */
    constructor(private readonly select: HTMLSelectElement, private readonly place: HTMLElement,
        private readonly changed: (chosen: ChosenModel | undefined) => void) {
        select.addEventListener('change', () => changed(readModel(select.value, this.models)));
    }

    list(models: readonly ModelEntry[]): void {
        this.models = models;
        const options = models.map(({name}) => new Option(readable(name), name));
        this.select.replaceChildren(new Option('as in the scene', ''), ...options);
    }

    /** `inUse` says what a body's model uses of a setting, if that is known. */
    show(chosen: ChosenModel | undefined, inUse: (setting: string) => number | undefined): void {
        this.chosen = chosen;
        this.select.value = chosen?.name ?? '';
        const model = this.models.find(({name}) => name === chosen?.name);
        this.select.title = model?.description ?? '';
        this.place.replaceChildren(...(model?.settings ?? []).map((setting) =>
            setting.choices.length > 0 ? this.choice(setting) : this.slider(setting, inUse(setting.name))));
    }

    private set(name: string, value: string | undefined): void {
        const {[name]: _before, ...others} = this.chosen!.settings;
        const settings = value === undefined ? others : {...others, [name]: value};
        this.changed({name: this.chosen!.name, settings});
    }

    private choice({name, choices, description}: ModelSetting): HTMLElement {
        const label = document.createElement('label');
        const select = document.createElement('select');
        const span = document.createElement('span');
        label.className = 'field';
        label.title = description;
        span.textContent = readable(name);
        select.name = name;
        select.replaceChildren(new Option('automatic', ''), ...choices.map((choice) => new Option(choice)));
        select.value = this.chosen!.settings[name] ?? '';
        select.addEventListener('change', () => this.set(name, select.value || undefined));
        label.append(span, select);
        return label;
    }

    private slider(setting: ModelSetting, used: number | undefined): HTMLElement {
        const {name, description, least} = setting;
        const set = this.chosen!.settings[name];
        const row = document.createElement('div');
        const label = document.createElement('label');
        const input = document.createElement('input');
        const output = document.createElement('output');
        const automatic = document.createElement('button');
        row.className = 'setting';
        label.className = 'slider';
        label.title = description;
        const shown = set === undefined ? used : Number(set);
        const usual = used === undefined ? 'automatic' : `automatic: ${Number(used.toPrecision(3))}`;
        Object.assign(input, {type: 'range', min: '0', max: String(steps), name});
        input.value = String(toWay(setting, Math.max(least, shown ?? least)));
        output.value = set ?? usual;
        input.addEventListener('input', () => (output.value = String(fromWay(setting, Number(input.value)))));
        input.addEventListener('change', () => this.set(name, String(fromWay(setting, Number(input.value)))));
        Object.assign(automatic, {type: 'button', textContent: 'automatic', disabled: set === undefined});
        automatic.setAttribute('aria-label', `${readable(name)}: automatic`);
        automatic.addEventListener('click', () => this.set(name, undefined));
        label.append(readable(name), output, input);
        row.append(label, automatic);
        return row;
    }
}
