import { readInstant } from '../explanations/instant.js';

/**
 * The instant that a dry run is asked for, as epoch milliseconds; undefined if it is no time or in the past. The facts about
 * players are those of now: for the past they would give numbers that never existed.
 */
export function readFutureInstant(text: string, nowMs: number): number | undefined {
  const atMs = readInstant(text);
  return atMs !== undefined && atMs >= nowMs ? atMs : undefined;
}
