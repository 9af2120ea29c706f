import { isoTime } from '../../platform/lib/iso-time.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { printable } from '../../studio/cli/printable.js';
import { MAX_REASON, readUntil, UNTIL_WRONG } from '../players/override-limits.js';
import type { SetRow } from '../players/set-rows.js';

/** What the commands for flags and pins of a player have in common. */

export function reasonOf(text: string): string {
  const reason = text.trim();
  if (reason !== '' && reason.length <= MAX_REASON) return reason;
  throw new StartupError(`--reason must have 1 to ${MAX_REASON} characters.`);
}

export function untilOf(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const until = readUntil(text, nowMs);
  if (until !== undefined) return until;
  throw new StartupError(`--${UNTIL_WRONG}.`);
}

export const untilWords = (until: number | null) => (until === null ? '' : `, until ${isoTime(until)}`);

/** `said` is what was set, such as `isPayer = true`. */
export function describeSet(said: string, row: SetRow, nowMs: number): string {
  const { reason, author, setAt, until, clearedAt, clearedBy } = row;
  const isExpired = until !== null && until <= nowMs;
  const end = until === null ? '' : ` until ${isoTime(until)}`;
  const cleared =
    clearedAt === null ? null : `cleared ${isoTime(clearedAt)} by ${printable(clearedBy ?? '')}`;
  const state = cleared ?? (isExpired ? 'over' : 'in force');
  return `${said}${end}  ${state}\n    set ${isoTime(setAt)} by ${printable(author)}: ${printable(reason)}`;
}
