import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import { TimeSlice } from '../../liveops/evaluations/time-slice.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { chunksOf } from '../../platform/lib/chunks.js';
import { DAY_MS, dayNumber, utcDay } from '../../platform/lib/day.js';
import type { RateTable } from '../../studio/money/exchange-rates.js';
import { findRateTable } from '../../studio/money/rate-queries.js';
import { findPublishedExperiments } from '../erased-queries.js';
import { figureNeeds } from '../figure-needs.js';
import { type FiguredPlayer, findHistories } from '../figure-queries.js';
import { figuresOf } from '../report/player-history.js';
import { AaExperiment, aaSeed, type GradedVerdict } from './aa-experiment.js';
import { type DrawBounds, drawGradedPlayers } from './draw-players.js';
import {
  FIRST_UNGRADED,
  findPublishedHoldout,
  findUsualCurrency,
  insertGrade,
  listGradedSpans,
  listKeptVerdicts,
  listUngradedGames,
  upsertStanding,
} from './grade-queries.js';
import { drawShare, gradedShares } from './graded-shares.js';
import { dayBefore, daysOf, type GradedSpan, gradedMetrics, gradedSpans } from './graded-spans.js';
import type { GradedPlayer } from './sample-queries.js';
import { NIGHTS, standingOf } from './standing.js';

export type GradeOptions = Readonly<{
  nowMs: number;
  signal?: AbortSignal | undefined;
  bounds?: DrawBounds;
}>;

export type GradeResult = Readonly<{ isDone: boolean; gamesGraded: number }>;

const GAMES_PER_LIST = 200;
const PLAYERS_PER_CHUNK = 500;

/**
 * Every night, for each game: hidden A/A experiments on its last four weeks (ADR 0065). Each span of days is written down when its
 * experiments are through: a run that is killed goes on with the next span.
 */
export async function gradeExperiments(
  connection: DedicatedConnection,
  options: GradeOptions,
): Promise<GradeResult> {
  const night = utcDay(options.nowMs - DAY_MS);
  const failures: unknown[] = [];
  let gamesGraded = 0;
  let behind = FIRST_UNGRADED;
  for (;;) {
    const games = await listUngradedGames(connection, { behind, night, limit: GAMES_PER_LIST });
    for (const game of games) {
      if (options.signal?.aborted) return { isDone: false, gamesGraded };
      behind = game;
      try {
        if (await gradeGame(connection, game.gameId, night, options)) gamesGraded++;
      } catch (error) {
        // The others are graded all the same.
        failures.push(error);
      }
    }
    if (games.length < GAMES_PER_LIST) break;
  }
  for (const failure of failures) throw failure;
  return { isDone: options.signal?.aborted !== true, gamesGraded };
}

/** Whether it came to the end. */
async function gradeGame(
  connection: DedicatedConnection,
  gameId: number,
  night: string,
  { nowMs, signal, bounds }: GradeOptions,
): Promise<boolean> {
  const spans = gradedSpans(night);
  const drawn = await drawGradedPlayers(connection, {
    ...{ gameId, night, spans, signal },
    ...(bounds === undefined ? {} : { bounds }),
  });
  if (drawn === undefined) return false;
  const { players, isSampled } = drawn;
  // A game that nobody plays has nothing to grade.
  if (
    players.length > 0 &&
    !(await gradeSpans(connection, { gameId, night, spans, players, nowMs, signal }))
  ) {
    return false;
  }
  const kept = await listKeptVerdicts(connection, gameId, dayBefore(night, NIGHTS - 1));
  const standing = standingOf(kept, { players: players.length, isSampled });
  await upsertStanding(connection, { gameId, night, nowMs }, standing);
  return true;
}

type GradedGame = Readonly<{
  gameId: number;
  night: string;
  spans: readonly GradedSpan[];
  players: readonly GradedPlayer[];
  nowMs: number;
  signal: AbortSignal | undefined;
}>;

/** Whether it came to the end. */
async function gradeSpans(
  connection: DedicatedConnection,
  { gameId, night, spans, players, nowMs, signal }: GradedGame,
): Promise<boolean> {
  const rates = await findRateTable(connection, gameId);
  const ids = players.map(({ playerId }) => playerId);
  const currency = rates === null ? await findUsualCurrency(connection, ids, night) : null;
  const metrics = gradedMetrics(currency);
  const shares = gradedShares(
    await findPublishedExperiments(connection, gameId),
    await findPublishedHoldout(connection, gameId),
  );
  const graded = await listGradedSpans(connection, gameId, night);
  for (const [at, span] of spans.entries()) {
    if (graded.some(({ kind, from }) => kind === span.kind && from === span.from)) continue;
    const exposed = players.flatMap(({ playerId, userId, firstDays }) => {
      const day = firstDays[at] ?? null;
      return day === null ? [] : [{ playerId, userId, day: dayNumber(day), exposedOn: dayNumber(day) }];
    });
    const verdicts = await gradeSpan(connection, exposed, { night, span, metrics, shares, rates, signal });
    if (verdicts === undefined) return false;
    await insertGrade(connection, { gameId, night, span }, { players: exposed.length, verdicts, nowMs });
  }
  return true;
}

type Exposed = FiguredPlayer & Readonly<{ userId: string }>;
type Grading = Readonly<{
  night: string;
  span: GradedSpan;
  metrics: readonly MetricEntry[];
  shares: readonly number[];
  rates: RateTable | null;
  signal: AbortSignal | undefined;
}>;

/** An A/A experiment for each metric, drawn apart. They share what is read of a player. Undefined if it is to end before. */
async function gradeSpan(
  connection: DedicatedConnection,
  exposed: readonly Exposed[],
  { night, span, metrics, shares, rates, signal }: Grading,
): Promise<GradedVerdict[] | undefined> {
  const experiments = metrics.map((metric) => {
    const seed = aaSeed(night, span, metric);
    return new AaExperiment({ metric, span, rates, seed, smallArmPercent: drawShare(seed, shares) });
  });
  const needs = figureNeeds(metrics);
  const timeSlice = new TimeSlice(() => performance.now());
  for (const chunk of chunksOf(exposed, PLAYERS_PER_CHUNK)) {
    const histories = await findHistories(connection, chunk, span.to, needs);
    for (const [look, to] of daysOf(span).map(dayNumber).entries()) {
      if (signal?.aborted) return undefined;
      for (const exposure of chunk) {
        const history = histories.get(exposure.playerId);
        if (history === undefined || exposure.day > to) continue;
        const figures = figuresOf(history, exposure, to, needs.retentionDays);
        for (const experiment of experiments) experiment.add(look, exposure.userId, figures);
        if (timeSlice.isOver) await timeSlice.giveWay();
      }
    }
  }
  return experiments.map((experiment) => experiment.verdict());
}
