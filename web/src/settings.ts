import type {Plasticity} from 'turgor-web';

/** What a link keeps. Numbers that are not there are the scene's. */
export interface Settings {
    scene: string;
    material: string;
    frequency?: number;
    damping?: number;
    alpha?: number;
    beta?: number;
    gravity?: number;
    yield?: number;
    flow?: number;
    creep?: number;
    healing?: number;
    cap?: number;
    hardening?: number;
    speed: number;
    /** "meshless:mode=linear"; not there: as the scene says. */
    model?: string;
}

export const defaultSettings: Settings = {scene: 'gummy_bears', material: '', speed: 1};

/** The sliders, with what they show and keep. */
export interface SliderDescription {
    key: Exclude<keyof Settings, 'scene' | 'material' | 'model'>;
    /** What it is called in the plasticity of a material, if it is about that. */
    plasticity?: keyof Plasticity;
    label: string;
    title: string;
    low: number;
    high: number;
    /** Equal ways of the slider are equal ratios. */
    logarithmic?: boolean;
    show(value: number): string;
}

const seconds = (v: number): string => `${Number(v.toPrecision(2))} s`;

export const sliders: SliderDescription[] = [
    {key: 'frequency', label: 'Firmness', title: 'How fast a body of one metre wobbles',
     low: 1, high: 30, logarithmic: true, show: (v) => `${v.toFixed(1)} Hz`},
    {key: 'damping', label: 'Damping',
     title: 'Share of critical damping: 0 rings on, 1 comes back without overshooting',
     low: 0, high: 1, show: (v) => v.toFixed(2)},
    {key: 'alpha', label: 'Bulging', title: 'α: 0 bulges next to the squeeze, 1 everywhere alike',
     low: 0, high: 1, show: (v) => v.toFixed(2)},
    {key: 'beta', label: 'Thickness', title: 'β: how much the thickness counts when that is decided',
     low: 0, high: 1, show: (v) => v.toFixed(2)},
    {key: 'gravity', label: 'Gravity', title: 'Downwards; negative lets things rise',
     low: -5, high: 25, show: (v) => `${v.toFixed(1)} m/s²`},
    {key: 'yield', plasticity: 'yield', label: 'Yields at',
     title: 'Up to this strain it springs back, beyond it flows; 0.1: stretched by a tenth',
     low: 0, high: 1, show: (v) => `strain ${v.toFixed(2)}`},
    {key: 'flow', plasticity: 'flowTime', label: 'Flows in', title: 'How fast the strain beyond the yield is kept',
     low: 1e-3, high: 10, logarithmic: true, show: seconds},
    {key: 'creep', plasticity: 'creepTime', label: 'Creeps in', title: 'How fast all strain is kept, however small',
     low: 1e-2, high: 1000, logarithmic: true, show: seconds},
    {key: 'healing', plasticity: 'healingTime', label: 'Heals in', title: 'How fast it forgets what it keeps',
     low: 1e-2, high: 1000, logarithmic: true, show: seconds},
    {key: 'cap', plasticity: 'cap', label: 'Keeps at most',
     title: 'The largest strain that it keeps; 1.4: four times as long',
     low: 0, high: 1.5, show: (v) => `strain ${v.toFixed(2)}`},
    {key: 'hardening', plasticity: 'hardening', label: 'Hardens', title: 'How much the yield grows with what it keeps',
     low: 0, high: 10, show: (v) => v.toFixed(1)},
    {key: 'speed', label: 'Speed', title: 'Slow motion', low: 0.05, high: 1, show: (v) => `${v.toFixed(2)}×`},
];

function numberIn(text: string | null, low: number, high: number): number | undefined {
    const value = text === null || text.trim() === '' ? NaN : Number(text);
    return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : undefined;
}

/** Reads the part of an address after '#'; what it does not say, or says wrongly, is the default. */
export function readSettings(hash: string): Settings {
    const given = new URLSearchParams(hash.replace(/^#/, ''));
    const settings: Settings = {...defaultSettings};
    settings.scene = given.get('scene') ?? settings.scene;
    if (/^(jelly|gummy|rubber|flesh|clay|dough|metal|foam)$/.test(given.get('material') ?? ''))
        settings.material = given.get('material')!;
    settings.model = given.get('model') ?? undefined;
    for (const {key, low, high} of sliders) {
        const value = numberIn(given.get(key), low, high);
        if (value !== undefined) settings[key] = value;
    }
    return settings;
}

/** Only what differs from the default. */
export function settingsHash(settings: Settings): string {
    const given = new URLSearchParams();
    for (const [key, value] of Object.entries(settings)) {
        if (value === undefined || value === defaultSettings[key as keyof Settings]) continue;
        given.set(key, typeof value === 'number' ? String(Number(value.toPrecision(4))) : value);
    }
    const text = given.toString();
    return text === '' ? '' : `#${text}`;
}
