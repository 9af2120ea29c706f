import { checkEvents } from '../../core/events/intake/check-events.js';
import type { CheckedEvent } from '../../core/events/intake/event-record.js';
import { INSTALL_ID } from '../../core/events/intake/install-id.js';
import { EVENT_LIMITS } from '../../core/events/intake/limits.js';
import { DAY_MS, MINUTE_MS } from '../../platform/lib/day.js';
import { isObject } from '../../platform/lib/is-object.js';
import { parseEventTimestamp } from '../../platform/lib/iso-time.js';
import { decodeJson } from '../../platform/lib/json-body.js';
import { UUID_ANY_CASE } from '../../platform/lib/uuid.js';
import { purchaseCheckOf } from './sale-member.js';

/** Why a line was not imported. */
export type LineError = Readonly<{ code: string; message: string }>;

/** An event of a file, ready to be applied once the internal ids of its player are known. */
export type HistoricEvent = Readonly<{ userId: string; installId: string | null; event: CheckedEvent }>;

/** The clock of the installation that received the event may have been ahead of this one's. */
const MAX_AHEAD_MS = MINUTE_MS;
/** Every day of receipt is a partition: a wrong time must not make thousands of them. */
const MAX_AGE_DAYS = 3_660;

/**
 * Reads an event as an export writes it. Its times are trusted. A line without `receivedAt` comes from another system: the event then
 * counts as received when it happened.
 */
export function readEventLine(
  { members, suspicious, bytes }: ReadLine,
  nowMs: number,
): HistoricEvent | LineError {
  const { userId, installId, ordinal = 0, eventType, eventId, timestamp, payload, metadata, seq } = members;
  if (!isUserId(userId)) return USER_ID_INVALID;
  if (installId !== undefined && (typeof installId !== 'string' || !INSTALL_ID.test(installId))) {
    return { code: 'install_id_invalid', message: 'installId must be 1 to 64 printable ASCII characters.' };
  }
  if (!isOrdinal(ordinal)) {
    return {
      code: 'ordinal_invalid',
      message: `ordinal must be an integer below ${EVENT_LIMITS.maxEvents}.`,
    };
  }
  const receivedAtMs = readReceipt(members.receivedAt ?? timestamp, members.receivedAt === undefined, nowMs);
  if (typeof receivedAtMs !== 'number') return receivedAtMs;

  const checkPurchase = purchaseCheckOf(members.sale);
  if (checkPurchase === 'invalid') {
    return { code: 'sale_invalid', message: 'sale must be null or a purchase as an export writes it.' };
  }

  const sender = { userId: userId.toLowerCase(), installId: installId ?? null };
  const own = {
    eventType,
    eventId: eventId ?? undefined,
    timestamp,
    payload,
    metadata: metadata ?? undefined,
    seq,
  };
  const body = { events: [own], bytes, suspicious, firstOrdinal: ordinal };
  const { events, rejected } = checkEvents(body, sender, receivedAtMs, undefined, checkPurchase);
  const [event] = events;
  if (event !== undefined) return { ...sender, event };
  const { code = 'event_invalid', message = 'The event cannot be read.' } = rejected[0] ?? {};
  return { code, message };
}

/** The members of a line, and its length. `suspicious`: some string may hold what cannot be stored. */
export type ReadLine = Readonly<{ members: Record<string, unknown>; suspicious: boolean; bytes: number }>;

export function readLine(bytes: Buffer | undefined): ReadLine | LineError {
  if (bytes === undefined) return { code: 'line_too_long', message: 'The line is too long for an event.' };
  const decoded = decodeJson(bytes);
  if (!decoded.ok) return { code: decoded.code, message: decoded.message.replace('The body', 'The line') };
  if (!isObject(decoded.value)) return { code: 'line_invalid', message: 'The line must be a JSON object.' };
  return { members: decoded.value, suspicious: decoded.suspicious, bytes: bytes.length };
}

export function isUserId(value: unknown): value is string {
  return typeof value === 'string' && UUID_ANY_CASE.test(value);
}

export const USER_ID_INVALID: LineError = {
  code: 'user_id_invalid',
  message: 'userId must be the UUID of a player.',
};

/** Epoch milliseconds of an RFC 3339 time. */
export function readInstant(value: unknown): number | undefined {
  return typeof value === 'string' ? parseEventTimestamp(value)?.epochMs : undefined;
}

function isOrdinal(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < EVENT_LIMITS.maxEvents;
}

/** Whether an instant lies further ahead than the clock of another installation may be. */
export function isAhead(ms: number, nowMs: number): boolean {
  return ms - nowMs > MAX_AHEAD_MS;
}

function readReceipt(value: unknown, isOwnTime: boolean, nowMs: number): number | LineError {
  const name = isOwnTime ? 'timestamp' : 'receivedAt';
  const receivedAtMs = readInstant(value);
  if (receivedAtMs === undefined) {
    const code = isOwnTime ? 'timestamp_malformed' : 'received_at_invalid';
    return { code, message: `${name} must be RFC 3339 with a zone.` };
  }
  if (nowMs - receivedAtMs > MAX_AGE_DAYS * DAY_MS) {
    return { code: 'received_at_invalid', message: `${name} lies more than ten years ago.` };
  }
  if (!isAhead(receivedAtMs, nowMs)) return receivedAtMs;
  // The clock of the device was ahead.
  if (isOwnTime) return nowMs;
  return { code: 'received_at_invalid', message: 'receivedAt lies in the future.' };
}
