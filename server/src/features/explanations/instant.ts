import { parseEventTimestamp } from '../../lib/iso-time.js';

/** The years that are written with four digits. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** RFC 3339 with a zone, from 1970 on, as epoch milliseconds; undefined if it is anything else. */
export function readInstant(text: string): number | undefined {
  const epochMs = parseEventTimestamp(text)?.epochMs;
  return epochMs !== undefined && epochMs >= 0 && epochMs <= LATEST_MS ? epochMs : undefined;
}
