import { SavepointError } from '../errors.js';
import { indexedDbStorage } from './indexed-db-storage.js';
import { keyValueStorage } from './key-value-storage.js';
import { memoryStorage } from './memory-storage.js';
import { standInStorage } from './stand-in-storage.js';
import type { SavepointStorage } from './storage.js';

/** The storage that the game has given, else IndexedDB, else localStorage, else memory: the first that works. */
export function createStorage(
  given: SavepointStorage | undefined,
  report: (error: SavepointError) => void,
): SavepointStorage {
  if (given !== undefined) return firstWorking([() => given, memoryStorage], report);
  const candidates: (() => SavepointStorage)[] = [];
  if (typeof indexedDB !== 'undefined') candidates.push(() => indexedDbStorage());
  // Not in Node, which warns of any access to localStorage.
  if (typeof document !== 'undefined') {
    candidates.push(() => keyValueStorage(localStorage, { isShared: true }));
  }
  candidates.push(memoryStorage);
  return firstWorking(candidates, report);
}

/**
 * Goes on to the next storage when one fails: private windows and full disks refuse a storage that exists. Where what it holds can
 * still be read, memory stands in for it instead, and what it holds is sent.
 */
export function firstWorking(
  candidates: (() => SavepointStorage)[],
  report: (error: SavepointError) => void,
): SavepointStorage {
  let current: SavepointStorage | undefined;
  const use = () => {
    current ??= candidates[0]?.() ?? memoryStorage();
    return current;
  };
  const replace = async (failed: SavepointStorage | undefined, cause: unknown) => {
    if (candidates.length < 2) throw cause;
    const isStandIn = failed?.outage !== undefined;
    const isReadable = failed !== undefined && !isStandIn && (await canRead(failed));
    // Another transaction has gone on already.
    if (current !== failed) return;
    if (!isReadable) candidates.shift();
    current = isReadable ? standInStorage(failed, () => (current = failed)) : undefined;
    const message = isReadable
      ? 'The storage refuses writes; memory is used until it takes them.'
      : 'The storage failed; the next kind is used.';
    report(new SavepointError('storage_failed', message, { cause }));
  };

  return {
    get isShared() {
      return current?.isShared ?? candidates.length > 1;
    },
    get outage() {
      return current?.outage;
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
        let used: SavepointStorage | undefined;
        try {
          used = use();
          return await used.transact(work, durable);
        } catch (cause) {
          await replace(used, cause);
        }
      }
    },
  };
}

function canRead(storage: SavepointStorage): Promise<boolean> {
  return storage
    .transact((tx) => tx.get(''))
    .then(
      () => true,
      () => false,
    );
}
