import { isDeepStrictEqual } from 'node:util';
import { type DedicatedConnection, inTransaction } from '../../../platform/db/dedicated-connection.js';
import { pause } from '../../../platform/db/pause.js';
import { utcDay } from '../../../platform/lib/day.js';
import { findRateTable } from '../../../studio/money/rate-queries.js';
import { deleteInstallSums, replaceInstalls, sumInstalls } from '../installs/install-sum-queries.js';
import {
  deleteBreakdowns,
  deleteOldBreakdowns,
  insertBreakdowns,
  listChangedDays,
  upsertActivePlayers,
  upsertSummedDays,
} from './result-queries.js';
import {
  type DueGame,
  findRun,
  insertEmptyRun,
  insertRun,
  listDueGames,
  type NewRun,
  type Run,
  updateEndedRun,
  updateRunPosition,
} from './run-queries.js';
import { deleteSums, sumPlayers } from './sum-queries.js';

export type SumOptions = {
  nowMs: number;
  signal?: AbortSignal | undefined;
  playersPerChunk?: number;
  /** A game is due again after this time, or after twenty times what its last run took. */
  pauseMs?: number;
  /** Sums this game alone, at once and without pauses. */
  onlyGameId?: number;
};

export type SumResult = Readonly<{ isDone: boolean; daysSummed: number; rowsDeleted: number }>;

/** Each chunk writes all sums once: smaller chunks would write more than they read. */
const PLAYERS_PER_CHUNK = 10_000;
const PAUSE_MS = 240_000;
/**
 * A chunk takes a core of PostgreSQL. Without pauses, a run over a million players took a third of the throughput of intake for
 * seconds, on two cores. With pauses it takes four times as long while others are at work.
 */
const BUSY_PAUSE_SHARE = 3;
/** More days are summed in further runs, one after the other. The other games that are due come in between. */
const DAYS_PER_RUN = 31;
const GAMES_PER_LIST = 200;

/**
 * Sums what cannot be kept while events are taken in: weekly and monthly active players, and the numbers of days by country,
 * platform, build, SKU and promotion, and revenue per install by cohort. Each game whose roll-ups or days of exchange rates have changed gets a run over its
 * players, in the order of their ids:
 *
 *   changed days? ──► start ──► chunk of players ──► … ──► last chunk ──► end: rows of the days replaced, in one transaction
 *        │ none                 └── commits sums and position together: a run that is killed is resumed here
 *        └──► next game
 *
 * A day that changes during its run, or at any later time, differs from the totals that were read when the run started. So a later
 * run sums it again. After the first run of a game, or an import of history, more days are behind than a run takes: further runs follow
 * without a pause, until each of these days was summed once. `connection` reads by index (`walkByIndex`). Maintenance makes sure that
 * only one run is at work.
 */
export async function sumBreakdowns(
  connection: DedicatedConnection,
  options: SumOptions,
): Promise<SumResult> {
  const { nowMs, signal, pauseMs = PAUSE_MS, onlyGameId = null } = options;
  const failures = new Map<number, unknown>();
  let daysSummed = 0;
  let rowsDeleted = 0;
  /** Gives the games with days left. */
  const sumEach = async (games: readonly GameToSum[]): Promise<GameToSum[]> => {
    const left: GameToSum[] = [];
    for (const { game, summed } of games) {
      if (signal?.aborted) return [];
      try {
        if (summed === undefined) rowsDeleted += await deleteOldBreakdowns(connection, game);
        const days = await sumGame(connection, { game, summed }, options);
        daysSummed += days.length;
        if (days.length === DAYS_PER_RUN) left.push({ game, summed: [...(summed ?? []), ...days] });
      } catch (error) {
        // The other games are still summed.
        failures.set(game.gameId, error);
      }
    }
    return left;
  };
  let left: GameToSum[] = [];
  for (;;) {
    const except = [...failures.keys()];
    const games = await listDueGames(connection, {
      ...{ except, nowMs, pauseMs, onlyGameId },
      limit: GAMES_PER_LIST,
    });
    left.push(...(await sumEach(games.map((game) => ({ game })))));
    if (games.length < GAMES_PER_LIST || signal?.aborted) break;
  }
  while (left.length > 0) left = await sumEach(left);
  for (const failure of failures.values()) throw failure;
  return { isDone: signal?.aborted !== true, daysSummed, rowsDeleted };
}

