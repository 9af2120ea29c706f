import { PLAYER_TABLES } from '../../platform/db/player-tables.js';
import type { Client } from '../../platform/db/pool.js';
import type { RebuiltPlayer } from './rebuilt-player.js';

/** The tables of a game that the fold writes, besides those of players. */
const FOLDED_GAME_TABLES = ['game_days', 'game_event_types', 'game_cohorts'];
const FOLDED_TABLES = [...playerTables('folded'), ...FOLDED_GAME_TABLES];
const COPIED_PLAYER_TABLES = playerTables('copied');
const COPIED_TABLES = [...COPIED_PLAYER_TABLES, 'games'];

function playerTables(rebuild: 'folded' | 'copied'): string[] {
  return PLAYER_TABLES.filter((table) => table.rebuild === rebuild).map(({ name }) => name);
}

/**
 * Creates empty temporary tables with the names of all tables that the fold of events and the reading of facts use. PostgreSQL
 * looks for temporary tables first, so the same statements then work on them. Their results are those of the service, and no
 * real table is written or locked.
 *
 * Once for a connection: the tables cost more than the rebuild of most players. They are empty again after every rebuild,
 * because its transaction is rolled back.
 */
export async function createShadowTables(client: Client): Promise<void> {
  const copies = COPIED_TABLES.map((name) => {
    const table = client.escapeIdentifier(name);
    return `create temp table ${table} (like ${table})`;
  });
  // With the keys that the upserts of the fold name.
  const folds = FOLDED_TABLES.map((name) => {
    const table = client.escapeIdentifier(name);
    return `create temp table ${table} (like ${table} including defaults including indexes)`;
  });
  await client.query([...copies, ...folds].join(';\n'));
}

/** Until `fillShadowTables`, statements read the real tables. Only in this transaction (the last argument). */
export async function showRealTables(client: Client): Promise<void> {
  await client.query(`select set_config('search_path', current_setting('search_path') || ', pg_temp', true)`);
}

/**
 * Copies what a rebuild needs of the real tables, and lets the temporary tables hide them. From here on the transaction is
 * read-only, which only allows writing to temporary tables. If the fold begins to write a table that has no shadow, the rebuild
 * fails and changes nothing.
 */
export async function fillShadowTables(
  client: Client,
  { playerId, gameId, userId, createdAt }: RebuiltPlayer,
  atMs: number,
): Promise<void> {
  await copyGame(client, gameId);
  await copyRowsOf(client, playerId, atMs);
  await hideRealTables(client);
  await upsertBarePlayer(client, [playerId, gameId, userId, new Date(createdAt), new Date(atMs)]);
  await client.query('set transaction read only');
}

/** Copies the rows of an instant that no event makes. */
async function copyRowsOf(client: Client, playerId: string, atMs: number): Promise<void> {
  await copyOverrides(client, playerId, atMs);
  await copyPins(client, playerId, atMs);
  await copyStays(client, playerId, atMs);
  await copyExposures(client, playerId, atMs);
}

export async function hideRealTables(client: Client): Promise<void> {
  await client.query('set local search_path to default');
}

/** The same for several players, without what no event makes: see `copyInstant`. */
export async function fillShadowTablesOfMany(
  client: Client,
  gameId: number,
  players: readonly RebuiltPlayer[],
): Promise<void> {
  await copyGame(client, gameId);
  await hideRealTables(client);
  await client.query(
    `insert into players (id, game_id, user_id, created_at)
     select id, $1, user_id, to_timestamp(created_at / 1000.0)
     from unnest($2::bigint[], $3::uuid[], $4::float8[]) as p(id, user_id, created_at)`,
    [
      gameId,
      players.map(({ playerId }) => playerId),
      players.map(({ userId }) => userId),
      players.map(({ createdAt }) => createdAt),
    ],
  );
  await client.query('set transaction read only');
}

/** Replaces what no event makes, of whichever player it is, by the rows of one player at an instant. */
export async function copyInstant(client: Client, player: RebuiltPlayer, atMs: number): Promise<void> {
  const { playerId, gameId, userId, createdAt } = player;
  await showRealTables(client);
  for (const table of COPIED_PLAYER_TABLES)
    await client.query(`delete from pg_temp.${client.escapeIdentifier(table)}`);
  await copyRowsOf(client, playerId, atMs);
  await hideRealTables(client);
  await upsertBarePlayer(client, [playerId, gameId, userId, new Date(createdAt), new Date(atMs)]);
}

/** Which of the players have rows that no event makes: only they need `copyInstant`. While the real tables are shown. */
export async function listPlayersToCopy(
  client: Client,
  players: readonly RebuiltPlayer[],
): Promise<string[]> {
  const ids = players.map(({ playerId }) => playerId);
  const found = new Set<string>();
  for (const table of COPIED_PLAYER_TABLES) {
    const name = client.escapeIdentifier(table);
    const { rows } = await client.query<{ id: string }>(
      `select distinct player_id as id from ${name} where player_id = any($1::bigint[])`,
      [ids],
    );
    for (const { id } of rows) found.add(id);
  }
  return [...found];
}

/** Copies the game, without its day of retention: the fold would refuse events before that day. Experiments may have run then. */
async function copyGame(client: Client, gameId: number): Promise<void> {
  await client.query('insert into pg_temp.games select * from games where id = $1', [gameId]);
  await client.query('update pg_temp.games set events_deleted_before = null, running_experiments = $$[]$$');
}

async function copyOverrides(client: Client, playerId: string, atMs: number): Promise<void> {
  await client.query(
    `insert into pg_temp.flag_overrides
     select * from flag_overrides where player_id = $1 and set_at <= $2`,
    [playerId, new Date(atMs)],
  );
}

async function copyPins(client: Client, playerId: string, atMs: number): Promise<void> {
  await client.query(
    `insert into pg_temp.player_pins
     select * from player_pins where player_id = $1 and set_at <= $2`,
    [playerId, new Date(atMs)],
  );
}

/** Copies the stays of the player at the instant. A stay that ended later had not ended then. */
async function copyStays(client: Client, playerId: string, atMs: number): Promise<void> {
  await client.query(
    `insert into pg_temp.segment_stays
     select * from segment_stays where player_id = $1 and entered_at <= $2 and (left_at is null or left_at > $2)`,
    [playerId, new Date(atMs)],
  );
  await client.query('update pg_temp.segment_stays set left_at = null, left_value = null');
}

/** An arm counts from the exposure on. */
async function copyExposures(client: Client, playerId: string, atMs: number): Promise<void> {
  await client.query(
    `insert into pg_temp.experiment_exposures
     select * from experiment_exposures where player_id = $1 and exposed_at <= $2`,
    [playerId, new Date(atMs)],
  );
}

async function upsertBarePlayer(client: Client, values: unknown[]): Promise<void> {
  await client.query(
    `insert into players (id, game_id, user_id, created_at, overrides_at, stays_at)
     select $1, $2, $3, $4, greatest(max(set_at), max(cleared_at) filter (where cleared_at <= $5)),
       (select max(entered_at) from segment_stays)
     from (select set_at, cleared_at from flag_overrides union all select set_at, cleared_at from player_pins) changes
     on conflict (id) do update set overrides_at = excluded.overrides_at, stays_at = excluded.stays_at`,
    values,
  );
}
