import { readInstant } from '../explanations/instant.js';

/**
 * The moment that a dry run is asked for, as epoch milliseconds; undefined if it is no time or in the past. What is known
 * of the players is what is known now: for the past it would give numbers that never were.
 */
export function readFutureInstant(text: string, nowMs: number): number | undefined {
  const atMs = readInstant(text);
  return atMs !== undefined && atMs >= nowMs ? atMs : undefined;
}