/** `summed`: the days that runs of the game have summed just now; undefined before the first run. */
type GameToSum = Readonly<{ game: DueGame; summed?: readonly string[] | undefined }>;

/** The days that were summed; none if it was interrupted. */
async function sumGame(
  connection: DedicatedConnection,
  { game, summed }: GameToSum,
  options: SumOptions,
): Promise<readonly string[]> {
  const { nowMs, signal, playersPerChunk = PLAYERS_PER_CHUNK, onlyGameId } = options;
  const { gameId } = game;
  const run =
    summed === undefined
      ? ((await findRun(connection, gameId, nowMs)) ?? (await startRun(connection, game, nowMs)))
      : await goOn(connection, { game, summed }, nowMs);
  if (run === undefined) return [];
  let { lastPlayerId } = run;
  for (;;) {
    if (signal?.aborted) return [];
    const startedMs = performance.now();
    const last = await inTransaction(connection, async () => {
      const id = await sumPlayers(connection, { ...run, lastPlayerId }, playersPerChunk);
      if (id === null) return null;
      await sumInstalls(connection, { ...run, lastPlayerId }, id);
      await updateRunPosition(connection, gameId, id, performance.now() - startedMs);
      return id;
    });
    if (last === null) break;
    lastPlayerId = last;
    const stepMs = performance.now() - startedMs;
    if (onlyGameId === undefined) {
      await pause(connection, { stepMs, share: BUSY_PAUSE_SHARE, leastMs: 0, signal });
    }
  }
  await inTransaction(connection, async () => {
    await deleteBreakdowns(connection, run);
    await insertBreakdowns(connection, run);
    await upsertActivePlayers(connection, run);
    await replaceInstalls(connection, run);
    await deleteSums(connection, gameId);
    await upsertSummedDays(connection, run);
    await updateEndedRun(connection, gameId, nowMs);
  });
  return run.days;
}

/** Undefined if nothing has changed. */
async function startRun(
  connection: DedicatedConnection,
  game: DueGame,
  nowMs: number,
): Promise<Run | undefined> {
  const { gameId } = game;
  const days = await listChangedDays(connection, game, utcDay(nowMs), { limit: DAYS_PER_RUN });
  const rateDays = (await findRateTable(connection, gameId))?.changeDays ?? [];
  // Revenue per install is summed apart between the days on which exchange rates change.
  if (days.length === 0 && isDeepStrictEqual(rateDays, game.rateDays ?? rateDays)) {
    await insertEmptyRun(connection, gameId, nowMs);
    return undefined;
  }
  return beginRun(connection, gameId, { days, rateDays, goesOn: false }, nowMs);
}

/** The next run of a game with more days than one run takes. Undefined if none of the others is behind. */
async function goOn(
  connection: DedicatedConnection,
  { game, summed }: GameToSum,
  nowMs: number,
): Promise<Run | undefined> {
  const days = await listChangedDays(connection, game, utcDay(nowMs), { limit: DAYS_PER_RUN, summed });
  if (days.length === 0) return undefined;
  const rateDays = (await findRateTable(connection, game.gameId))?.changeDays ?? [];
  return beginRun(connection, game.gameId, { days, rateDays, goesOn: true }, nowMs);
}

async function beginRun(
  connection: DedicatedConnection,
  gameId: number,
  work: NewRun,
  nowMs: number,
): Promise<Run> {
  await inTransaction(connection, async () => {
    await deleteSums(connection, gameId);
    await deleteInstallSums(connection, gameId);
    await insertRun(connection, gameId, work, nowMs);
  });
  const days = work.days.map(({ day }) => day);
  return { gameId, days, lastPlayerId: '0', today: utcDay(nowMs), rateDays: work.rateDays };
}
