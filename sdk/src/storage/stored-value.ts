import { readRecords, writeRecords } from './records.js';
import type { SavepointStorage, Transaction } from './storage.js';

type Place<T> = {
  /** The value is kept under each of these. Two, for a value that nothing can replace. */
  keys: readonly string[];
  isValid(value: unknown): value is T;
};

export type Copies<T> = {
  /** The value is undefined where there is none, or no copy of it is sound. */
  load(tx: Transaction): Promise<{ value: T | undefined; isDamaged: boolean }>;
  save(tx: Transaction, value: T | undefined): void;
};

/** A value with a checksum, within a transaction. */
export function createCopies<T>({ keys, isValid }: Place<T>): Copies<T> {
  const parse = (stored: unknown): T | undefined => {
    const [json] = readRecords(stored).records;
    const value: unknown = json === undefined ? undefined : JSON.parse(json);
    return isValid(value) ? value : undefined;
  };

  return {
    async load(tx) {
      const copies: unknown[] = [];
      for (const key of keys) copies.push(await tx.get(key));
      const value = copies.map(parse).find((copy) => copy !== undefined);
      // Copies are written together. Where they differ, one of them is damaged or old.
      const isDamaged =
        copies.some((copy) => copy !== copies[0]) || (copies[0] !== undefined && value === undefined);
      return { value, isDamaged };
    },
    save(tx, value) {
      for (const key of keys) {
        if (value === undefined) tx.delete(key);
        else tx.set(key, writeRecords([JSON.stringify(value)]));
      }
    },
  };
}

type Options<T> = Place<T> & {
  storage: SavepointStorage;
  /** What was stored is damaged. A copy may have replaced it. */
  onDamaged(): void;
};

export type StoredValue<T> = {
  /** Undefined where there is none, or no copy of it is sound. */
  read(): Promise<T | undefined>;
  write(value: T): Promise<void>;
  /** Stores what `change` makes of the value, and returns it. */
  update(change: (value: T | undefined) => T): Promise<T>;
  forget(): Promise<void>;
};

/** A value with a checksum. Damage is reported once, because the value is then stored anew or removed. */
export function createStoredValue<T>(options: Options<T>): StoredValue<T> {
  const { storage, onDamaged } = options;
  const { load, save } = createCopies(options);

  const replace = async <R extends T | undefined>(change: (value: T | undefined) => R): Promise<R> => {
    const { value, isDamaged } = await storage.transact(async (tx) => {
      const loaded = await load(tx);
      const next = change(loaded.value);
      if (loaded.isDamaged || next !== loaded.value) save(tx, next);
      return { value: next, isDamaged: loaded.isDamaged };
    });
    if (isDamaged) onDamaged();
    return value;
  };

  return {
    read: () => replace((value) => value),
    write: (value) => storage.transact(async (tx) => save(tx, value)),
    update: (change) => replace(change),
    forget: () => storage.transact(async (tx) => save(tx, undefined)),
  };
}
