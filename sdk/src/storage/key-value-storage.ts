import { withLock } from '../locks.js';
import { createSerial, type SavepointStorage } from './storage.js';

/**
 * What `localStorage` and React Native's `AsyncStorage` have in common.
 *
 * @example
 * ```ts
 * const kv: KeyValue = AsyncStorage;
 * ```
 */
export type KeyValue = {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
};

/** Writes of a transaction that is being applied; after a crash the next transaction applies them again. */
const JOURNAL = 'savepoint!journal';

/**
 * A storage on top of anything that keeps texts by key. Each transaction is kept as a whole or not at all, also when the process
 * is killed in the middle. `isShared` for one that several tabs use: they take turns with Web Locks. In a browser without
 * Web Locks give each tab a storage of its own.
 *
 * @example
 * ```ts
 * import AsyncStorage from '@react-native-async-storage/async-storage';
 * const storage = keyValueStorage(AsyncStorage);
 * ```
 */
export function keyValueStorage(kv: KeyValue, { isShared = false } = {}): SavepointStorage {
  const inTurn = createSerial();

  const apply = async (changes: [string, unknown][]) => {
    for (const [key, value] of changes) {
      if (value === undefined || value === null) await kv.removeItem(key);
      else await kv.setItem(key, JSON.stringify(value));
    }
  };
  const applyJournal = async () => {
    const journal = await kv.getItem(JOURNAL);
    if (journal === null) return;
    await apply(JSON.parse(journal));
    await kv.removeItem(JOURNAL);
  };

  return {
    isShared,
    transact: (work) =>
      inTurn(() =>
        withLock(isShared && JOURNAL, async () => {
          await applyJournal();
          const changes = new Map<string, unknown>();
          const result = await work({
            get: async (key) => {
              if (changes.has(key)) return changes.get(key);
              const text = await kv.getItem(key);
              return text === null ? undefined : JSON.parse(text);
            },
            set: (key, value) => void changes.set(key, value),
            delete: (key) => void changes.set(key, undefined),
          });
          const list = [...changes];
          if (list.length > 1) await kv.setItem(JOURNAL, JSON.stringify(list));
          await apply(list);
          if (list.length > 1) await kv.removeItem(JOURNAL);
          return result;
        }),
      ),
  };
}
