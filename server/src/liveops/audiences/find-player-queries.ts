import { type Pool, query } from '../../platform/db/pool.js';

/** The player of a device: the first id that is stored counts. */
export async function findPlayerOfDevice(
  pool: Pool,
  gameId: number,
  deviceIds: readonly string[],
): Promise<string | undefined> {
  const rows = await query<{ id: string }>(
    pool,
    {
      name: 'find_player_of_device',
      text: `select player_id as id from devices where game_id = $1 and device_id = any ($2::text[])
             order by device_id = ($2::text[])[1] desc limit 1`,
    },
    [gameId, deviceIds],
  );
  return rows[0]?.id;
}

/** The players with a transaction of this id, after a player. Several players may have the same transaction id. */
export async function listPlayersOfTransaction(
  pool: Pool,
  gameId: number,
  transactionId: string,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    pool,
    {
      name: 'list_players_of_transaction',
      text: `select player_id as id from transactions
             where game_id = $1 and transaction_id = $2 and player_id > $3
             order by player_id
             limit $4`,
    },
    [gameId, transactionId, afterId, limit],
  );
  return rows.map(({ id }) => id);
}

/** Which of some players have a transaction of this id. */
export async function listHoldersOfTransaction(
  pool: Pool,
  playerIds: readonly string[],
  transactionId: string,
): Promise<ReadonlySet<string>> {
  const rows = await query<{ id: string }>(
    pool,
    {
      name: 'list_holders_of_transaction',
      text: `select player_id as id from transactions where player_id = any($1::bigint[]) and transaction_id = $2`,
    },
    [playerIds, transactionId],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Players who sent a purchase or refund with this transaction id that was refused. */
export async function listPlayersOfFailedTransaction(
  pool: Pool,
  gameId: number,
  transactionId: string,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    pool,
    {
      name: 'list_players_of_failed_transaction',
      text: `select distinct player_id as id from (
               select player_id from failed_events
               where game_id = $1 and transaction_id = $2
               order by player_id
               limit $3
             ) entries`,
    },
    [gameId, transactionId, limit],
  );
  return rows.map(({ id }) => id);
}

/** UUIDs from the first to the last, both included. */
export type UuidRange = Readonly<{ first: string; last: string }>;

/** Both indexes of user ids are those of all games: of so many ids those of the game are taken. */
const MAX_IDS_OF_ALL_GAMES = 2_000;

/** Players of a game whose user id lies in a range. */
export async function listPlayersByStartOfId(
  pool: Pool,
  gameId: number,
  { first, last }: UuidRange,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    pool,
    {
      name: 'list_players_by_start_of_id',
      text: `select id from (
               select id, game_id from players
               where user_id between $2 and $3
               order by user_id
               limit ${MAX_IDS_OF_ALL_GAMES}
             ) p
             where game_id = $1
             limit $4`,
    },
    [gameId, first, last, limit],
  );
  return rows.map(({ id }) => id);
}

/** The digits of a user id from the last to the first, as the index `players_by_end_of_id` has them. */
const REVERSED_USER_ID = "reverse(replace(user_id::text, '-', ''))::uuid";

/** Players of a game the digits of whose user id, from the last to the first, lie in a range. */
export async function listPlayersByEndOfId(
  pool: Pool,
  gameId: number,
  { first, last }: UuidRange,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    pool,
    {
      name: 'list_players_by_end_of_id',
      text: `select id from (
               select id, game_id from players
               where ${REVERSED_USER_ID} between $2::uuid and $3::uuid
               order by ${REVERSED_USER_ID}
               limit ${MAX_IDS_OF_ALL_GAMES}
             ) p
             where game_id = $1
             limit $4`,
    },
    [gameId, first, last, limit],
  );
  return rows.map(({ id }) => id);
}
