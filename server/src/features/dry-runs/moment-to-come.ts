import { readMoment } from '../explanations/moment.js';

/**
 * The moment that a dry run is asked for, as epoch milliseconds; undefined if it is no time or in the past. What is known
 * of the players is what is known now: for the past it would give numbers that never were.
 */
export function momentToCome(text: string, nowMs: number): number | undefined {
  const atMs = readMoment(text);
  return atMs !== undefined && atMs >= nowMs ? atMs : undefined;
}
