import { canonicalJson } from '../../../platform/lib/canonical-json.js';
import { clipText } from '../../../platform/lib/clip-text.js';
import { DAY_MS } from '../../../platform/lib/day.js';
import { eventIdentity, namedIdentity, numberedIdentity } from '../../../platform/lib/event-identity.js';
import { isObject } from '../../../platform/lib/is-object.js';
import { type EventTimestamp, parseEventTimestamp } from '../../../platform/lib/iso-time.js';
import { checkStorable } from '../../../platform/lib/json-body.js';
import type { PurchaseCheck, PurchaseDecision } from '../receipts/purchase-check.js';
import { type EventProblem, findMetadataProblem, readBuiltInType } from './built-in-event-types.js';
import type { CheckedEvent } from './event-record.js';
import { EVENT_LIMITS } from './limits.js';
import { readProfile } from './player-profile.js';
import type { RejectionCode } from './rejections.js';

/** `ordinal`: the position among its duplicates within the batch, where the event could be read that far. */
type Rejection = EventProblem & { ordinal?: number };
export type RejectedEvent = Rejection & { index: number };
export type CheckedBatch = {
  events: CheckedEvent[];
  rejected: RejectedEvent[];
  /** The numbers of the rejected events: they arrived, so they are not missing. */
  rejectedSequences: number[];
};

/** Whose events these are. Identities go by the public userId: it is known from the token alone. */
export type EventSender = {
  userId: string;
  /** Set by a client that numbers its events; without it `seq` is a member like any other. */
  installId?: string | null;
};
type Body = {
  events: readonly unknown[];
  bytes: number;
  suspicious: boolean;
  /** Where to start counting duplicates within the batch: a single event that stood among its duplicates keeps its ordinal. */
  firstOrdinal?: number;
};

/** Why the studio's registry refuses an event of this type, if it does. Called with storable events only. */
export type TypeCheck = (eventType: string, event: Record<string, unknown>) => EventProblem | undefined;

/** An hour covers badly set clocks and time zones taken for UTC only in part; beyond it the future cannot be real. */
const FAR_AHEAD_MS = 3_600_000;
/** Players come back after weeks offline; a quarter of a year is rather a wrong clock. */
export const FAR_BEHIND_MS = 90 * DAY_MS;
const YEAR_ONE_MS = Date.parse('0001-01-01T00:00:00Z');
const EMPTY_OBJECT = '{}';
/** Longer than any pointer into a real event: a member may have a name of a megabyte. */
const MAX_SHOWN_PATH = 256;

const acceptAnyType: TypeCheck = () => undefined;
const AS_CLAIMED: PurchaseDecision = Object.freeze({ sale: undefined });

/** Sorts a batch into what can be applied and what cannot, each with its reason; a bad event never spoils a good one. */
export function checkEvents(
  body: Body,
  sender: EventSender,
  receivedAtMs: number,
  checkType: TypeCheck = acceptAnyType,
  checkPurchase?: PurchaseCheck,
): CheckedBatch {
  const events: CheckedEvent[] = [];
  const checks: Checks = { checkType, checkPurchase };
  const rejected: RejectedEvent[] = [];
  const rejectedSequences: number[] = [];
  const duplicates: Duplicates = { next: new Map(), from: body.firstOrdinal ?? 0 };
  // An event cannot be larger than the body it came in.
  const mayBeTooLarge = body.bytes > EVENT_LIMITS.maxEventBytes;

  for (const [index, event] of body.events.entries()) {
    const problem =
      checkStorableEvent(event, body.suspicious, mayBeTooLarge) ??
      addEvent(event as Record<string, unknown>, sender, receivedAtMs, checks, duplicates, events);
    if (problem === undefined) continue;
    rejected.push({ index, ...problem });
    const sequence = isNumbering(sender) ? (event as { seq?: unknown } | null)?.seq : undefined;
    if (isSequence(sequence)) rejectedSequences.push(sequence);
  }
  return { events, rejected, rejectedSequences };
}

