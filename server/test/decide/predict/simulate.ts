import type { NbdParameters, PurchaseHistory } from '../../../src/decide/predict/beta-geometric-nbd.js';
import type { ActivityHistory, BgBbParameters } from '../../../src/decide/predict/bg-bb.js';
import type { GammaGammaParameters, Spending } from '../../../src/decide/predict/gamma-gamma.js';

/** Players who behave exactly as a model says, from a seed: the same ones in every run. */
export type Random = () => number;

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Gamma with mean shape / rate, by Marsaglia and Tsang. */
export function drawGamma(random: Random, shape: number, rate: number): number {
  if (shape < 1) return drawGamma(random, shape + 1, rate) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const z = normal(random);
    const v = (1 + z / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * z * z + d - d * v + d * Math.log(v)) return (d * v) / rate;
  }
}

export function drawBeta(random: Random, a: number, b: number): number {
  const one = drawGamma(random, a, 1);
  return one / (one + drawGamma(random, b, 1));
}

export function drawActivity(
  random: Random,
  { alpha, beta, gamma, delta }: BgBbParameters,
  n: number,
): ActivityHistory {
  const active = drawBeta(random, alpha, beta);
  const leave = drawBeta(random, gamma, delta);
  let x = 0;
  let tx = 0;
  for (let period = 1; period <= n; period += 1) {
    if (random() < leave) break;
    if (random() < active) {
      x += 1;
      tx = period;
    }
  }
  return { x, tx, n };
}

/** The repeat purchases of an MBG/NBD customer until t. */
export function drawPurchases(
  random: Random,
  { r, alpha, a, b }: NbdParameters,
  t: number,
): PurchaseHistory & { isAlive: boolean } {
  const rate = drawGamma(random, r, alpha);
  const leave = drawBeta(random, a, b);
  let x = 0;
  let tx = 0;
  for (;;) {
    if (random() < leave) return { x, tx, t, isAlive: false };
    const next = tx - Math.log(1 - random()) / rate;
    if (next > t) return { x, tx, t, isAlive: true };
    x += 1;
    tx = next;
  }
}

/** The days with a purchase of an MBG/NBD customer, as the service knows them: the first is day 0, at any time of the day. */
export function drawPurchaseDays(
  random: Random,
  { r, alpha, a, b }: NbdParameters,
  t: number,
): PurchaseHistory {
  const rate = drawGamma(random, r, alpha);
  const leave = drawBeta(random, a, b);
  let at = random();
  let x = 0;
  let tx = 0;
  while (random() >= leave) {
    at -= Math.log(1 - random()) / rate;
    const day = Math.floor(at);
    if (day > t) break;
    if (day > tx) x += 1;
    tx = day;
  }
  return { x, tx, t };
}

/**
 * The same in whole days without a loss: time passes from the end of the first day on, and a purchase whose day has one already is on the
 * next day.
 */
export function drawDaysOfPurchase(
  random: Random,
  { r, alpha, a, b }: NbdParameters,
  t: number,
): PurchaseHistory {
  const rate = drawGamma(random, r, alpha);
  const leave = drawBeta(random, a, b);
  let time = 0;
  let x = 0;
  let tx = 0;
  while (random() >= leave) {
    time -= Math.log(1 - random()) / rate;
    const day = Math.max(tx + 1, Math.ceil(time));
    if (day > t) break;
    x += 1;
    tx = day;
  }
  return { x, tx, t };
}

export function drawSpending(random: Random, { p, q, v }: GammaGammaParameters, x: number): Spending {
  const scale = drawGamma(random, q, v);
  return { x, meanValue: drawGamma(random, p * x, scale * x) };
}

/** Groups what is equal, as training does. */
export function toCells<T extends object>(histories: readonly T[]): (T & { players: number })[] {
  const cells = new Map<string, T & { players: number }>();
  for (const history of histories) {
    const key = JSON.stringify(history);
    cells.set(key, { ...history, players: (cells.get(key)?.players ?? 0) + 1 });
  }
  return [...cells.values()];
}
