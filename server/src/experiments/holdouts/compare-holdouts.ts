import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';
import { findRateTable } from '../../studio/money/rate-queries.js';
import { addPlayers, noSums } from './group-sums.js';
import {
  deleteUnfinished,
  findComparedPlayers,
  findHoldoutSince,
  findHoldoutWalk,
  type HoldoutGame,
  type HoldoutSpan,
  listHoldoutGames,
  upsertComparison,
} from './holdout-queries.js';

export type CompareOptions = {
  nowMs: number;
  signal?: AbortSignal | undefined;
  playersAPortion?: number;
};

export type CompareResult = Readonly<{ isDone: boolean; gamesCompared: number }>;

const PLAYERS_A_PORTION = 2_000;
const GAMES_A_LIST = 200;

/**
 * Once a day, for each game that holds players out: what they and the others spent since the held-out share is in force, on the days that are
 * over. The start never moves: an interval that may be looked at daily holds for sums since a start, not for the last so many days. All players count whom the game knows by then: who was active may
 * follow from the offers. Which group a player is in is a hash that only the service computes, so the players pass through here, some at a time. Each portion is committed with the sums: a run that is killed goes on behind it.
 */
export async function compareHoldouts(
  connection: DedicatedConnection,
  options: CompareOptions,
): Promise<CompareResult> {
  const { nowMs, signal } = options;
  const yesterday = utcDay(nowMs - DAY_MS);
  const failures: unknown[] = [];
  let gamesCompared = 0;
  let behind = 0;
  for (;;) {
    const games = await listHoldoutGames(connection, { behind, day: yesterday, limit: GAMES_A_LIST });
    for (const game of games) {
      if (signal?.aborted) return { isDone: false, gamesCompared };
      try {
        const span = await findSpan(connection, game, yesterday);
        if (span !== undefined && (await compareGame(connection, span, options))) gamesCompared++;
      } catch (error) {
        // The others are compared all the same.
        failures.push(error);
      }
    }
    const last = games.at(-1);
    if (last === undefined || games.length < GAMES_A_LIST) break;
    behind = last.gameId;
  }
  for (const failure of failures) throw failure;
  return { isDone: signal?.aborted !== true, gamesCompared };
}

/** Undefined until the share that is in force has been so for a whole day. */
async function findSpan(
  connection: DedicatedConnection,
  game: HoldoutGame,
  to: string,
): Promise<HoldoutSpan | undefined> {
  const since = await findHoldoutSince(connection, game);
  if (since === null) return undefined;
  const from = utcDay(since + DAY_MS);
  return from > to ? undefined : { gameId: game.gameId, from, to, percent: game.percent };
}

/** Whether it came to the end. */
async function compareGame(
  connection: DedicatedConnection,
  span: HoldoutSpan,
  { nowMs, signal, playersAPortion = PLAYERS_A_PORTION }: CompareOptions,
): Promise<boolean> {
  await deleteUnfinished(connection, span.gameId, span.to);
  const rates = await findRateTable(connection, span.gameId);
  const found = await findHoldoutWalk(connection, span);
  // Sums with other rates cannot be added up: the walk begins again.
  const walk = found?.sums.rates?.version === rates?.version ? found : undefined;
  const sums = walk?.sums ?? noSums(rates);
  let behind = walk?.behind ?? '0';
  for (;;) {
    if (signal?.aborted) return false;
    const { last, ...players } = await findComparedPlayers(connection, span, behind, {
      limit: playersAPortion,
      changeDays: rates?.changeDays ?? [],
    });
    if (last === null) break;
    addPlayers(sums, players, span.percent, rates);
    behind = last;
    await upsertComparison(connection, span, { behind, sums }, nowMs);
  }
  await upsertComparison(connection, span, { behind: null, sums }, nowMs);
  return true;
}
