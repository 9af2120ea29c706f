import { createFifoMap } from './fifo-map.js';

export type KeptResults<Key, Value> = {
  /** What was made for the key a short while ago, or what `make` makes now. */
  get(key: Key, nowMs: number, make: () => Promise<Value>): Promise<Value>;
};

/** Remembers what is expensive to make for a while. What failed, or is not worth keeping, is made anew the next time. */
export function createKeptResults<Key, Value>({
  keptMs,
  maxKept,
  isWorthKeeping = () => true,
}: {
  keptMs: number;
  maxKept: number;
  isWorthKeeping?: (value: Value) => boolean;
}): KeptResults<Key, Value> {
  const kept = createFifoMap<Key, { madeAt: number; value: Promise<Value> }>();
  return {
    get(key, nowMs, make) {
      const known = kept.get(key);
      if (known !== undefined && nowMs - known.madeAt < keptMs) return known.value;
      const entry = { madeAt: nowMs, value: make() };
      kept.set(key, entry);
      if (kept.size > maxKept) kept.delete(kept.oldest()?.[0] ?? key);
      const forget = () => {
        if (kept.get(key) === entry) kept.delete(key);
      };
      entry.value.then((value) => {
        if (!isWorthKeeping(value)) forget();
      }, forget);
      return entry.value;
    },
  };
}
