import { countEvents, countTransactions } from '../../core/events/apply/apply-events.js';
import { mergeTransactions } from '../../core/events/apply/merge-transactions.js';
import { findFacts } from '../../core/players/facts-queries.js';
import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import type { OwnDefinition } from '../../decide/own-attributes/own-definition.js';
import { OwnFold, type OwnState, ownSet, WORKED_OUT_AT } from '../../decide/own-attributes/own-state.js';
import { type Client, type Pool, sendAll } from '../../platform/db/pool.js';
import { findDeletedBefore } from '../../studio/admin-api/game-queries.js';
import { onShadowTables } from './rebuild-connections.js';
import type { RebuiltPlayer } from './rebuilt-player.js';
import { fillShadowTables, showRealTables } from './shadow-tables.js';
import { openStoredBlocks, readStoredBlocks } from './stored-blocks.js';
import { listChanges } from './stored-changes.js';

/** `deletedBefore`: events before this UTC day are deleted, so the facts lack them. */
export type RebuiltFacts = Readonly<{
  facts: PlayerFacts;
  deletedBefore: string | null;
  foldedEvents: number;
}>;

/**
 * The facts about a player at a past instant: folds the stored events of the player again. The fold works on temporary tables, on
 * a connection of `createRebuildPool`, and changes nothing.
 *
 * Events are selected by time of receipt. An event that waited in a queue, or was rejected and replayed later, was applied
 * somewhat after its receipt.
 */
export function rebuildFacts(
  pool: Pool,
  player: RebuiltPlayer,
  atMs: number,
  options: RebuildOptions = {},
): Promise<RebuiltFacts> {
  return onShadowTables(pool, (client) => rebuild(client, player, atMs, options));
}

export type RebuildOptions = Readonly<{
  signal?: AbortSignal | undefined;
  /** Own attributes to compute: those of the document that is explained, whenever they were defined. */
  attributes?: readonly OwnDefinition[] | undefined;
}>;

async function rebuild(
  client: Client,
  player: RebuiltPlayer,
  atMs: number,
  { signal, attributes = [] }: RebuildOptions,
): Promise<RebuiltFacts> {
  await showRealTables(client);
  const own = new OwnFold(ownSet(attributes), await findWorkedOut(client, player.playerId, atMs));
  const deletedBefore = await findDeletedBefore(client, player.gameId);
  await openStoredBlocks(client, [player], { atMs });
  const changes = await listChanges(client, [player], { atMs });
  await fillShadowTables(client, player, atMs);
  for await (const events of readStoredBlocks(client, [player], { atMs })) {
    // The client may have disconnected.
    signal?.throwIfAborted();
    // Only new events are stored, so no duplicates have to be looked up.
    await sendAll(client, countEvents(events));
    for (const event of events) own.add(event.eventType, { ...event, atMs: event.effectiveAtMs });
  }
  await sendAll(client, countTransactions(mergeTransactions([], changes)));
  const [reading] = await findFacts(client, [player.playerId], atMs);
  if (reading === undefined) throw new Error(`the row of player ${player.playerId} was not rebuilt`);
  const { facts } = reading;
  const isComputed = attributes.length > 0 && facts.eventCount > 0;
  return {
    facts: isComputed ? { ...facts, own: own.state } : facts,
    deletedBefore,
    foldedEvents: facts.eventCount,
  };
}

/** When the back-fill reached the player, if that was before the instant: the store that was served then says so. */
async function findWorkedOut(client: Client, playerId: string, atMs: number): Promise<OwnState> {
  const { rows } = await client.query<{ at: number | null }>(
    'select (own_attributes ->> $2)::float8 as at from players where id = $1',
    [playerId, WORKED_OUT_AT],
  );
  const at = rows[0]?.at ?? null;
  return at === null || at > atMs ? {} : { [WORKED_OUT_AT]: at };
}
