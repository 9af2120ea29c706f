import type { Command } from 'commander';
import { say } from './terminal.js';
import { MAX_ID, wholeNumber } from './whole-number.js';

/** What a user gave to a command that lists rows, newest first. */
export type PageOptions = { limit: string; before?: string };

const MAX_LIMIT = 1_000;

export function withPage(command: Command, limit: number): Command {
  return command
    .option('--limit <number>', 'how many to show', String(limit))
    .option('--before <number>', 'go on after the last one shown');
}

export function readPage(options: PageOptions, maxBefore = MAX_ID): { limit: number; before: number | null } {
  return {
    limit: wholeNumber('--limit', options.limit, 1, MAX_LIMIT),
    before: options.before === undefined ? null : wholeNumber('--before', options.before, 1, maxBefore),
  };
}

/** So that no list ends at its limit without a word. */
export function sayOlder<Row>(
  rows: readonly Row[],
  limit: number,
  numberOf: (row: Row) => number | string,
): void {
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return;
  say(`\nOlder ones: the same command with --before ${numberOf(last)}`);
}
