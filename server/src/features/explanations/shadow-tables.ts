import type { Client } from '../../db/pool.js';
import type { RebuiltPlayer } from './rebuilt-player.js';

/**
 * Creates empty temporary tables with the names of all tables that the fold of events and the reading of facts use. PostgreSQL
 * looks for temporary tables first, so the same statements then work on them. Their results are those of the service, and no
 * real table is written or locked.
 *
 * What is needed of the real tables must be read or copied before, because the temporary tables hide them. Afterwards the
 * transaction is read-only, which only allows writing to temporary tables. If the fold begins to write a table that is missing
 * here, the rebuild fails and changes nothing.
 */
export async function shadowTables(
  client: Client,
  { playerId, gameId, userId, createdAt }: RebuiltPlayer,
  atMs: number,
): Promise<void> {
  await copyGame(client, gameId);
  await copyOverrides(client, playerId, atMs);
  await copyStays(client, playerId, atMs);
  await createEmptyTables(client);
  await insertBarePlayer(client, [playerId, gameId, userId, new Date(createdAt), new Date(atMs)]);
  await client.query('set transaction read only');
}

/** Copies the game, without its day of retention: the fold would refuse events before that day. */
async function copyGame(client: Client, gameId: number): Promise<void> {
  await client.query('create temp table games on commit drop as select * from games where id = $1', [gameId]);
  await client.query('update games set events_deleted_before = null');
}

async function copyOverrides(client: Client, playerId: string, atMs: number): Promise<void> {
  await client.query(
    `create temp table flag_overrides on commit drop as
     select * from flag_overrides where player_id = $1 and set_at <= $2`,
    [playerId, new Date(atMs)],
  );
}

/** Copies the stays of the player at the instant. A stay that ended later had not ended then. */
async function copyStays(client: Client, playerId: string, atMs: number): Promise<void> {
  await client.query(
    `create temp table segment_stays on commit drop as
     select player_id, segment_id, thresholds, entered_at, entered_value, null::timestamptz as left_at
     from segment_stays where player_id = $1 and entered_at <= $2 and (left_at is null or left_at > $2)`,
    [playerId, new Date(atMs)],
  );
}

async function createEmptyTables(client: Client): Promise<void> {
  await client.query(`
    create temp table players (like players including defaults including indexes) on commit drop;
    create temp table player_days (like player_days including defaults including indexes) on commit drop;
    create temp table transactions (like transactions including indexes) on commit drop;
    create temp table player_promotions (like player_promotions including defaults including indexes) on commit drop;
    create temp table game_days (like game_days including defaults including indexes) on commit drop;
    create temp table game_event_types (like game_event_types including defaults including indexes) on commit drop;
    create temp table game_cohorts (like game_cohorts including defaults including indexes) on commit drop`);
}

async function insertBarePlayer(client: Client, values: unknown[]): Promise<void> {
  await client.query(
    `insert into players (id, game_id, user_id, created_at, overrides_at, stays_at)
     select $1, $2, $3, $4, greatest(max(set_at), max(cleared_at) filter (where cleared_at <= $5)),
       (select max(entered_at) from segment_stays)
     from flag_overrides`,
    values,
  );
}