function checkStorableEvent(
  event: unknown,
  suspicious: boolean,
  mayBeTooLarge: boolean,
): EventProblem | undefined {
  if (!isObject(event)) return { code: 'event_invalid', message: 'An event must be an object.', path: '' };
  const flaw = checkStorable(event, EVENT_LIMITS.maxDepth, suspicious);
  if (flaw !== undefined) {
    const { code, path } = flaw;
    return { code, path, message: `${FLAWS[code]} (at ${clipText(path, MAX_SHOWN_PATH) || '/'})` };
  }
  if (mayBeTooLarge && Buffer.byteLength(JSON.stringify(event)) > EVENT_LIMITS.maxEventBytes) {
    return {
      code: 'event_too_large',
      message: `An event may take ${EVENT_LIMITS.maxEventBytes} bytes at most.`,
      path: '',
    };
  }
  return undefined;
}

const FLAWS = {
  too_deep: `An event may be nested ${EVENT_LIMITS.maxDepth} levels deep at most.`,
  invalid_unicode:
    'A string holds a NUL character or half of a surrogate pair, which cannot be stored exactly.',
  number_out_of_range: 'A number cannot be stored exactly as a double.',
};

type Checks = { checkType: TypeCheck; checkPurchase: PurchaseCheck | undefined };

function addEvent(
  event: Record<string, unknown>,
  sender: EventSender,
  receivedAtMs: number,
  { checkType, checkPurchase }: Checks,
  duplicates: Duplicates,
  events: CheckedEvent[],
): Rejection | undefined {
  const { eventType, eventId, payload } = event;
  const metadata = event.metadata ?? {};
  if (!isText(eventType, EVENT_LIMITS.maxEventTypeLength)) {
    return invalid('event_type_invalid', 'eventType', 'must be a string of 1 to 128 characters');
  }
  if (eventId !== undefined && !isText(eventId, EVENT_LIMITS.maxEventIdLength)) {
    return invalid('event_id_invalid', 'eventId', 'must be a string of 1 to 128 characters');
  }
  const time = typeof event.timestamp === 'string' ? parseEventTimestamp(event.timestamp) : undefined;
  if (time === undefined) return invalid('timestamp_malformed', 'timestamp', 'must be RFC 3339 with a zone');
  if (!isObject(payload)) return invalid('payload_invalid', 'payload', 'must be an object');
  if (!isObject(metadata)) return invalid('metadata_invalid', 'metadata', 'must be an object');

  const sequence = isNumbering(sender) ? (event.seq ?? null) : null;
  if (sequence !== null && !isSequence(sequence)) {
    return invalid('sequence_invalid', 'seq', 'must be an integer from 1 to 9007199254740991');
  }
  // A numbered event needs no text that is the same for the same content.
  const toJson = sequence === null ? canonicalJson : JSON.stringify;
  const payloadJson = toJson(payload);
  const metadataJson = event.metadata === undefined ? EMPTY_OBJECT : toJson(metadata);
  // Before the last checks, so that an event keeps its ordinal, whichever of its duplicates are refused now or accepted
  // later.
  const { identity, ordinal } = nameEvent(
    { eventType, eventId, sequence, time, payloadJson, metadataJson },
    sender,
    duplicates,
  );
  const builtIn = readBuiltInType(eventType, payload, metadata, identity ?? '');
  if ('code' in builtIn) return { ...builtIn, ordinal };
  const mismatch = findMetadataProblem(metadata) ?? checkType(eventType, event);
  if (mismatch !== undefined) return { ...mismatch, ordinal };
  const claimed = builtIn.transaction;
  const decision =
    checkPurchase !== undefined && claimed !== null
      ? checkPurchase(payload, claimed, receivedAtMs)
      : AS_CLAIMED;
  if ('code' in decision) return { ...decision, ordinal };
  const { sale } = decision;
  const transaction = sale === undefined ? builtIn.transaction : sale;

  const clockSuspect =
    time.epochMs - receivedAtMs > FAR_AHEAD_MS || receivedAtMs - time.epochMs > FAR_BEHIND_MS;
  const isStorable = time.isNormalForm && time.epochMs >= YEAR_ONE_MS;
  events.push({
    identity,
    sequence,
    ordinal,
    eventId: eventId ?? null,
    eventType,
    occurredAt: isStorable ? (event.timestamp as string) : databaseTime(time),
    occurredAtMs: time.epochMs,
    receivedAtMs,
    effectiveAtMs: clockSuspect ? receivedAtMs : Math.min(time.epochMs, receivedAtMs),
    clockSuspect,
    timestampText: isStorable ? null : (event.timestamp as string),
    payloadJson,
    metadataJson,
    playMs: builtIn.playMs,
    transaction,
    sale,
    profile: readProfile(metadata, transaction),
  });
  return undefined;
}

