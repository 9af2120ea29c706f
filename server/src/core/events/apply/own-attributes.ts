import type { FoldedEvent } from '../../../decide/own-attributes/event-value.js';
import { OwnFold, type OwnSet, type OwnState } from '../../../decide/own-attributes/own-state.js';
import type { EventRecord } from '../intake/event-record.js';
import type { EventSums } from './event-sums.js';
import { type OwnSetId, setKey } from './own-sets.js';

/** What is known of a locked player's own attributes. */
export type LockedOwn = OwnSetId &
  Readonly<{
    /** Null: the player has no event yet. */
    state: OwnState | null;
  }>;

/** Of the players whose games have own attributes, by player id. */
export type OwnAttributes = Readonly<{
  players: ReadonlyMap<string, LockedOwn>;
  sets: ReadonlyMap<string, OwnSet>;
}>;

/**
 * Folds new events into the own attributes of their players, each by the set that the player's state was computed by. A newer set of the game
 * does not matter here: the back-fill brings the player to it (ADR 0060).
 */
export function foldOwnAttributes(
  sums: EventSums,
  records: readonly EventRecord[],
  own: OwnAttributes,
): void {
  if (own.players.size === 0) return;
  const folds = new Map<string, OwnFold>();
  for (const [playerId, locked] of own.players) {
    const set = own.sets.get(setKey(locked));
    if (set !== undefined && set.keys.length > 0) folds.set(playerId, new OwnFold(set, locked.state ?? {}));
  }
  for (const record of records) {
    const fold = folds.get(record.playerId);
    if (fold?.reads(record.eventType)) fold.add(record.eventType, new UnparsedEvent(record));
  }
  for (const row of sums.rows) {
    const fold = row.onlyAbout === 'day' ? undefined : folds.get(row.playerId);
    const locked = own.players.get(row.playerId);
    if (fold === undefined || locked === undefined) continue;
    // The first events of a player make the state, also if they say nothing about it.
    if (!fold.hasChanged && locked.state !== null) continue;
    row.own = JSON.stringify(fold.state);
    row.ownVersion = locked.version;
  }
}

/** An event whose payload and metadata are parsed when an attribute asks for them. */
class UnparsedEvent implements FoldedEvent {
  readonly atMs: number;
  readonly #record: EventRecord;
  #payload: FoldedEvent['payload'] | undefined;
  #metadata: FoldedEvent['metadata'] | undefined;

  constructor(record: EventRecord) {
    this.atMs = record.effectiveAtMs;
    this.#record = record;
  }

  get payload(): FoldedEvent['payload'] {
    this.#payload ??= JSON.parse(this.#record.payloadJson) as FoldedEvent['payload'];
    return this.#payload;
  }

  get metadata(): FoldedEvent['metadata'] {
    this.#metadata ??= JSON.parse(this.#record.metadataJson) as FoldedEvent['metadata'];
    return this.#metadata;
  }
}
