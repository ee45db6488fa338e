/** What keys do, unless they mean something where the focus is. */
export type KeyActions = Record<string, () => void>;

const takesKeys = (target: EventTarget | null, key: string): boolean => {
    if (!(target instanceof HTMLElement)) return false;
    if (target.matches('input, select, textarea')) return true;
    return key === ' ' && target.matches('button, summary, a');
};

export function listenToKeys(actions: KeyActions): void {
    addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event.target, event.key)) return;
        const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!action) return;
        event.preventDefault();
        if (!event.repeat || event.key.startsWith('Arrow')) action();
    });
}
