/** What a link keeps. Numbers that are not there are the scene's. */
export interface Settings {
    scene: string;
    material: string;
    frequency?: number;
    damping?: number;
    alpha?: number;
    beta?: number;
    gravity?: number;
    speed: number;
}

export const defaultSettings: Settings = {scene: 'gummy_bears', material: '', speed: 1};

/** The sliders, with what they show and keep. */
export interface SliderDescription {
    key: 'frequency' | 'damping' | 'alpha' | 'beta' | 'gravity' | 'speed';
    label: string;
    title: string;
    low: number;
    high: number;
    /** Equal ways of the slider are equal ratios. */
    logarithmic?: boolean;
    show(value: number): string;
}

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
