import { withLock } from '../locks.js';
import { readRecords, writeRecords } from './records.js';
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

/** A key and its text; null removes the key. */
type Change = [string, string | null];
type Changes = Map<string, string | null>;

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

  const put = async ([key, text]: Change) => {
    if (text === null) await kv.removeItem(key);
    else await kv.setItem(key, text);
  };
  const applyJournal = async (changes: Changes) => {
    for (const change of changes) await put(change);
    await kv.removeItem(JOURNAL);
  };

  const commit = async (interrupted: Changes, changes: Changes) => {
    if (interrupted.size > 0) await applyJournal(interrupted);
    const [single, ...others] = changes;
    if (single === undefined || others.length === 0) return single && put(single);
    await kv.setItem(JOURNAL, writeRecords([JSON.stringify([...changes])]));
    // The transaction counts from here on, whatever fails: the next one reads the journal, and applies it.
    await applyJournal(changes).catch(() => {});
  };

  return {
    isShared,
    transact: (work) =>
      inTurn(() =>
        withLock(isShared && JOURNAL, async () => {
          const interrupted = readJournal(await kv.getItem(JOURNAL));
          const changes: Changes = new Map();
          const result = await work({
            get: async (key) => {
              const changed = changes.has(key) ? changes.get(key) : interrupted.get(key);
              return (changed === undefined ? await kv.getItem(key) : changed) ?? undefined;
            },
            set: (key, text) => void changes.set(key, text),
            delete: (key) => void changes.set(key, null),
          });
          // A transaction that only reads succeeds also where nothing can be written.
          if (changes.size > 0) await commit(interrupted, changes);
          return result;
        }),
      ),
  };
}

/**
 * A damaged journal counts for nothing: its transaction never ended, so nobody was told that it had. The queue notices where a part
 * of it was applied.
 */
function readJournal(stored: string | null): Changes {
  const [json] = readRecords(stored).records;
  return new Map(json === undefined ? [] : (JSON.parse(json) as Change[]));
}
