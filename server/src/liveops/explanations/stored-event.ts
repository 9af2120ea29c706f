import { readBuiltInType } from '../../core/events/intake/built-in-event-types.js';
import type { CountedEvent, TransactionFact } from '../../core/events/intake/event-record.js';
import { readProfile } from '../../core/events/intake/player-profile.js';
import type { RebuiltPlayer } from './rebuilt-player.js';

/** An event as it was stored. */
export type StoredEvent = {
  identity: string | null;
  eventType: string;
  occurredAt: string;
  occurredAtMs: number;
  receivedAtMs: number;
  clockSuspect: boolean;
  payload: Record<string, unknown>;
  metadata: Record<string, unknown>;
  /** What a purchase was decided to count as, where that is not what its payload says. */
  sale: TransactionFact | null | undefined;
};

/** The event as it was when it was folded. */
export function countedEvent(stored: StoredEvent, { playerId, gameId }: RebuiltPlayer): CountedEvent {
  const {
    identity,
    eventType,
    occurredAt,
    occurredAtMs,
    receivedAtMs,
    clockSuspect,
    payload,
    metadata,
    sale,
  } = stored;
  const builtIn = readBuiltInType(eventType, payload, metadata, identity ?? '');
  // The event was valid for its built-in type when it was stored. If it is not today, it counts as an event of any other type.
  const { transaction: claimed, playMs } = 'code' in builtIn ? { transaction: null, playMs: 0 } : builtIn;
  const transaction = sale === undefined ? claimed : sale;
  return {
    playerId,
    gameId,
    identity,
    eventType,
    occurredAt,
    receivedAtMs,
    effectiveAtMs: clockSuspect ? receivedAtMs : Math.min(occurredAtMs, receivedAtMs),
    playMs,
    transaction,
    profile: readProfile(metadata, transaction),
  };
}
