import { createHash } from 'node:crypto';
import type { FailedEvent } from '../../core/events/failed/failed-event.js';
import type { FailedBatch } from '../../core/events/failed/inbox-queries.js';
import type { CheckedEvent, EventSource } from '../../core/events/intake/event-record.js';
import { isObject } from '../../platform/lib/is-object.js';
import { UUID } from '../../platform/lib/uuid.js';

/** A message of the stream: all or some of the good events of one request, or of its rejected ones. */
export type QueuedMessage =
  | {
      kind: 'events';
      userId: string;
      source: EventSource;
      events: readonly CheckedEvent[];
      /** The numbers of the bad events of the request. */
      rejectedSequences: readonly number[];
    }
  | ({ kind: 'failures' } & FailedBatch);

export type QueuedEvents = Extract<QueuedMessage, { kind: 'events' }>;

export type EncodedMessage = {
  /** The same for the same content: the stream drops a second copy that comes shortly after. */
  id: string;
  body: Uint8Array;
};

/** Raised with every change that an older consumer could not read. */
const VERSION = 1;
const DIGEST = /^[0-9a-f]{32}$/;
/** The last millisecond that a Date can hold. */
const MAX_TIME_MS = 8_640_000_000_000_000;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** As many messages as it takes for each to stay under the limit of bytes. */
export function encodeMessage(message: QueuedMessage, maxBytes: number): EncodedMessage[] {
  const body = Buffer.from(JSON.stringify({ v: VERSION, ...message }));
  if (body.length <= maxBytes) return [{ id: messageId(message), body }];
  return halves(message).flatMap((half) => encodeMessage(half, maxBytes));
}

function halves(message: QueuedMessage): QueuedMessage[] {
  const items = message.kind === 'events' ? message.events : message.failures;
  if (items.length < 2) throw new Error('a single event does not fit a message');
  const middle = items.length >> 1;
  return message.kind === 'events'
    ? [
        { ...message, events: message.events.slice(0, middle) },
        { ...message, events: message.events.slice(middle), rejectedSequences: [] },
      ]
    : [
        { ...message, failures: message.failures.slice(0, middle) },
        { ...message, failures: message.failures.slice(middle) },
      ];
}

function messageId(message: QueuedMessage): string {
  const hash = createHash('sha256').update(`${message.kind}:${message.userId}`);
  if (message.kind === 'events') {
    const { source, events, rejectedSequences } = message;
    for (const { identity, sequence } of events) hash.update(`${identity}:${source.installId}:${sequence},`);
    hash.update(rejectedSequences.join());
  }
  if (message.kind === 'failures') for (const { fingerprint } of message.failures) hash.update(fingerprint);
  return hash.digest('hex').slice(0, 32);
}

/** Undefined for anything that is not a message of this version. */
export function decodeMessage(body: Uint8Array): QueuedMessage | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(strictUtf8.decode(body));
  } catch {
    return undefined;
  }
  if (!isObject(parsed) || parsed.v !== VERSION) return undefined;
  const { kind, userId, failures, receivedAtMs, clientBuild, isServer } = parsed;
  // The id goes into a query shared with other messages. Anything but a UUID would fail the query for all of them.
  if (typeof userId !== 'string' || !UUID.test(userId)) return undefined;
  if (kind === 'events') return decodeEvents(userId, parsed);
  const isFailures = kind === 'failures' && Array.isArray(failures) && failures.every(isFailedEvent);
  if (!isFailures || !isTime(receivedAtMs) || !isTextOrNull(clientBuild)) return undefined;
  // Left out by nodes of the release before.
  return { kind, userId, failures, receivedAtMs, clientBuild, isServer: isServer === true };
}

function decodeEvents(userId: string, parsed: Record<string, unknown>): QueuedMessage | undefined {
  const { source, events, rejectedSequences } = parsed;
  if (!isSource(source) || !Array.isArray(events) || !events.every(isCheckedEvent)) return undefined;
  if (!Array.isArray(rejectedSequences) || !rejectedSequences.every(isSequence)) return undefined;
  return { kind: 'events', userId, source, events, rejectedSequences };
}

function isSource(value: unknown): value is EventSource {
  return isObject(value) && isTextOrNull(value.installId) && isTextOrNull(value.clientBuild);
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isCheckedEvent(value: unknown): value is CheckedEvent {
  return (
    isObject(value) &&
    (isDigest(value.identity) || (value.identity === null && value.sequence !== null)) &&
    (value.sequence === null || isSequence(value.sequence)) &&
    Number.isSafeInteger(value.ordinal) &&
    Number.isSafeInteger(value.playMs) &&
    isTime(value.occurredAtMs) &&
    isTextOrNull(value.eventId) &&
    typeof value.eventType === 'string' &&
    typeof value.occurredAt === 'string' &&
    isTime(value.receivedAtMs) &&
    typeof value.clockSuspect === 'boolean' &&
    isEffectiveTime(value.effectiveAtMs, value.receivedAtMs, value.clockSuspect) &&
    isTextOrNull(value.timestampText) &&
    isJsonObject(value.payloadJson) &&
    typeof value.metadataJson === 'string' &&
    typeof value.transaction === 'object' &&
    isProfile(value.profile)
  );
}

function isFailedEvent(value: unknown): value is FailedEvent {
  return (
    isObject(value) &&
    isDigest(value.fingerprint) &&
    Number.isSafeInteger(value.ordinal) &&
    typeof value.code === 'string' &&
    typeof value.message === 'string' &&
    typeof value.path === 'string' &&
    isTextOrNull(value.eventType) &&
    typeof value.raw === 'string' &&
    // Left out by nodes of 1.0.
    (value.transactionId === undefined || isTextOrNull(value.transactionId)) &&
    typeof value.isCut === 'boolean'
  );
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && DIGEST.test(value);
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Math.abs(value as number) <= MAX_TIME_MS;
}

/** Events are counted on days near their receipt. An event with a suspect clock counts at its receipt. */
function isEffectiveTime(value: unknown, receivedAtMs: number, clockSuspect: boolean): boolean {
  return isTime(value) && (clockSuspect ? value === receivedAtMs : value <= receivedAtMs);
}

/** Parsed only as far as members have to be checked; PostgreSQL parses it whole. */
function isJsonObject(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('{');
}

function isProfile(value: unknown): boolean {
  if (value === null) return true;
  if (!isObject(value)) return false;
  const members = Object.values(value);
  return members.length > 0 && members.every((member) => typeof member === 'string');
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
