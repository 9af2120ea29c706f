import { SavepointError } from '../errors.js';
import { indexedDbStorage } from './indexed-db-storage.js';
import { keyValueStorage } from './key-value-storage.js';
import { memoryStorage } from './memory-storage.js';
import type { SavepointStorage } from './storage.js';

/** IndexedDB, else localStorage, else memory: the first that this platform has and allows. */
export function defaultStorage(report: (error: SavepointError) => void): SavepointStorage {
  const candidates: (() => SavepointStorage)[] = [];
  if (typeof indexedDB !== 'undefined') candidates.push(() => indexedDbStorage());
  // Not in Node, which warns of any access to localStorage.
  if (typeof document !== 'undefined') {
    candidates.push(() => keyValueStorage(localStorage, { isShared: true }));
  }
  candidates.push(memoryStorage);
  return firstWorking(candidates, report);
}

/** Goes on to the next storage when one fails: private windows and full disks refuse a storage that exists. */
export function firstWorking(
  candidates: (() => SavepointStorage)[],
  report: (error: SavepointError) => void,
): SavepointStorage {
  let current: SavepointStorage | undefined;
  const use = () => {
    current ??= candidates[0]?.() ?? memoryStorage();
    return current;
  };
  return {
    get isShared() {
      return current?.isShared ?? candidates.length > 1;
    },
    async identity() {
      try {
        return (await use().identity?.()) ?? '';
      } catch {
        // The transaction that follows goes on to the next storage.
        return '';
      }
    },
    async transact(work, durable) {
      for (;;) {
        const count = candidates.length;
        try {
          return await use().transact(work, durable);
        } catch (cause) {
          if (count < 2) throw cause;
          // Unless another transaction has gone on already.
          if (candidates.length < count) continue;
          candidates.shift();
          current = undefined;
          report(
            new SavepointError('storage_failed', 'The storage failed; the next kind is used.', { cause }),
          );
        }
      }
    },
  };
}
