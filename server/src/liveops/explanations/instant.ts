import { parseEventTimestamp } from '../../platform/lib/iso-time.js';

/** Years have four digits. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** An RFC 3339 time with a zone, from 1970 on, as epoch milliseconds; undefined for any other text. */
export function readInstant(text: string): number | undefined {
  const epochMs = parseEventTimestamp(text)?.epochMs;
  return epochMs !== undefined && epochMs >= 0 && epochMs <= LATEST_MS ? epochMs : undefined;
}
