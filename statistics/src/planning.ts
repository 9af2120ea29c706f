import { criticalValue, type SequenceOptions } from './confidence-sequence.js';
import type { Effect } from './effect.js';

/** Beyond this many times the players of today nobody waits for a verdict. */
const MOST_TIMES = 1_000;

/**
 * With how many players of both arms the effect as it is today would be proven: its error shrinks with the root of the players, and the bound
 * grows slowly. Undefined if it is proven already, or if a thousand times as many would not do. It is a pace, not a promise: the effect
 * itself will move.
 */
export function playersUntilProven(effect: Effect, options: SequenceOptions): number | undefined {
  const isProven = (players: number) =>
    Math.abs(effect.value) * Math.sqrt(players / effect.players) >
    effect.standardError * criticalValue(players, options);
  let [low, high] = [effect.players, effect.players * MOST_TIMES];
  if (isProven(low) || !isProven(high)) return undefined;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isProven(middle)) high = middle;
    else low = middle;
  }
  return high;
}
