import { type Pool, query } from '../../platform/db/pool.js';

export type DoneErasure = { erasureId: string; gameId: number; playerHash: Buffer; erasedAt: number };

/** Finished erasures behind an id, in the order of their ids. */
export function listDoneErasures(pool: Pool, afterId: string, limit: number): Promise<DoneErasure[]> {
  return query<DoneErasure>(
    pool,
    {
      name: 'list_done_erasures',
      text: `select id as "erasureId", game_id as "gameId", player_hash as "playerHash", finished_at as "erasedAt"
             from erasures where state = 'done' and id > $1
             order by id
             limit $2`,
    },
    [afterId, limit],
  );
}

export type WalkedPlayer = { playerId: string; gameId: number; userId: string };

export function listPlayersAfter(pool: Pool, afterId: string, limit: number): Promise<WalkedPlayer[]> {
  return query<WalkedPlayer>(
    pool,
    {
      name: 'list_players_after',
      text: 'select id as "playerId", game_id as "gameId", user_id as "userId" from players where id > $1 order by id limit $2',
    },
    [afterId, limit],
  );
}

/** Of a player who is in the list, and not in this database: later events are recognised by it. */
export async function insertListedErasures(
  pool: Pool,
  listed: readonly (Omit<DoneErasure, 'playerHash'> & { playerHash: Buffer })[],
): Promise<void> {
  await query(
    pool,
    {
      name: 'insert_listed_erasures',
      text: `insert into erasures (id, game_id, player_hash, state, requested_by, requested_at, due_at, finished_at)
             select id, game_id, hash, 'done', 'the list of erased players', at, at, at
             from unnest($1::uuid[], $2::int[], $3::bytea[], $4::timestamptz[]) as l(id, game_id, hash, at)
             on conflict do nothing`,
    },
    [
      listed.map(({ erasureId }) => erasureId),
      listed.map(({ gameId }) => gameId),
      listed.map(({ playerHash }) => playerHash),
      listed.map(({ erasedAt }) => new Date(erasedAt)),
    ],
  );
}

/** Dead letters whose player does not exist, behind an id: see operations/queue/unattributed-queries.ts. */
export function listUnknownPlayers(
  pool: Pool,
  afterId: string,
  limit: number,
): Promise<{ id: string; message: string }[]> {
  return query<{ id: string; message: string }>(
    pool,
    {
      name: 'list_unknown_players',
      text: `select id, message from failed_events
             where game_id = 0 and code = 'player_unknown' and replayed_at is null and id > $1
             order by id
             limit $2`,
    },
    [afterId, limit],
  );
}

/** They belong to no game: the totals of the inbox do not count them. */
export async function deleteDeadLetters(pool: Pool, ids: readonly string[]): Promise<number> {
  const rows = await query(
    pool,
    {
      name: 'delete_dead_letters',
      text: 'delete from failed_events where id = any($1::bigint[]) returning id',
    },
    [ids],
  );
  return rows.length;
}
