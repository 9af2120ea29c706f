import { parseEventTimestamp } from '../../platform/lib/iso-time.js';

/** What an override may say, wherever it comes from. */

export const FLAG_ID = /^[a-z][A-Za-z0-9]{0,63}$/;
export const MAX_REASON = 1_000;
/** The years that times are written with, four digits long. */
const LATEST_UNTIL_MS = Date.UTC(9999, 11, 31);

export const UNTIL_WRONG = 'until must be a time in the future such as 2027-01-01T00:00:00Z';

/** Undefined if it is no time in the future. */
export function readUntil(text: string, nowMs: number): number | undefined {
  const end = parseEventTimestamp(text)?.epochMs;
  return end !== undefined && end > nowMs && end <= LATEST_UNTIL_MS ? end : undefined;
}
