import type { SavepointStorage, Transaction } from './storage.js';

const STORE = 'kv';

/**
 * Keeps everything in one IndexedDB database of the page's origin. This is the default in browsers. Its transactions are
 * serial across tabs, so tabs share one queue without further locks.
 *
 * @example
 * ```ts
 * const savepoint = new Savepoint({ baseUrl, sign, storage: indexedDbStorage('my-game') });
 * ```
 */
export function indexedDbStorage(name = 'savepoint'): SavepointStorage {
  let opening: Promise<IDBDatabase> | undefined;
  const forget = () => {
    opening = undefined;
  };
  const open = () => {
    opening ??= openDatabase(name, forget);
    opening.catch(forget);
    return opening;
  };

  return {
    isShared: true,
    async transact(work, durable) {
      const options = { durability: durable ? 'strict' : 'relaxed' } as const;
      const begin = async () => (await open()).transaction(STORE, 'readwrite', options);
      // Browsers close connections of pages that slept: the second try opens a new one.
      const transaction = await begin().catch(() => {
        forget();
        return begin();
      });
      return run(transaction, work);
    },
  };
}

function openDatabase(name: string, onClosed: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onerror = request.onblocked = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = onClosed;
      database.onversionchange = () => {
        database.close();
        onClosed();
      };
      resolve(database);
    };
  });
}

function run<T>(transaction: IDBTransaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const store = transaction.objectStore(STORE);
  return new Promise((resolve, reject) => {
    let result: T;
    let failure: unknown;
    transaction.oncomplete = () => resolve(result);
    transaction.onabort = () => reject(failure ?? transaction.error);
    work({
      get: (key) =>
        new Promise((found, failed) => {
          const request = store.get(key);
          request.onsuccess = () => found(request.result);
          request.onerror = () => failed(request.error);
        }),
      set: (key, text) => void store.put(text, key),
      delete: (key) => void store.delete(key),
    }).then(
      (value) => {
        result = value;
        // Commits at once, not when the page is next idle: the page may be about to close.
        transaction.commit?.();
      },
      (error) => {
        failure = error;
        transaction.abort();
      },
    );
  });
}
