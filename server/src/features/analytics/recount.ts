import { type OwnConnection, withOwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';
import {
  ANALYZE_TABLES,
  COMPARE_COHORTS,
  COMPARE_GAME_DAYS,
  COMPARE_PLAYER_DAYS,
  COMPARE_PLAYERS,
  RECOUNT_TABLES,
} from './recount-queries.js';

/** A value that is kept otherwise than a full recount gives it. */
export type Difference = {
  table: 'game_days' | 'game_cohorts' | 'player_days' | 'players';
  /** The day, the cohort and the active day, the userId and the day, or the userId. */
  key: string;
  name: string;
  kept: string | null;
  recounted: string | null;
};

export type Recount = {
  events: number;
  players: number;
  /** What came earlier than this day cannot be recounted, as its events have been deleted. Null: everything was. */
  eventsDeletedBefore: string | null;
  /** The first thousand of each table. */
  differences: Difference[];
  differenceCount: number;
};

/** Room for sorts and hashes of a recount, which nobody waits for; more would be taken from the service. */
const WORK_MEM = '128MB';

/** Counts everything from events, transactions and players and compares. Reads all events of all games: slow, exact. */
export async function recountGame(pool: Pool, gameId: number): Promise<Recount> {
  return withOwnConnection(pool, async (connection) => {
    await connection.query('begin isolation level repeatable read');
    await connection.query("select set_config('work_mem', $1, true)", [WORK_MEM]);
    const recount = await compare(connection, gameId);
    await connection.query('rollback');
    return recount;
  });
}

async function compare(connection: OwnConnection, gameId: number): Promise<Recount> {
  const game = await connection.query<{ deletedBefore: string | null; players: string }>(
    `select events_deleted_before::text as "deletedBefore",
       (select count(*) from players where game_id = g.id) as players
     from games g where id = $1`,
    [gameId],
  );
  const eventsDeletedBefore = game.rows[0]?.deletedBefore ?? null;

  for (const table of RECOUNT_TABLES) await createTable(connection, table, gameId);
  for (const analyze of ANALYZE_TABLES) await connection.query(analyze);
  const counted = await connection.query<{ events: string }>(
    'select coalesce(sum(n), 0) as events from recount_types',
  );

  const differences: Difference[] = [];
  let differenceCount = 0;
  for (const comparison of [COMPARE_GAME_DAYS, COMPARE_COHORTS, COMPARE_PLAYER_DAYS, COMPARE_PLAYERS]) {
    const { rows } = await connection.query<Difference & { total: string }>(comparison, [
      gameId,
      eventsDeletedBefore,
    ]);
    differenceCount += Number(rows[0]?.total ?? 0);
    for (const { total: _, ...difference } of rows) differences.push(difference);
  }
  return {
    events: Number(counted.rows[0]?.events ?? 0),
    players: Number(game.rows[0]?.players ?? 0),
    eventsDeletedBefore,
    differences,
    differenceCount,
  };
}

/** `create table as` takes no parameters: the game is put in by PostgreSQL's own quoting. */
async function createTable(connection: OwnConnection, sql: string, gameId: number): Promise<void> {
  await connection.query(sql.replaceAll('$1', connection.escapeLiteral(String(gameId))));
}
