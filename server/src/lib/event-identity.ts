import { hash } from 'node:crypto';

/**
 * The identity of an event: 128 bits of SHA-256 as 32 hex digits, which PostgreSQL keeps as a `uuid`. It decides
 * what counts as a repetition, so the texts hashed here may never change: a batch that is sent again next week,
 * to a newer server, has to meet the rows of today.
 */
export type EventParts = {
  playerId: string;
  eventType: string;
  epochMs: number;
  /** Nanoseconds below the millisecond. */
  nanos: number;
  /** Both as `canonicalJson` writes them. */
  payloadJson: string;
  metadataJson: string;
  /** Tells identical twins of one batch apart: 0, 1, 2 and so on. */
  ordinal: number;
};

const IDENTITY_HEX_DIGITS = 32;

/**
 * The identity of an event whose sender gave it no `eventId`. The numbers come first, each ended by a colon, and
 * among them the lengths of all texts but the last: so no two different events give the same input, whatever a
 * text contains. Lone surrogates would all become U+FFFD; `checkStorable` has refused them before.
 */
export function eventIdentity(parts: EventParts): string {
  const { playerId, eventType, epochMs, nanos, payloadJson, metadataJson, ordinal } = parts;
  const lengths = `${playerId.length}:${eventType.length}:${payloadJson.length}`;
  return digest(
    `d:${epochMs}:${nanos}:${ordinal}:${lengths}:${playerId}${eventType}${payloadJson}${metadataJson}`,
  );
}

/** The identity of an event that its sender named. The first letter keeps it apart from all derived ones. */
export function namedIdentity(playerId: string, eventId: string): string {
  return digest(`n:${playerId.length}:${playerId}${eventId}`);
}

/**
 * Gives the events of one batch, in their order, their derived identities: each twin gets the next ordinal. A
 * function rather than a list, as a batch mixes derived events with named and with bad ones.
 */
export function createBatchIdentifier(): (parts: Omit<EventParts, 'ordinal'>) => string {
  const twins = new Map<string, number>();
  return (parts) => {
    const first = eventIdentity({ ...parts, ordinal: 0 });
    const ordinal = twins.get(first) ?? 0;
    twins.set(first, ordinal + 1);
    return ordinal === 0 ? first : eventIdentity({ ...parts, ordinal });
  };
}

function digest(input: string): string {
  return hash('sha256', input, 'hex').slice(0, IDENTITY_HEX_DIGITS);
}
