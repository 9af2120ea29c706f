/** @module-tag full */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findCurrentState,
  findModel,
  findStateAt,
  listModels,
} from '../../../src/core/predictions/model-queries.js';
import { findModelsAt } from '../../../src/core/predictions/models-at.js';
import type { Artefact, GradedName } from '../../../src/decide/predict/artefact.js';
import { listDueGames, workOnGame } from '../../../src/insight/predictions/daily-work.js';
import { gradeGame } from '../../../src/insight/predictions/grade-game.js';
import { trainGame } from '../../../src/insight/predictions/train-game.js';
import { findFailure, noteFailure } from '../../../src/insight/predictions/work-queries.js';
import { dateOf } from '../../../src/platform/lib/day.js';
import { simulateGame } from '../../decide/predict/simulated-game.js';
import { createGameWorld, DAY_MS, type GameWorld } from '../../support/game-world.js';
import { testActor } from '../../support/harness.js';
import { findWaiting } from '../../support/locks.js';
import { putInForce, trainedArtefact } from '../../support/prediction-models.js';
import { insertSimulatedPlayers } from '../../support/simulated-rows.js';

/** Which games are due, in which order, and which trainings and grades are kept. */

const TODAY = Math.floor(Date.parse('2026-11-15T12:00:00Z') / DAY_MS);
const at = (days: number) => (TODAY + days) * DAY_MS + 3_600_000;
const PLAYED = simulateGame(5, 60, 40).players;

let world: GameWorld;
beforeAll(async () => {
  world = await createGameWorld();
});
afterAll(() => world.close());

/** A game whose last event was yesterday. */
async function addPlayedGame(slug: string, players = PLAYED, days = 40): Promise<number> {
  const gameId = await world.addGame(slug);
  await insertSimulatedPlayers(world.pool, gameId, players, TODAY - 20_000 - days);
  return gameId;
}

const due = async (days: number, trainingDays = 1) =>
  (await listDueGames(world.pool, { nowMs: at(days), trainingDays })).map(({ game }) => game);
async function work(slug: string, days: number, signal?: AbortSignal) {
  const games = await listDueGames(world.pool, { nowMs: at(days), trainingDays: 1 });
  const game = games.find((each) => each.game === slug);
  if (game === undefined) throw new Error(`${slug} is not due`);
  return workOnGame(world.pool, game, { nowMs: at(days), ...(signal === undefined ? {} : { signal }) });
}
const countModels = async (gameId: number) =>
  (await listModels(world.pool, gameId, { before: null, limit: 100 })).length;

describe('a game with too little data', () => {
  let gameId: number;
  beforeAll(async () => {
    gameId = await addPlayedGame('small', simulateGame(5, 60, 10).players, 10);
  });

  it('is due until it was trained, and again a day later', async () => {
    expect(await due(0)).toEqual(['small']);
    expect(await due(0, 0)).toEqual([]);
    expect(await work('small', 0)).toMatchObject({ trained: 1, failure: null });
    // It may be graded now. That there is no model is noted once.
    expect(await due(0)).toEqual(['small']);
    expect(await work('small', 0)).toMatchObject({ trained: null, isGraded: false });
    expect(await due(0)).toEqual([]);
    expect(await due(1)).toEqual(['small']);
    expect(await due(1, 7)).toEqual(['small']);
  });

  it('stores no training if nothing has changed, and is not due again that day', async () => {
    // Long after the last event: the averages, and what is missing, stay as they are.
    for (const days of [800, 801]) await work('small', days);
    const before = { models: await countModels(gameId), state: await findCurrentState(world.pool, gameId) };
    expect(await work('small', 802)).toMatchObject({ trained: null, failure: null });
    expect(await due(802)).toEqual([]);
    expect({ models: await countModels(gameId), state: await findCurrentState(world.pool, gameId) }).toEqual(
      before,
    );
    const { rows } = await world.pool.query(
      'select trained_day::text as day from prediction_work where game_id = $1',
      [gameId],
    );
    expect(rows).toEqual([{ day: dateOf(TODAY + 801) }]);
  });

  it('stores a training that a member started, without putting the same averages in force again', async () => {
    const trained = await trainGame(world.pool, { gameId, actor: testActor(at(803)) });
    expect(trained).toMatchObject({ outcome: 'trained', isPromoted: false });
  });
});

describe('a training that takes a while', () => {
  it('is in force from when it is stored, not from when it began', async () => {
    const gameId = await addPlayedGame('slow');
    // A separate connection: those of the pool are closed when they are idle in a transaction for long.
    const other = new pg.Client({ connectionString: world.url });
    await other.connect();
    await other.query('begin');
    await other.query('select from games where id = $1 for update', [gameId]);
    const training = trainGame(world.pool, { gameId, actor: testActor(at(0)) });
    const begun = performance.now();
    // The training has read and fitted, and waits for the lock on the game.
    await expect.poll(() => findWaiting(world.pool, 'select')).toBeDefined();
    const waitingAt = Math.floor(at(0) + performance.now() - begun);
    await other.end();
    expect(await training).toMatchObject({ outcome: 'trained', isPromoted: true });
    const state = await findCurrentState(world.pool, gameId);
    // A millisecond is lost in rounding.
    expect(state?.since).toBeGreaterThanOrEqual(waitingAt - 1);
    expect(await findStateAt(world.pool, gameId, at(0))).toBeUndefined();
    const { rows } = await world.pool.query(
      "select at, trained_at from audit_log a join prediction_models m using (game_id) where game_id = $1 and action = 'model.train'",
      [gameId],
    );
    expect(rows).toEqual([{ at: state?.since, trained_at: state?.since }]);
  });
});

