import type {Frame, Layout} from './engine.js';

/** The longest time that one picture stands for [s]; after a longer pause the world goes on where it was. */
const longestPicture = 0.25;

/**
 * The frames around the moment that is shown. That moment follows the clock as long as there are frames for it, and
 * waits where there are none yet: a world that is too slow for its time slows down instead of falling behind.
 */
export class Playback {
    timeScale = 1;
    private frames: Frame[] = [];
    private spare: ArrayBuffer[] = [];
    private shown = 0;
    private picture = 0;

    constructor(private readonly dt: number) {}

    get time(): number {
        return this.shown;
    }
    get newest(): Frame | undefined {
        return this.frames.at(-1);
    }

    /** Forgets all frames; the next one is shown at once. */
    reset(): void {
        for (const frame of this.frames) this.recycle(frame);
        this.frames = [];
    }

    add(frame: Frame): void {
        if (this.frames.length === 0) this.shown = frame.time;
        this.frames.push(frame);
    }

    recycle(frame: Frame): void {
        if (this.spare.length < 4) this.spare.push(frame.numbers.buffer as ArrayBuffer);
    }

    /** A buffer of an old frame, to be filled again. */
    takeBuffer(): ArrayBuffer | undefined {
        return this.spare.pop();
    }

    /** Time passes [s]. */
    advance(seconds: number): void {
        this.picture = Math.min(Math.max(seconds, 0), longestPicture) * this.timeScale;
        this.shown = Math.min(this.shown + this.picture, this.newest?.time ?? this.shown);
        while (this.frames.length > 2 && this.frames[1]!.time <= this.shown) this.recycle(this.frames.shift()!);
    }

    /** How many steps are needed for the next two pictures. */
    stepsWanted(): number {
        const missing = this.shown + 2 * this.picture - (this.newest?.time ?? 0);
        return Math.ceil(missing / this.dt - 1e-9);
    }

    /** Shows the newest frame, whatever the clock says. */
    catchUp(): void {
        this.shown = this.newest?.time ?? this.shown;
        while (this.frames.length > 1) this.recycle(this.frames.shift()!);
    }

    /** The numbers of the moment that is shown, between those of the frames around it. */
    read(layout: Layout, to: Float32Array): boolean {
        const [first, second] = this.frames;
        if (!first || first.layout !== layout.number) return false;
        if (!second || second.numbers.length !== first.numbers.length) {
            to.set(first.numbers);
            return true;
        }
        const share = Math.min(1, Math.max(0, (this.shown - first.time) / (second.time - first.time)));
        const a = first.numbers;
        const b = second.numbers;
        for (let i = 0; i < to.length; ++i) to[i] = a[i]! + share * (b[i]! - a[i]!);
        return true;
    }
}
