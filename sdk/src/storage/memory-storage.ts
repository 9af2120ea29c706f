import { createSerial, type SavepointStorage } from './storage.js';

/**
 * Keeps everything in memory: for tests and simulations, and the last resort where nothing else works.
 *
 * @example
 * ```ts
 * const savepoint = new Savepoint({ baseUrl, sign, storage: memoryStorage() });
 * ```
 */
export function memoryStorage(): SavepointStorage {
  const values = new Map<string, string>();
  const inTurn = createSerial();
  const tx = {
    get: async (key: string) => values.get(key),
    set: (key: string, text: string) => void values.set(key, text),
    delete: (key: string) => void values.delete(key),
  };
  return { transact: (work) => inTurn(() => work(tx)) };
}
