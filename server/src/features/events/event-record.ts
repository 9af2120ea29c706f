import type { Profile } from './player-profile.js';

/** A transaction as one event tells of it; see `transactions` in the schema. */
export type TransactionFact = {
  transactionId: string;
  kind: 'purchase' | 'refund';
  skuId: string | null;
  price: string | null;
  currency: string | null;
  promoId: string | null;
};

/** The internal ids of a player. */
export type PlayerKey = { playerId: string; gameId: number };

/**
 * An event that passed every check. It does not say whose it is by internal ids, which only the database knows: a queue
 * takes events while the database is away.
 */
export type CheckedEvent = {
  /** 128 bits in hex: what makes this event the same one when it is sent again. */
  identity: string;
  /** Set when the client named the event; the name then counts whatever the timestamp. */
  eventId: string | null;
  eventType: string;
  /** In PostgreSQL's text form. */
  occurredAt: string;
  receivedAtMs: number;
  /** The time that aggregates go by: its own, unless its clock is not to be believed. */
  effectiveAtMs: number;
  clockSuspect: boolean;
  /** The timestamp as sent, where it was not in the normal form. */
  timestampText: string | null;
  payloadJson: string;
  metadataJson: string;
  transaction: TransactionFact | null;
  /** What the event says about device and place. */
  profile: Profile | null;
};

/** An event ready to be applied. */
export type EventRecord = CheckedEvent & PlayerKey;

export function recordsOfPlayer(
  events: readonly CheckedEvent[],
  { playerId, gameId }: PlayerKey,
): EventRecord[] {
  // Member by member: spreading each event takes as long as half of the checks before.
  return events.map((event) => ({
    playerId,
    gameId,
    identity: event.identity,
    eventId: event.eventId,
    eventType: event.eventType,
    occurredAt: event.occurredAt,
    receivedAtMs: event.receivedAtMs,
    effectiveAtMs: event.effectiveAtMs,
    clockSuspect: event.clockSuspect,
    timestampText: event.timestampText,
    payloadJson: event.payloadJson,
    metadataJson: event.metadataJson,
    transaction: event.transaction,
    profile: event.profile,
  }));
}
