import { hash } from 'node:crypto';

/**
 * The identity of an event: 128 bits of SHA-256 as 32 hex digits. `transactions` keeps all of them, `event_identities` the first
 * 64 bits behind the id of the player. The identity decides what counts as a repetition, so the texts hashed here may never
 * change: a batch that is sent again next week, to a newer server, has to meet the rows of today.
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
  /** Tells duplicates within a batch apart: 0, 1, 2 and so on. */
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

/** The identity of an event that its sender numbered, within one installation of the player's client. */
export function numberedIdentity(playerId: string, installId: string, sequence: number): string {
  return digest(`s:${sequence}:${playerId.length}:${playerId}${installId}`);
}

function digest(input: string): string {
  return hash('sha256', input, 'hex').slice(0, IDENTITY_HEX_DIGITS);
}
