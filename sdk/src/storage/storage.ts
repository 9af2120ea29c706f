/**
 * Reads and writes of one transaction. Await nothing but `get` in it: an IndexedDB transaction ends as soon as it has nothing to do.
 *
 * @example
 * ```ts
 * const count = async (tx: Transaction) => {
 *   const next = Number((await tx.get('count')) ?? 0) + 1;
 *   tx.set('count', `${next}`);
 *   return next;
 * };
 * ```
 */
export type Transaction = {
  /** The text kept under the key; undefined where there is none. The client checks it: it may be damaged, or anything else. */
  get(key: string): Promise<unknown>;
  set(key: string, text: string): void;
  delete(key: string): void;
};

/**
 * Where the client keeps the session, the queue of events and the last responses. Give your own for a platform that has none of
 * the built-in ones; most are a {@link KeyValue} and need only `keyValueStorage`.
 *
 * @example
 * ```ts
 * const savepoint = new Savepoint({ baseUrl, sign, storage: keyValueStorage(AsyncStorage) });
 * ```
 */
export type SavepointStorage = {
  /**
   * Runs `work` isolated from other transactions, and keeps all of its writes or none of them. `durable` asks for a write that also
   * survives a power cut, where that costs extra.
   */
  transact<T>(work: (tx: Transaction) => Promise<T>, durable?: boolean): Promise<T>;
  /** Whether other tabs or workers of the browser use it too. */
  readonly isShared?: boolean;
  /** Changes when the storage was copied to another place. Where a platform can tell, copies are noticed at once. */
  identity?(): Promise<string>;
  /** Names the memory that stands in for a storage that refuses writes: what is written now may be lost with the process. */
  readonly outage?: string | undefined;
};

/** Runs one after the other, also after a failure. */
export function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work, work);
    last = run.catch(() => {});
    return run;
  };
}
