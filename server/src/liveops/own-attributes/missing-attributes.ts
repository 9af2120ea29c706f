import type { ConfigDocument } from '../../decide/document/document.js';
import { keyOf, type OwnDefinition } from '../../decide/own-attributes/own-definition.js';
import type { OwnFacts } from '../../decide/own-attributes/own-facts.js';
import { OwnFold, type OwnSet, type OwnState, ownSet } from '../../decide/own-attributes/own-state.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Client } from '../../platform/db/pool.js';
import { listPlayerRanges } from '../evaluations/player-queries.js';
import { eventTypesOf } from './back-fill-queries.js';
import { foldBlocks } from './fold-blocks.js';
import { findEventsToFold, findReadyDefinitions, type Missing } from './missing-queries.js';

/** A player with more events is left out: one such player would take as long as thousands of others. */
export const MAX_EVENTS_PER_PLAYER = 100_000;
/** The rows of all players of a large game would take minutes to read. */
const ESTIMATE_SAMPLE = 20_000;

type Connection = DedicatedConnection | Client;
type Player = Readonly<{ playerId: string }> & { own: OwnFacts };

/**
 * Own attributes that rules of a draft use, and that players do not have yet: they are not published, or still being worked out. A dry run and an
 * audience work them out for the players that they examine, from the stored events, as the back-fill will do after a publication.
 */
export class MissingAttributes {
  readonly #set: OwnSet;
  readonly #missing: Missing;
  /** What a player has without any such event. */
  readonly #nothing: OwnState;
  /** The ids of players who were left out because of `MAX_EVENTS_PER_PLAYER`. */
  readonly leftOut = new Set<string>();

  constructor(definitions: readonly OwnDefinition[]) {
    this.#set = ownSet(definitions);
    this.#missing = { eventTypes: eventTypesOf(definitions), keys: this.#set.keys };
    this.#nothing = new OwnFold(this.#set, {}).state;
  }

  /** About how many events would have to be folded for all players of a game, from a sample of them; exact for a small game. */
  async estimateEvents(
    connection: DedicatedConnection,
    gameId: number,
    { players, sampleSize = ESTIMATE_SAMPLE }: { players: number; sampleSize?: number | undefined },
  ): Promise<number> {
    // The last players of ranges of one size are spread evenly over old and new players.
    const ranges = await listPlayerRanges(connection, gameId, Math.max(1, Math.ceil(players / sampleSize)));
    const events = await this.eventsOf(
      connection,
      ranges.map(({ upTo }) => upTo),
    );
    const folded = [...events.values()].filter((count) => count <= MAX_EVENTS_PER_PLAYER);
    return (folded.reduce((sum, count) => sum + count, 0) * players) / Math.max(1, ranges.length);
  }

  /** How many events would have to be folded for each of these players; those for whom there is nothing to fold are left out. */
  eventsOf(connection: Connection, playerIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return findEventsToFold(connection, playerIds, this.#missing);
  }

  /** Completes `own` of the players, in the transaction that they were read in. `events` is from `eventsOf`. */
  async workOut(
    connection: Connection,
    players: readonly Player[],
    events: ReadonlyMap<string, number>,
    signal?: AbortSignal,
  ): Promise<void> {
    const folds = new Map<string, OwnFold>();
    for (const { playerId } of players) {
      const count = events.get(playerId);
      if (count === undefined) continue;
      if (count > MAX_EVENTS_PER_PLAYER) this.leftOut.add(playerId);
      else folds.set(playerId, new OwnFold(this.#set, {}));
    }
    if (folds.size > 0) await foldBlocks(connection, folds, signal);
    for (const player of players) {
      const { playerId, own } = player;
      const fold = folds.get(playerId);
      if (own === 'no events' || (fold === undefined && events.has(playerId))) continue;
      player.own = { ...this.#nothing, ...fold?.state, ...own };
    }
  }
}

/** Null where every player has what the rules use. `keys` are those of the own attributes in the rules. */
export async function findMissingAttributes(
  connection: Connection,
  gameId: number,
  documents: readonly ConfigDocument[],
  keys: ReadonlySet<string>,
): Promise<MissingAttributes | null> {
  if (keys.size === 0) return null;
  const ready = new Set((await findReadyDefinitions(connection, gameId)).map(keyOf));
  const missing = documents
    .flatMap(({ attributes = [] }) => attributes)
    .filter((definition) => keys.has(keyOf(definition)) && !ready.has(keyOf(definition)));
  return missing.length === 0 ? null : new MissingAttributes(missing);
}

/** What a report says of the bounds that were reached. */
export function boundNotes(
  { leftOut }: MissingAttributes,
  { examined, asked, maxEvents }: { examined: number; asked: number; maxEvents: number },
): string[] {
  const notes: string[] = [];
  if (examined < asked) {
    notes.push(
      `Own attributes that players do not have yet were worked out from stored events. That takes at most ${grouped(maxEvents)} events, so ${grouped(examined)} instead of ${grouped(asked)} players were examined.`,
    );
  }
  if (leftOut.size > 0) {
    notes.push(
      `Own attributes that players do not have yet were not worked out for ${grouped(leftOut.size)} of the examined players, who have more than ${grouped(MAX_EVENTS_PER_PLAYER)} events each. Rules that use these attributes do not match for them.`,
    );
  }
  return notes;
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}
