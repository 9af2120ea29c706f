import type { ConfigDocument } from '../../decide/document/document.js';
import {
  cancelledBy,
  type DedicatedConnection,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';
import type { KeySemaphore } from '../../platform/lib/fair-semaphore.js';
import { keepToShare } from '../../platform/lib/share-of-time.js';
import { type RebuiltInstant, rebuildMany } from '../explanations/rebuild-many.js';
import { BackTestReport, type BackTestResult } from './back-test-report.js';
import { compileForRun, daysBefore, findExaminedDays } from './examined-days.js';
import type { ExaminedPlayer } from './examined-player.js';
import {
  type DaySpan,
  listActiveDays,
  listExaminedPlayers,
  listPurchases,
  listSample,
  type Purchase,
} from './sample-queries.js';

export const DEFAULT_DAYS = 14;
/** As far as the windows of rules reach. */
export const MAX_DAYS = 28;
export const DEFAULT_SAMPLE = 1_000;
export const MAX_SAMPLE = 100_000;

/** Players whose events are folded together: a fold has a fixed cost, and their facts are in memory at a time. */
const PAGE_PLAYERS = 200;
/** Of the time. The fold keeps a core of the database busy, which also serves players. */
const BACK_TEST_SHARE = 1 / 2;

export type BackTest = Readonly<{
  gameId: number;
  /** The document to try. */
  after: ConfigDocument;
  nowMs: number;
  days?: number | undefined;
  /** How many players to examine at most. */
  sample?: number | undefined;
  signal?: AbortSignal;
  onProgress?: (progress: BackTestProgress) => void;
  /** False: works without pauses, beside no traffic. */
  rests?: boolean;
  /** Where the run waits for its turn before it draws the sample, and before each page of players. */
  turns?: (signal: AbortSignal | undefined) => KeySemaphore;
}>;

export type BackTestProgress = Readonly<{ examined: number; total: number }>;

export type BackTestOutcome =
  | Readonly<{ outcome: 'done'; result: BackTestResult }>
  | Readonly<{ outcome: 'interrupted' }>;

/**
 * What a document would have done on past days: some players are rebuilt from their own events as they were at the start of each day, and
 * evaluated under the version that was in force then and under the document. What they bought is compared with the store that they
 * would have seen. Nothing is written. `rebuilds`: see `createRebuildPool`.
 */
export async function backTest(pool: Pool, rebuilds: Pool, run: BackTest): Promise<BackTestOutcome> {
  try {
    return { outcome: 'done', result: await runBackTest(pool, rebuilds, run) };
  } catch (error) {
    if (run.signal?.aborted) return { outcome: 'interrupted' };
    throw error;
  }
}

async function runBackTest(pool: Pool, rebuilds: Pool, run: BackTest): Promise<BackTestResult> {
  const { gameId, nowMs, days: count = DEFAULT_DAYS, sample = DEFAULT_SAMPLE, signal, onProgress } = run;
  const began = performance.now();
  const starts = daysBefore(nowMs, count);
  const span = { fromMs: starts[0] ?? nowMs, toMs: (starts.at(-1) ?? nowMs) + DAY_MS };
  const after = await compileForRun(gameId, run.after);
  const days = await findExaminedDays(pool, gameId, after, starts);
  const attributes = [...(run.after.attributes ?? []), ...days.flatMap((day) => day.attributes)];
  const report = new BackTestReport(days, after);
  // Between two pieces the run has no connection, however long it waits for its turn.
  const turns = run.turns?.(signal);
  const onConnection = <T>(work: (connection: DedicatedConnection) => Promise<T>) => {
    const piece = () =>
      withDedicatedConnection(pool, (connection) =>
        cancelledBy(pool, connection, signal, () => work(connection)),
      );
    const done = turns === undefined ? piece() : turns.take(piece);
    if (done === undefined) throw new Error('a run waits for one turn at a time');
    return done;
  };
  const { players, playerIds, isComplete } = await onConnection((connection) =>
    listSample(connection, gameId, span, { size: sample }),
  );
  const examined = playerIds.length;
  for (let at = 0; at < examined; at += PAGE_PLAYERS) {
    onProgress?.({ examined: at, total: examined });
    await onConnection(async (connection) => {
      const page = await readPage(connection, playerIds.slice(at, at + PAGE_PLAYERS), span);
      const { deletedBefore } = await rebuildMany(rebuilds, {
        gameId,
        players: page.players,
        instants: page.instantsOf(starts),
        attributes,
        rest: keepToShare(run.rests === false ? 1 : BACK_TEST_SHARE, signal),
        visit: ({ atMs }, { playerId }, facts) =>
          report.add(starts.indexOf(atMs), page.playerOf(playerId), facts, page.purchasesOf(playerId, atMs)),
      });
      report.endPage(deletedBefore);
    });
  }
  onProgress?.({ examined, total: examined });
  signal?.throwIfAborted();
  const seconds = Math.round(performance.now() - began) / 1000;
  return report.result({ players, examined, sampled: !isComplete, seconds });
}

/** Some players of the sample, with the days on which they were here and what they bought. */
type Page = Readonly<{
  players: readonly ExaminedPlayer[];
  playerOf: (playerId: string) => ExaminedPlayer;
  instantsOf: (starts: readonly number[]) => RebuiltInstant[];
  purchasesOf: (playerId: string, dayStartMs: number) => readonly Purchase[];
}>;

async function readPage(
  connection: DedicatedConnection,
  playerIds: readonly string[],
  span: DaySpan,
): Promise<Page> {
  const players = await listExaminedPlayers(connection, playerIds);
  const byId = new Map(players.map((player) => [player.playerId, player]));
  const keyOf = (playerId: string, day: string) => `${playerId} ${day}`;
  const bought = new Map<string, Purchase[]>();
  for (const purchase of await listPurchases(connection, playerIds, span)) {
    const key = keyOf(purchase.playerId, utcDay(purchase.purchasedAt));
    const known = bought.get(key);
    if (known === undefined) bought.set(key, [purchase]);
    else known.push(purchase);
  }
  const active = await listActiveDays(connection, playerIds, span);
  // A store may know of a purchase on a day without an event.
  const wanted = new Set([...active.map(({ playerId, day }) => keyOf(playerId, day)), ...bought.keys()]);
  return {
    players,
    playerOf(playerId) {
      const player = byId.get(playerId);
      if (player === undefined) throw new Error(`player ${playerId} is not in the page`);
      return player;
    },
    instantsOf: (starts) =>
      starts.map((atMs) => ({
        atMs,
        players: players.filter(
          ({ playerId, createdAt }) => wanted.has(keyOf(playerId, utcDay(atMs))) && createdAt < atMs + DAY_MS,
        ),
      })),
    purchasesOf: (playerId, dayStartMs) => bought.get(keyOf(playerId, utcDay(dayStartMs))) ?? [],
  };
}
