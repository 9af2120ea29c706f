/** Pseudorandom numbers that depend only on their keys. */
export type Random = () => number;

/**
 * Numbers from 0 to 1, without the 1. The same keys give the same numbers, on every machine and in every version of Node: sfc32, by
 * Chris Doty-Humphrey, started with a hash of the keys.
 */
export function randomFrom(...keys: readonly number[]): Random {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = 0xb7e15162;
  for (const key of keys) {
    // Both halves of a number up to 2^53.
    for (const half of [key | 0, Math.floor(key / 2 ** 32) | 0]) {
      a = scramble(a ^ half);
      b = scramble(b + a);
      c = scramble(c ^ b);
    }
  }
  let counter = 1;
  const next = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 2 ** 32;
  };
  // The first numbers still resemble their keys.
  for (let i = 0; i < 12; i++) next();
  return next;
}

function scramble(x: number): number {
  let y = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  y = Math.imul(y ^ (y >>> 15), 0x735a2d97);
  return y ^ (y >>> 15);
}

export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}

/** A whole number from 0 to `count - 1`. */
export function below(random: Random, count: number): number {
  return Math.floor(random() * count);
}

/** One of the entries, each as often as its weight says. */
export function pick<T extends { weight: number }>(random: Random, entries: readonly T[]): T {
  let at = random() * entries.reduce((sum, { weight }) => sum + weight, 0);
  for (const entry of entries) {
    at -= entry.weight;
    if (at < 0) return entry;
  }
  return entries.at(-1) as T;
}

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function exponential(random: Random, mean: number): number {
  return -mean * Math.log(1 - random());
}

/** Log-normal: its median, and how far it spreads. */
export function logNormal(random: Random, median: number, spread: number): number {
  return median * Math.exp(spread * normal(random));
}

/** Knuth's method, for means of up to a few dozen. */
export function poisson(random: Random, mean: number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}

/** Marsaglia and Tsang's method. */
export function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v;
  }
}

export function beta(random: Random, a: number, b: number): number {
  const x = gamma(random, a);
  return x / (x + gamma(random, b));
}
