/** What kind of thing went wrong; the numbers are those of turgor::ErrorCode. */
export const errorCodes = [
    'none', 'bad_argument', 'bad_file', 'bad_mesh', 'bad_scene', 'io', 'bad_snapshot',
    'failed', 'missing', 'out_of_memory',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Thrown, or what a promise is rejected with, by everything here that can fail. `message` is one sentence. */
export class TurgorError extends Error {
    readonly code: ErrorCode;

    constructor(code: ErrorCode, sentence: string) {
        super(sentence);
        this.name = 'TurgorError';
        this.code = code;
    }
}
