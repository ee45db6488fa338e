import {element} from './panel.js';

/** The largest file that is taken, in bytes: what is larger would take minutes and most of a tab's memory. */
const largest = 64 * 2 ** 20;

export async function readMesh(file: File): Promise<ArrayBuffer> {
    if (file.size > largest)
        throw new Error(`${file.name} has ${(file.size / 2 ** 20).toFixed(0)} MB; ` +
            `up to ${largest / 2 ** 20} MB can be opened here.`);
    try {
        return await file.arrayBuffer();
    } catch {
        throw new Error(`${file.name} cannot be read; if it is a folder, drop the mesh inside it.`);
    }
}

/** Takes files that are dropped anywhere on the page. */
export function listenToDrops(take: (file: File) => void): void {
    let depth = 0;  // entering a child comes before leaving its parent
    const show = (change: number): void => {
        depth = Math.max(0, depth + change);
        element('dropzone').hidden = depth === 0;
    };
    addEventListener('dragenter', (event) => {
        event.preventDefault();
        show(1);
    });
    addEventListener('dragleave', () => show(-1));
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
        event.preventDefault();
        show(-depth);
        for (const file of event.dataTransfer?.files ?? []) take(file);
    });
}
