import {
  cancelledBy,
  type DedicatedConnection,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import {
  ADD_UP_COHORTS,
  ADD_UP_DAYS,
  COMPARE_COHORTS,
  COMPARE_GAME_DAYS,
  COMPARE_PLAYER_DAYS,
  COMPARE_PLAYERS,
} from './recount-queries.js';
import {
  countEventsOf,
  countPurchases,
  createRecountTables,
  holdEventTables,
  indexRecountTables,
  listPlayerRanges,
} from './recount-tables.js';

/** A stored value that differs from the full recount. */
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
  /** Earlier days cannot be recounted, because their events have been deleted. Null: everything was recounted. */
  eventsDeletedBefore: string | null;
  /** The first thousand of each comparison. */
  differences: Difference[];
  differenceCount: number;
};

/** As many as a statement of `recount-queries.ts` gives. */
const MAX_DIFFERENCES = 1_000;

/** First all events are read, then players are compared, some at a time. */
export type RecountProgress = { step: 'events' | 'players'; done: number; total: number };

export type RecountOptions = {
  /** How many players are compared at a time. */
  playersPerRange?: number;
  onProgress?: (progress: RecountProgress) => void;
  /** Ends the recount, also in the middle of a statement. */
  signal?: AbortSignal;
};

/** Memory for sorts and hashes of a recount, which has no deadline; more would be taken from the service. */
const WORK_MEM = '128MB';
/** With some hundred events each they fit into that room. */
const PLAYERS_PER_RANGE = 5_000;

/** Counts everything from events, transactions and players and compares. Reads all events of all games: slow, exact. */
export async function recountGame(
  pool: Pool,
  gameId: number,
  options: RecountOptions = {},
): Promise<Recount> {
  return withDedicatedConnection(pool, (connection) =>
    cancelledBy(pool, connection, options.signal, async () => {
      await connection.query('begin isolation level repeatable read');
      await connection.query(`set local work_mem = '${WORK_MEM}'`);
      const recount = await compare(connection, gameId, options);
      await connection.query('rollback');
      return recount;
    }),
  );
}

async function compare(
  connection: DedicatedConnection,
  gameId: number,
  options: RecountOptions,
): Promise<Recount> {
  const { playersPerRange = PLAYERS_PER_RANGE, onProgress, signal } = options;
  await countAll(connection, gameId, options);
  const totals = await findTotals(connection, gameId);
  const ofPlayerDays = createFindings();
  const ofPlayers = createFindings();
  const ranges = await listPlayerRanges(connection, gameId, playersPerRange);
  for (const [done, range] of ranges.entries()) {
    signal?.throwIfAborted();
    onProgress?.({ step: 'players', done, total: ranges.length });
    const values = [...range, gameId, totals.eventsDeletedBefore];
    await connection.query(ADD_UP_DAYS, values);
    await connection.query(ADD_UP_COHORTS, values);
    await ofPlayerDays.add(connection, COMPARE_PLAYER_DAYS, values);
    await ofPlayers.add(connection, COMPARE_PLAYERS, values);
  }
  const ofGame = createFindings();
  const ofCohorts = createFindings();
  await ofGame.add(connection, COMPARE_GAME_DAYS, [gameId, totals.eventsDeletedBefore]);
  await ofCohorts.add(connection, COMPARE_COHORTS, [gameId, totals.eventsDeletedBefore]);
  const all = [ofGame, ofCohorts, ofPlayerDays, ofPlayers];
  return {
    ...totals,
    differences: all.flatMap(({ first }) => first),
    differenceCount: all.reduce((sum, { count }) => sum + count(), 0),
  };
}

/** Reads all events, one table after the other: how far it has come is known by their sizes. */
async function countAll(
  connection: DedicatedConnection,
  gameId: number,
  { onProgress, signal }: Pick<RecountOptions, 'onProgress' | 'signal'>,
): Promise<void> {
  const tables = await holdEventTables(connection);
  const total = tables.reduce((sum, { pages }) => sum + pages, 0);
  await createRecountTables(connection);
  let done = 0;
  for (const table of tables) {
    signal?.throwIfAborted();
    onProgress?.({ step: 'events', done, total });
    await countEventsOf(connection, table, gameId);
    done += table.pages;
  }
  await countPurchases(connection, gameId);
  await indexRecountTables(connection);
}

async function findTotals(
  connection: DedicatedConnection,
  gameId: number,
): Promise<Pick<Recount, 'events' | 'players' | 'eventsDeletedBefore'>> {
  const { rows } = await connection.query<{ deletedBefore: string | null; players: string; events: string }>(
    `select events_deleted_before::text as "deletedBefore", (select count(*) from players where game_id = g.id) as players,
       (select coalesce(sum(n), 0) from recount_types) as events
     from games g where id = $1`,
    [gameId],
  );
  const [row] = rows;
  return {
    events: Number(row?.events ?? 0),
    players: Number(row?.players ?? 0),
    eventsDeletedBefore: row?.deletedBefore ?? null,
  };
}

/** The first differences of a comparison, and how many there are. */
function createFindings() {
  const first: Difference[] = [];
  let found = 0;
  return {
    first,
    count: () => found,
    async add(connection: DedicatedConnection, comparison: string, values: unknown[]): Promise<void> {
      const { rows } = await connection.query<Difference & { total: string }>(comparison, values);
      found += Number(rows[0]?.total ?? 0);
      for (const { total: _, ...difference } of rows.slice(0, MAX_DIFFERENCES - first.length)) {
        first.push(difference);
      }
    },
  };
}
