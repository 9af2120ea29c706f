import { readInstant } from '../explanations/instant.js';

/**
 * The instant of a dry run as epoch milliseconds; undefined if the text is no time, or is in the past. The facts about players
 * are those of now, so for the past they would give wrong numbers.
 */
export function readFutureInstant(text: string, nowMs: number): number | undefined {
  const atMs = readInstant(text);
  return atMs !== undefined && atMs >= nowMs ? atMs : undefined;
}
