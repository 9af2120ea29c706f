import type { PlayerDay } from './player-facts.js';

/**
 * Sums over a player's last days, in the form CEL takes: an int is a BigInt, a double is a number. A window is summed up
 * when it is first asked for. The classes are CEL types: `rule-environment.ts` registers them with their fields.
 */

export type Days = Readonly<{ rows: readonly PlayerDay[]; today: number }>;
type Read = (day: PlayerDay, key: string) => number;

class Windows {
  readonly #days: Days;
  readonly #read: Read;
  readonly #key: string;

  constructor(days: Days, read: Read, key = '') {
    this.#days = days;
    this.#read = read;
    this.#key = key;
  }

  /** Over today and the days before it. */
  sum(length: number): number {
    const { rows, today } = this.#days;
    let sum = 0;
    for (const row of rows) {
      if (row.epochDay <= today && row.epochDay > today - length) sum += this.#read(row, this.#key);
    }
    return sum;
  }
}

export class Counts {
  readonly #total: number;
  readonly #windows: Windows;
  #last7d: bigint | undefined;
  #last28d: bigint | undefined;

  constructor(total: number, days: Days, read: Read, key?: string) {
    this.#total = total;
    this.#windows = new Windows(days, read, key);
  }

  get total(): bigint {
    return BigInt(this.#total);
  }

  get last7d(): bigint {
    this.#last7d ??= BigInt(this.#windows.sum(7));
    return this.#last7d;
  }

  get last28d(): bigint {
    this.#last28d ??= BigInt(this.#windows.sum(28));
    return this.#last28d;
  }
}

export class WindowCounts {
  readonly #windows: Windows;
  readonly #unit: number;
  #last7d: bigint | undefined;
  #last28d: bigint | undefined;

  constructor(days: Days, read: Read, unit: number) {
    this.#windows = new Windows(days, read);
    this.#unit = unit;
  }

  get last7d(): bigint {
    this.#last7d ??= BigInt(Math.floor(this.#windows.sum(7) / this.#unit));
    return this.#last7d;
  }

  get last28d(): bigint {
    this.#last28d ??= BigInt(Math.floor(this.#windows.sum(28) / this.#unit));
    return this.#last28d;
  }
}

export class Amounts {
  readonly total: number;
  readonly #windows: Windows;
  #last7d: number | undefined;
  #last28d: number | undefined;

  constructor(total: number, days: Days, read: Read, key: string) {
    this.total = total;
    this.#windows = new Windows(days, read, key);
  }

  get last7d(): number {
    this.#last7d ??= withoutDust(this.#windows.sum(7));
    return this.#last7d;
  }

  get last28d(): number {
    this.#last28d ??= withoutDust(this.#windows.sum(28));
    return this.#last28d;
  }
}

/** 0.1 + 0.2 is 0.3 to whoever wrote the rule: sums are rounded to the six decimals that a price can have. */
function withoutDust(sum: number): number {
  return Math.round(sum * 1e6) / 1e6;
}

/**
 * A map that has a value for every key, made when it is first asked for: a rule about an event that never came reads 0
 * instead of failing.
 */
export class LazyMap<Value> extends Map<string, Value> {
  readonly #make: (key: string) => Value;

  constructor(make: (key: string) => Value) {
    super();
    this.#make = make;
  }

  override get(key: string): Value {
    let found = super.get(key);
    if (found === undefined) {
      found = this.#make(key);
      this.set(key, found);
    }
    return found;
  }
}

// The CEL library takes a value for a map only if its constructor is the plain one.
Object.defineProperty(LazyMap.prototype, 'constructor', { value: Map });
