import { inTransaction, type OwnConnection } from '../../../db/own-connection.js';
import { rest } from '../../../db/rest.js';
import { utcDay } from '../../../lib/day.js';
import {
  deleteBreakdowns,
  deleteOldBreakdowns,
  deleteSums,
  endWalk,
  insertBreakdowns,
  upsertActivePlayers,
} from './end-queries.js';
import { sumPlayers } from './sum-queries.js';
import {
  type DueGame,
  findWalk,
  insertWalk,
  listChangedDays,
  listDueGames,
  skipWalk,
  updateWalk,
  type Walk,
} from './work-queries.js';

export type SumOptions = {
  nowMs: number;
  signal?: AbortSignal | undefined;
  /** How many players are read at a time. */
  playersAPortion?: number;
  /** A game is looked at again after this time, or after twenty times what the walk took. */
  pauseMs?: number;
};

export type SumResult = Readonly<{ isDone: boolean; daysSummed: number; rowsDeleted: number }>;

/** Each portion writes all sums once: smaller ones would write more than they read. */
const PLAYERS_A_PORTION = 10_000;
const PAUSE_MS = 240_000;
/**
 * A portion takes a core of PostgreSQL. Without rests, a walk through a million players took a third of the events of others for
 * seconds, on two cores; with them it takes four times as long, beside others.
 */
const BUSY_REST = 3;
/** The first walk of a game, and one after a long outage, leaves the older days to the next. */
const DAYS_A_WALK = 31;
const GAMES_A_LIST = 200;

/**
 * Sums what cannot be kept while events are taken in: weekly and monthly active players, and the numbers of days by country,
 * platform, build, SKU and promotion. Each game whose roll-ups have changed is walked through, by the ids of its players:
 *
 *   changed days? ──► begin ──► portion of players ──► … ──► the last one ──► end: rows of the days replaced, in one transaction
 *        │ none                 └── commits sums and place together: a run that is killed goes on here
 *        └──► next game
 *
 * A day that changes during its walk, or at any later time, differs from what the roll-ups said when the walk began: it is summed
 * again by a later run. `connection` reads by index (`walkByIndex`). Only one run may be at work: maintenance sees to that.
 */
export async function sumBreakdowns(connection: OwnConnection, options: SumOptions): Promise<SumResult> {
  const { nowMs, signal, pauseMs = PAUSE_MS } = options;
  const failures = new Map<number, unknown>();
  let daysSummed = 0;
  let rowsDeleted = 0;
  // Each portion seems long to the planner: compiling it would take longer than running it.
  await connection.query('set jit = off');
  for (;;) {
    const except = [...failures.keys()];
    const games = await listDueGames(connection, { except, nowMs, pauseMs, limit: GAMES_A_LIST });
    for (const game of games) {
      if (signal?.aborted) return { isDone: false, daysSummed, rowsDeleted };
      try {
        rowsDeleted += await deleteOldBreakdowns(connection, game);
        daysSummed += await sumGame(connection, game, options);
      } catch (error) {
        // The others are summed all the same.
        failures.set(game.gameId, error);
      }
    }
    if (games.length < GAMES_A_LIST) break;
  }
  for (const failure of failures.values()) throw failure;
  return { isDone: signal?.aborted !== true, daysSummed, rowsDeleted };
}

/** How many days were summed; none if it was interrupted. */
async function sumGame(connection: OwnConnection, game: DueGame, options: SumOptions): Promise<number> {
  const { nowMs, signal, playersAPortion = PLAYERS_A_PORTION } = options;
  const walk = (await findWalk(connection, game.gameId, nowMs)) ?? (await beginWalk(connection, game, nowMs));
  if (walk === undefined) return 0;
  const { gameId, days, today } = walk;
  let { behind } = walk;
  for (;;) {
    if (signal?.aborted) return 0;
    const started = performance.now();
    const last = await inTransaction(connection, async () => {
      const portion = { gameId, behind, players: playersAPortion, days, today };
      const id = await sumPlayers(connection, portion);
      if (id !== null) await updateWalk(connection, gameId, id, performance.now() - started);
      return id;
    });
    if (last === null) break;
    behind = last;
    await rest(connection, { stepMs: performance.now() - started, share: BUSY_REST, leastMs: 0, signal });
  }
  const summed = { gameId, days, today };
  await inTransaction(connection, async () => {
    await deleteBreakdowns(connection, summed);
    await insertBreakdowns(connection, summed);
    await upsertActivePlayers(connection, summed);
    await deleteSums(connection, gameId);
    await endWalk(connection, gameId, nowMs);
  });
  return days.length;
}

/** Undefined if nothing has changed. */
async function beginWalk(connection: OwnConnection, game: DueGame, nowMs: number): Promise<Walk | undefined> {
  const { gameId } = game;
  const today = utcDay(nowMs);
  const changed = await listChangedDays(connection, game, today, DAYS_A_WALK);
  if (changed.length === 0) {
    await skipWalk(connection, gameId, nowMs);
    return undefined;
  }
  await inTransaction(connection, async () => {
    await deleteSums(connection, gameId);
    await insertWalk(connection, gameId, changed, nowMs);
  });
  return { gameId, days: changed.map(({ day }) => day), behind: '0', today };
}
