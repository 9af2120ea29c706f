import type { Clock } from './clock.js';
import { createFifoMap } from './fifo-map.js';

export type TtlCache<Key, Value> = {
  /** What was made for the key a short while ago or is being made, or what `make` makes now. */
  get(key: Key, make: () => Promise<Value>): Promise<Value>;
};

type Kept<Value> = {
  readonly value: Promise<Value>;
  /** Undefined while the result is made: other callers wait for the same result. */
  keptUntil: number | undefined;
};

/**
 * Remembers what is expensive to make for a while after it was made. What failed, or is not worth keeping, is made anew the next
 * time.
 */
export function createTtlCache<Key, Value>({
  clock,
  keptMs,
  maxKept,
  isWorthKeeping = () => true,
}: {
  clock: Clock;
  keptMs: number;
  maxKept: number;
  isWorthKeeping?: (value: Value) => boolean;
}): TtlCache<Key, Value> {
  const kept = createFifoMap<Key, Kept<Value>>();
  return {
    get(key, make) {
      const known = kept.get(key);
      if (known !== undefined && (known.keptUntil === undefined || clock.now() < known.keptUntil)) {
        return known.value;
      }
      const entry: Kept<Value> = { value: make(), keptUntil: undefined };
      kept.set(key, entry);
      if (kept.size > maxKept) kept.delete(kept.oldest()?.[0] ?? key);
      const forget = () => {
        if (kept.get(key) === entry) kept.delete(key);
      };
      entry.value.then((value) => {
        if (isWorthKeeping(value)) entry.keptUntil = clock.now() + keptMs;
        else forget();
      }, forget);
      return entry.value;
    },
  };
}