describe('a week without players to grade', () => {
  it('is examined once', async () => {
    const gameId = await world.addGame('fresh');
    await world.addPlayers(gameId, [at(0)]);
    await putInForce(world.pool, gameId, trainedArtefact(), at(0) - 1);
    // Training has been done for the day.
    await trainGame(world.pool, { gameId, actor: testActor(at(0)) });
    expect(await due(0)).toContain('fresh');
    expect(await work('fresh', 0)).toMatchObject({ isGraded: true, trained: null });
    const { rows } = await world.pool.query('select * from prediction_grades where game_id = $1', [gameId]);
    expect(rows).toEqual([]);
    expect(await due(0)).not.toContain('fresh');
  });
});

describe('a training without a new model', () => {
  it('puts fresh averages in force, and the kept models are graded once', async () => {
    const gameId = await addPlayedGame('kept');
    const artefact = trainedArtefact();
    await putInForce(world.pool, gameId, artefact, at(-20));
    const trained = await trainGame(world.pool, { gameId, actor: testActor(at(0)) });
    expect(trained).toMatchObject({ outcome: 'trained', version: 2, isPromoted: true });
    const { models, state } = await findModelsAt(world.pool, gameId, at(0) + 60_000);
    expect(state?.modelVersion).toBe(2);
    const { activity, purchases } = artefact.models;
    expect(models.artefact.models).toMatchObject({ activity, purchases });
    // The newest weeks of this game do not bear it out.
    expect(models.artefact.models.conversion).toMatchObject({
      reason: expect.stringContaining('the model in use is withdrawn'),
    });
    expect(models.artefact.baseRates.churn).not.toBeCloseTo(artefact.baseRates.churn, 2);

    const graded = await gradeGame(world.pool, { gameId, actor: testActor(at(0)) });
    const names = graded?.grades.map(({ model }) => model) ?? [];
    expect(names).toEqual(expect.arrayContaining(['activity', 'purchases']));
    expect(new Set(names).size).toBe(names.length);
    for (const { model, modelVersion, wasTold } of graded?.grades ?? []) {
      if (model.startsWith('conversion')) continue;
      const isSinceTwentyDays = !model.includes('.');
      expect({ model, modelVersion, wasTold }).toEqual({
        model,
        modelVersion: 2,
        wasTold: isSinceTwentyDays,
      });
    }
  });
});

describe('payers who stopped spending a week ago', () => {
  /** So that 28 days, of which one week is missing, are not off by more than half. */
  function withLessRevenue(artefact: Artefact): Artefact {
    const { purchases } = artefact.models;
    if (purchases.state !== 'ready') throw new Error(purchases.reason);
    const factors = { ...purchases.factors, revenue: 0.8 * purchases.factors.revenue };
    return { ...artefact, models: { ...artefact.models, purchases: { ...purchases, factors } } };
  }

  it('are noticed in the week, in what is said of 28 and of 90 days', async () => {
    const gameId = await world.addGame('stopped');
    const spent = simulateGame(6, 600, 60).players.map((player) => ({
      ...player,
      purchases: new Map([...player.purchases].filter(([day]) => day < 20_060 - 7)),
    }));
    await insertSimulatedPlayers(world.pool, gameId, spent, TODAY - 20_060);
    await putInForce(world.pool, gameId, withLessRevenue(trainedArtefact()), at(-20));
    const graded = await gradeGame(world.pool, { gameId, actor: testActor(at(0)) });
    const gradeOf = (name: GradedName) => graded?.grades.find(({ model }) => model === name);
    const [month, quarter] = [gradeOf('purchases.revenue'), gradeOf('purchases.revenue90')];
    expect([month?.health, quarter?.health]).toEqual(['red', 'red']);
    expect(graded?.lost).toEqual(expect.arrayContaining(['purchases.revenue', 'purchases.revenue90']));
    // The 28 days alone are not off by more than half, and 90 are not over.
    expect(month?.metrics.totalRatio).toBeLessThan(1.5);
    expect(month?.metrics).toMatchObject({ week: { players: quarter?.metrics.players } });
  });
});

