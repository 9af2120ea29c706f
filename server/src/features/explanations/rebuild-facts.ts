import { type Client, createPool, sendAll } from '../../db/pool.js';
import type { PlayerFacts } from '../../personalisation/attributes/player-facts.js';
import { countEvents } from '../events/apply-events.js';
import type { CountedEvent } from '../events/event-record.js';
import { findFacts } from '../players/facts-queries.js';
import { fetchOldEvents, openOldEvents } from './old-stored-events.js';
import type { RebuiltPlayer } from './rebuilt-player.js';
import { shadowTables } from './shadow-tables.js';
import { openStoredBlocks, readStoredBlocks } from './stored-blocks.js';

/** `deletedBefore`: the day, in UTC, before which the game's events are gone, and with them what they told. */
export type RebuiltFacts = Readonly<{ facts: PlayerFacts; deletedBefore: string | null }>;

/** For one statement. Finding a player's events in the former layout can take a while, but not hours. */
const TIMEOUT_MS = 120_000;

/**
 * The facts about a player at an instant of the past: their stored events, folded again by the code that folded them then. It
 * works on temporary tables, on a connection of its own, and changes nothing.
 *
 * It goes by the time of receipt. An event that waited in a queue, or was rejected and replayed later, was applied somewhat
 * after that.
 */
export async function rebuildFacts(
  databaseUrl: string,
  player: RebuiltPlayer,
  atMs: number,
  signal?: AbortSignal,
): Promise<RebuiltFacts> {
  // A connection of its own, because of the prepared statements, the temporary tables and the time it takes.
  const pool = createPool({
    url: databaseUrl,
    size: 1,
    timeoutMs: TIMEOUT_MS,
    onError: () => {},
    // Whatever the statistics say: only this player's blocks are read.
    lookUps: 'planned each time',
  });
  try {
    const client = await pool.connect();
    try {
      // One snapshot: what happens meanwhile is in all of the tables or in none.
      await client.query('begin isolation level repeatable read');
      return await rebuild(client, player, atMs, signal);
    } finally {
      await client.query('rollback').catch(() => {});
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

async function rebuild(
  client: Client,
  player: RebuiltPlayer,
  atMs: number,
  signal: AbortSignal | undefined,
): Promise<RebuiltFacts> {
  const deletedBefore = await findDeletedBefore(client, player.gameId);
  await openStoredBlocks(client, player, atMs);
  const hasOldEvents = await openOldEvents(client, player, atMs);
  await shadowTables(client, player, atMs);
  const fold = async (events: readonly CountedEvent[]) => {
    // The client may have hung up.
    signal?.throwIfAborted();
    // Everything that is stored was new, so nothing has to be looked up.
    await sendAll(client, countEvents(events));
  };
  for await (const events of readStoredBlocks(client, player, atMs)) await fold(events);
  while (hasOldEvents) {
    const events = await fetchOldEvents(client, player);
    if (events.length === 0) break;
    await fold(events);
  }
  const [reading] = await findFacts(client, [player.playerId], atMs);
  if (reading === undefined) throw new Error(`the row of player ${player.playerId} was not rebuilt`);
  return { facts: reading.facts, deletedBefore };
}

async function findDeletedBefore(client: Client, gameId: number): Promise<string | null> {
  const { rows } = await client.query<{ day: string | null }>(
    'select events_deleted_before::text as day from games where id = $1',
    [gameId],
  );
  return rows[0]?.day ?? null;
}