function invalid(code: RejectionCode, member: string, rule: string): EventProblem {
  return { code, message: `${member} ${rule}.`, path: `/${member}` };
}

/** PostgreSQL's text form of an instant, to the microsecond; it counts years before 1 as BC and has no year 0. */
function databaseTime({ epochMs, nanos }: EventTimestamp): string {
  const iso = new Date(epochMs).toISOString();
  const rest = `${iso.slice(-20, -1)}${String(Math.floor(nanos / 1000)).padStart(3, '0')}Z`;
  const year = Number(iso.slice(0, -20));
  return year > 0
    ? `${String(year).padStart(4, '0')}${rest}`
    : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}

function isNumbering({ installId }: EventSender): boolean {
  return typeof installId === 'string';
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

type NamedParts = {
  eventType: string;
  eventId: string | undefined;
  sequence: number | null;
  time: EventTimestamp;
  payloadJson: string;
  metadataJson: string;
};

/** What makes the event the same one when it is sent again: its number, its name, or else its content. */
function nameEvent(
  { eventType, eventId, sequence, time, payloadJson, metadataJson }: NamedParts,
  { userId, installId }: EventSender,
  duplicates: Duplicates,
): { identity: string | null; ordinal: number } {
  if (sequence !== null && typeof installId === 'string') {
    // Only purchases need an identity as well; other numbered events are spared the digest.
    const identity = eventType === 'Purchase' ? numberedIdentity(userId, installId, sequence) : null;
    return { identity, ordinal: 0 };
  }
  if (eventId !== undefined) return { identity: namedIdentity(userId, eventId), ordinal: 0 };
  return derivedIdentity(userId, eventType, time, payloadJson, metadataJson, duplicates);
}

/** How many of each derived identity there were, and what the first one counts as. */
type Duplicates = { next: Map<string, number>; from: number };

/** Duplicates within a batch are two events: the second is told from the first by its ordinal. */
function derivedIdentity(
  userId: string,
  eventType: string,
  { epochMs, nanos }: EventTimestamp,
  payloadJson: string,
  metadataJson: string,
  duplicates: Duplicates,
): { identity: string; ordinal: number } {
  // Written out: spreading the parts takes V8 four times as long as the digest.
  const identityOf = (ordinal: number) =>
    eventIdentity({ playerId: userId, eventType, epochMs, nanos, payloadJson, metadataJson, ordinal });
  const first = identityOf(0);
  const ordinal = duplicates.next.get(first) ?? duplicates.from;
  duplicates.next.set(first, ordinal + 1);
  return { identity: ordinal === 0 ? first : identityOf(ordinal), ordinal };
}

/** Whether a value can be the type of a stored event. */
export function isEventType(value: unknown): value is string {
  return isText(value, EVENT_LIMITS.maxEventTypeLength) && checkStorable(value, 0, true) === undefined;
}

/** Lengths count characters (code points), as the contract does, not UTF-16 units. */
function isText(value: unknown, maxLength: number): value is string {
  if (typeof value !== 'string' || value === '') return false;
  return value.length <= maxLength || (value.length <= maxLength * 2 && [...value].length <= maxLength);
}
