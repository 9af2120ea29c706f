import { hash } from 'node:crypto';
import { clipText } from '../../../platform/lib/clip-text.js';
import { sliceJsonArray } from '../../../platform/lib/json-slices.js';
import { MAX_TRANSACTION_ID } from '../intake/built-in-event-types.js';
import { isEventType, type RejectedEvent } from '../intake/check-events.js';
import type { RejectionCode } from '../intake/rejections.js';

/** Why an event is in the inbox: refused at intake, or `apply_failed`: it passed every check, but PostgreSQL refused it. */
export type FailureCode = RejectionCode | 'apply_failed';
export type FailureReason = { code: FailureCode; message: string; path: string };

/** An event on its way into the inbox. */
export type FailedEvent = FailureReason & {
  fingerprint: string;
  ordinal: number;
  eventType: string | null;
  /** Of a purchase or refund, so that support finds it. */
  transactionId: string | null;
  raw: string;
  isCut: boolean;
};

/** Twice the size limit of an event: an event with much white space is kept whole. */
const MAX_RAW_BYTES = 65_536;
const MAX_MESSAGE = 1_024;
const MAX_PATH = 1_024;
const FINGERPRINT_HEX_DIGITS = 32;

/** `event`: what its text says, as far as it could be read. */
type Failure = FailureReason & { ordinal: number; eventType: string | null; event: unknown; raw: string };

/** `raw` is the JSON text of the event as it was sent. */
export function failedEvent({ ordinal, eventType, event, raw, ...reason }: Failure): FailedEvent {
  const cut = cutToBytes(raw, MAX_RAW_BYTES);
  return {
    ...storableReason(reason),
    fingerprint: hash('sha256', `${ordinal}:${raw}`, 'hex').slice(0, FINGERPRINT_HEX_DIGITS),
    ordinal,
    eventType,
    transactionId: readTransactionId(event),
    raw: cut,
    isCut: cut !== raw,
  };
}

/** The rejected events of a batch, each with its own piece of the body's text. */
export function failedEventsOf(
  text: string,
  events: readonly unknown[],
  rejected: readonly RejectedEvent[],
): FailedEvent[] {
  const slices = sliceJsonArray(text);
  const seen = new Map<string, number>();
  return rejected.map(({ index, ordinal, ...reason }) => {
    const raw = slices[index] ?? '';
    const nth = seen.get(raw) ?? 0;
    seen.set(raw, nth + 1);
    const event = events[index];
    return failedEvent({ ...reason, ordinal: ordinal ?? nth, eventType: readEventType(event), event, raw });
  });
}

function readEventType(event: unknown): string | null {
  const eventType = ownMember(event, 'eventType');
  return isEventType(eventType) ? eventType : null;
}

/** Whatever its type is called: a client may have misspelt "Purchase", or sent the id as a number. */
function readTransactionId(event: unknown): string | null {
  const id = ownMember(ownMember(event, 'payload'), 'transactionId');
  const text = typeof id === 'number' ? String(id) : id;
  if (typeof text !== 'string' || text === '' || text.length > MAX_TRANSACTION_ID) return null;
  return text.isWellFormed() && !text.includes('\0') ? text : null;
}

function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** A reason may quote an event or a schema: it is cut, and characters that PostgreSQL cannot store are replaced. */
export function storableReason({ code, message, path }: FailureReason): FailureReason {
  return { code, message: storable(message, MAX_MESSAGE), path: storable(path, MAX_PATH) };
}

function storable(text: string, maxLength: number): string {
  return clipText(text, maxLength).toWellFormed().replaceAll('\0', '\ufffd');
}

/** At most so many bytes of UTF-8. A decoder that expects more to come leaves out a character cut in two. */
function cutToBytes(text: string, maxBytes: number): string {
  // A UTF-16 unit takes three bytes at most.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}
