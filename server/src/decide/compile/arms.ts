import { experimentSalt, type Salt } from './bucket.js';

/**
 * Which arm of an experiment a player is in. The bucket of a player (bucket.ts) is in [0, 1). Each arm owns a range of it as wide as its
 * weight, and takes the first part of that range, as large as the coverage says. So raising the coverage adds players to each arm and moves
 * nobody. Changing weights moves players: a running experiment keeps its weights.
 */

/** From `from` to just below `to`. */
export type Range = Readonly<{ from: number; to: number }>;

const WHOLE: Range = { from: 0, to: 1 };

/**
 * The ranges of the arms, in their order. `coverage` is 0 to 1. Experiments in one layer have the same buckets, and each a slot of its own
 * in them: so they never share a player.
 */
export function armRanges(weights: readonly number[], coverage: number, slot: Range = WHOLE): Range[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const width = slot.to - slot.from;
  let before = 0;
  return weights.map((weight) => {
    const from = slot.from + (width * before) / all;
    before += weight;
    const end = slot.from + (width * before) / all;
    // At full coverage an arm ends exactly where the next one begins.
    return { from, to: coverage === 1 ? end : from + coverage * (end - from) };
  });
}

/** The place of the arm whose range the bucket is in; undefined for a player who is not in the experiment. */
export function chooseArm(bucket: number, ranges: readonly Range[]): number | undefined {
  const at = ranges.findIndex(({ from, to }) => bucket >= from && bucket < to);
  return at < 0 ? undefined : at;
}

/** Whether two experiments of one layer would share players. */
export function slotsOverlap(one: Range, other: Range): boolean {
  return one.from < other.to && other.from < one.to;
}

/**
 * What the buckets of an experiment are drawn by: `experiment:<layer or experiment id>:<seed>`. The experiments of a layer have the
 * seed of the layer. Another seed draws anew.
 */
export function armSalt({ id, seed }: { id: string; seed: string }): Salt {
  return experimentSalt(`experiment:${id}:${seed}`);
}