describe('a game that fails', () => {
  it('comes after all others the next time, and shows the failure until it succeeds', async () => {
    const first = await addPlayedGame('first');
    await addPlayedGame('second');
    const stopped = new AbortController();
    stopped.abort(new Error('cut off'));
    expect(await work('first', 300, stopped.signal)).toMatchObject({ failure: 'cut off', trained: null });
    expect(await findFailure(world.pool, first)).toEqual({ failedAt: at(300), failure: 'cut off' });
    expect((await due(300)).at(-1)).toBe('first');
    const second = (await listDueGames(world.pool, { nowMs: at(300), trainingDays: 1 })).find(
      ({ game }) => game === 'second',
    );
    await noteFailure(world.pool, { gameId: second?.gameId ?? 0, failure: 'out of memory' }, at(300) + 1);
    // Of two that failed, the one that waits longer.
    expect((await due(300)).slice(-2)).toEqual(['first', 'second']);
    await work('first', 300);
    expect(await findFailure(world.pool, first)).toBeUndefined();
    expect((await due(300)).at(-1)).toBe('second');
  });
});

describe('old trainings and grades', () => {
  const DAYS = 150;
  let gameId: number;
  beforeAll(async () => {
    gameId = await addPlayedGame('old');
    const artefact = trainedArtefact();
    // In force: every tenth.
    for (let day = 0; day < DAYS; day += 10) await putInForce(world.pool, gameId, artefact, at(day - DAYS));
    await world.pool.query(`update prediction_models set version = -10 * version where game_id = $1`, [
      gameId,
    ]);
    await world.pool.query(`update prediction_models set version = -version where game_id = $1`, [gameId]);
    await world.pool.query(
      `update prediction_states set model_version = 10 * model_version where game_id = $1`,
      [gameId],
    );
    await world.pool.query(
      `insert into prediction_models select game_id, version + n, trained_at + n * interval '1 day', author, trained_day, players,
         all_players, payers, all_payers, duration_ms, false, report, artefact
       from prediction_models, generate_series(1, 9) n where game_id = $1`,
      [gameId],
    );
    await world.pool.query(
      `insert into prediction_grades select $1, $2::date - n, 'activity', 10, true, '{}', 'green', now()
       from generate_series(1, 500) n`,
      [gameId, dateOf(TODAY)],
    );
  });
  const versions = async () =>
    (
      await world.pool.query('select version from prediction_models where game_id = $1 order by 1', [gameId])
    ).rows.map(({ version }) => version as number);

  it('are deleted by the next training, unless they were in force or are new', async () => {
    await trainGame(world.pool, { gameId, actor: testActor(at(0)) });
    const kept = await versions();
    // All that were ever in force.
    for (let version = 10; version <= DAYS; version += 10) expect(kept).toContain(version);
    // Of the others, those of the last 90 days: the days from 60 on, whose numbers begin at 71.
    const others = kept.filter((version) => version % 10 !== 0);
    expect(others[0]).toBe(71);
    expect(others.slice(0, 9)).toEqual([71, 72, 73, 74, 75, 76, 77, 78, 79]);
    const { rows } = await world.pool.query(
      'select count(*)::int as grades, min(day)::text as oldest from prediction_grades where game_id = $1',
      [gameId],
    );
    expect(rows).toEqual([{ grades: 400, oldest: dateOf(TODAY - 400) }]);
  });

  it('that were in force are deleted with the events of their time, and explain says so', async () => {
    await world.pool.query('update games set events_deleted_before = $2 where id = $1', [
      gameId,
      dateOf(TODAY - 100),
    ]);
    await trainGame(world.pool, { gameId, actor: testActor(at(0)) });
    const kept = await versions();
    expect(kept).not.toContain(10);
    expect(kept).not.toContain(40);
    // In force until 100 days ago, and beyond.
    expect(kept).toContain(60);
    const { problem, models } = await findModelsAt(world.pool, gameId, at(-DAYS));
    expect(problem).toBe('model 10 is no longer kept');
    expect(models.artefact.models.activity.state).toBe('cold_start');
    expect((await findModelsAt(world.pool, gameId, at(0))).problem).toBeNull();
  });

  it('that players were told are kept until 90 days of it are graded, though the events are gone', async () => {
    await world.pool.query('update games set events_deleted_before = $2 where id = $1', [
      gameId,
      dateOf(TODAY - 30),
    ]);
    await trainGame(world.pool, { gameId, actor: testActor(at(0)) });
    // In force until 90 days and an hour ago: what grading asks for today.
    const told = await findStateAt(world.pool, gameId, (TODAY - 90) * DAY_MS);
    expect(told?.modelVersion).toBe(60);
    const kept = await versions();
    expect(kept).toEqual(expect.arrayContaining([60, 70, 80, 90]));
    expect(kept).not.toContain(40);
  });

  it('are kept if they are among the newest, however old', async () => {
    const quiet = await addPlayedGame('quiet');
    const artefact = trainedArtefact();
    for (const _ of Array.from({ length: 40 })) {
      await putInForce(world.pool, quiet, artefact, at(-300));
    }
    await world.pool.query('delete from prediction_states where game_id = $1 and version < 40', [quiet]);
    await trainGame(world.pool, { gameId: quiet, actor: testActor(at(0)) });
    const models = await listModels(world.pool, quiet, { before: null, limit: 100 });
    expect(models.map(({ version }) => version)).toEqual([
      41,
      ...Array.from({ length: 29 }, (_, n) => 40 - n),
    ]);
    expect(await findModel(world.pool, quiet, 11)).toBeUndefined();
  });
});
