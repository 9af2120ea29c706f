import { isPage, listen } from './page-changes.js';

/** Tells the other tabs of the browser that something was changed, by the storage events of localStorage. */
export type TabSignals = {
  send(what: string): void;
  /** Returns a function that stops it. */
  listen(onSignal: (what: string) => void): () => void;
};

export function createTabSignals(prefix: string): TabSignals {
  const key = `${prefix}signal`;
  return {
    send(what) {
      try {
        // A new value each time: setting the same value again causes no event.
        if (isPage()) localStorage.setItem(key, `${what}|${Math.random()}`);
      } catch {
        // Storage is forbidden or full: the other tabs will notice with their next request.
      }
    },
    listen: (onSignal) =>
      listen('storage', ({ key: changed, newValue }: StorageEvent) => {
        if (changed === key && newValue !== null) onSignal(newValue.split('|')[0] as string);
      }),
  };
}
