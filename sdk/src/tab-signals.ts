/** Tells the other tabs of the browser that something was changed, by the storage events of localStorage. */
export function createTabSignals(prefix: string, onSignal: (what: string) => void) {
  const key = `${prefix}signal`;
  const hear = (event: StorageEvent) => {
    if (event.key === key && event.newValue !== null) onSignal(event.newValue.split('|')[0] as string);
  };
  const isWindow = typeof document !== 'undefined' && typeof addEventListener === 'function';
  if (isWindow) addEventListener('storage', hear);
  return {
    send(what: string): void {
      try {
        // A new value each time: setting the same value again causes no event.
        if (isWindow) localStorage.setItem(key, `${what}|${Math.random()}`);
      } catch {
        // Storage is forbidden or full: the other tabs will notice with their next request.
      }
    },
    close(): void {
      if (isWindow) removeEventListener('storage', hear);
    },
  };
}
