import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertGrade } from '../../../src/insight/predictions/grade-queries.js';
import { createPredictionMetrics } from '../../../src/insight/predictions/prediction-metrics.js';
import { predictionsStep } from '../../../src/insight/predictions/predictions-step.js';
import {
  runPredictionsInThread,
  trainInThread,
} from '../../../src/insight/predictions/run-predictions-thread.js';
import { createMaintenance } from '../../../src/operations/lifecycle/maintenance.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { transaction } from '../../../src/platform/db/pool.js';
import { dateOf } from '../../../src/platform/lib/day.js';
import { createMaintenanceMetrics } from '../../../src/platform/lifecycle/maintenance-metrics.js';
import { simulateGame } from '../../decide/predict/simulated-game.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { bothClocksAt } from '../../support/both-clocks.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { createHarness, type Harness, testActor } from '../../support/harness.js';
import { expectForgedCursorsRefused, readPages } from '../../support/pages.js';
import { addStudio } from '../../support/session-calls.js';
import { insertSimulatedPlayers } from '../../support/simulated-rows.js';

/** The hourly work in its thread, and its results in the admin API and the metrics. The game is 12 days old. */

let harness: Harness;
let admin: AdminClient;
let today: number;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  today = Math.floor(harness.clock.now() / DAY_MS);
  const { rows } = await harness.pool.query("select id from games where slug = 'demo-game'");
  await insertSimulatedPlayers(harness.pool, rows[0].id, simulateGame(3, 412, 12).players, today - 20_012);
  // A game without players cannot be trained.
  await addStudio(harness, 'other-studio', 'other-game');
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Listed = {
  inForce: { modelVersion: number; cause: string } | null;
  models: {
    version: number;
    models: { model: string; outcome: string; reason: string }[];
    progress: { what: string; have: number; need: number }[];
  }[];
};

/** One run of the hourly work, as the service does it. */
async function maintain(days: number, trainingDays = 1): Promise<string> {
  const logger = pino({ level: 'silent' });
  const run = predictionsStep(
    (options) => runPredictionsInThread(harness.databaseUrl, options),
    trainingDays,
    logger,
  );
  const metrics = createMaintenanceMetrics();
  const maintenance = createMaintenance({
    pool: harness.pool,
    logger,
    metrics,
    steps: [run],
    readClock: async () => bothClocksAt((today + days) * DAY_MS + 3_600_000),
  });
  await maintenance.run(new AbortController().signal);
  return metrics.registry.metrics();
}

/** Reads the metrics: the value of a gauge of a model. */
async function readGauges() {
  const text = await createPredictionMetrics(harness.pool).registry.metrics();
  return (name: string, model: string) =>
    new RegExp(`^savepoint_prediction_${name}\\{.*,model="${model}"\\} (\\S+)$`, 'm').exec(text)?.[1];
}

describe('the hourly work', () => {
  it('trains a game once a day', async () => {
    expect(await maintain(0)).toContain(
      'savepoint_maintenance_runs_total{step="predictions",outcome="done"} 1',
    );
    expect((await admin.ask<Listed>('GET', `${GAME}/models`)).models).toHaveLength(1);
    await maintain(0);
    expect((await admin.ask<Listed>('GET', `${GAME}/models`)).models).toHaveLength(1);
    await maintain(1);
    // Another day has other averages.
    expect((await admin.ask<Listed>('GET', `${GAME}/models`)).models).toHaveLength(2);
    await maintain(2, 0);
    expect((await admin.ask<Listed>('GET', `${GAME}/models`)).models).toHaveLength(2);
    expect(await admin.ask<Listed>('GET', `${GAME}/models`)).toMatchObject({ lastFailure: null });
    const { rows } = await harness.pool.query('select distinct game_id from prediction_models');
    expect(rows).toHaveLength(1);
  });

  it('shows the time of the training in the metrics', async () => {
    const text = await createPredictionMetrics(harness.pool).registry.metrics();
    const labels = 'tenant="demo-studio",game="demo-game"';
    expect(text).toContain(`savepoint_prediction_model_trusted{${labels},model="activity"} 1`);
    const at = ((today + 1) * DAY_MS + 3_600_000) / 1_000;
    const trainedAt = Number((await readGauges())('trained_timestamp_seconds', 'activity'));
    // When the training ended, which may take seconds on a busy machine.
    expect(trainedAt).toBeGreaterThanOrEqual(at);
    expect(trainedAt).toBeLessThan(at + 3_600);
  });
});

describe('the admin API', () => {
  it('shows how much data a model still needs', async () => {
    const { inForce, models } = await admin.ask<Listed>('GET', `${GAME}/models?limit=1`);
    expect(inForce).toMatchObject({ modelVersion: 2, cause: 'train' });
    const [newest] = models;
    expect(newest?.models).toContainEqual(
      expect.objectContaining({
        model: 'activity',
        outcome: 'cold_start',
        reason: 'less than two weeks of history whose outcome is known',
      }),
    );
    expect(newest?.progress).toEqual([{ what: 'weeks of history', have: 1, need: 2 }]);
  });

  it('returns a model with its artefact, and compares models', async () => {
    const model = await admin.ask<{ artefact: { version: number } }>('GET', `${GAME}/models/1`);
    expect(model.artefact.version).toBe(1);
    const comparison = await admin.ask<{ version: number; against: number }>(
      'GET',
      `${GAME}/models/1/comparison`,
    );
    expect(comparison).toMatchObject({ version: 1, against: 2 });
  });

  it('returns a refused model with its parameters, and compares its own test', async () => {
    const refused = {
      model: 'activity',
      outcome: 'refused',
      reason: 'it is worse',
      isPresentKept: false,
      origins: [{ auc: 0.6 }, { auc: 0.7 }],
      refusedModel: { algorithm: 'BG/BB', bgBb: { alpha: 1.5 } },
      source: { kind: 'pooled', ownShare: 0.42 },
    };
    const { rows } = await harness.pool.query('select report from prediction_models where version = 1');
    const setReport = (report: unknown) =>
      harness.pool.query('update prediction_models set report = $1 where version = 1', [report]);
    await setReport({ ...rows[0].report, models: [refused] });
    const model = await admin.ask<{ models: unknown[] }>('GET', `${GAME}/models/1`);
    expect(model.models).toEqual([refused]);
    const comparison = await admin.ask<{ models: unknown[] }>('GET', `${GAME}/models/1/comparison`);
    expect(comparison.models[0]).toEqual({
      model: 'activity',
      version: { state: 'refused', newestWeek: { auc: 0.7 }, keptNewestWeek: null },
      against: { state: 'cold_start', newestWeek: null, keptNewestWeek: null },
    });
    await setReport(rows[0].report);
  });

  it('trains for editors only, one at a time, and in a thread', async () => {
    const refused = await admin.call('POST', `${GAME}/models`, undefined, admin.tokens.viewer);
    expectGeneralError(refused, 403, 'role_too_low');
    const trained = await admin.ask('POST', `${GAME}/models`, undefined, undefined, 201);
    expect(trained).toMatchObject({ version: 3, author: 'editor of demo-studio', allPlayers: 412 });
    expect(trained).not.toHaveProperty('artefact');
    const { rows } = await harness.pool.query("select id from games where slug = 'demo-game'");
    const training = { gameId: rows[0].id, actor: testActor(harness.clock.now()) };
    await withDedicatedConnection(harness.pool, async (other) => {
      // While another training of the game holds the lock.
      await other.query("select pg_advisory_lock(hashtext('savepoint training'), $1)", [training.gameId]);
      expectGeneralError(await admin.call('POST', `${GAME}/models`), 429, 'busy');
    });
    expect(await trainInThread(harness.databaseUrl, training)).toEqual({
      outcome: 'trained',
      version: 4,
    });
    await expect(trainInThread('postgres://nobody@127.0.0.1:1/none', training)).rejects.toThrow();
  });

  it('rolls back for editors only, and shows it', async () => {
    const refused = await admin.call('POST', `${GAME}/models/1/roll-back`, undefined, admin.tokens.viewer);
    expectGeneralError(refused, 403, 'role_too_low');
    expect(await admin.ask('POST', `${GAME}/models/1/roll-back`)).toEqual({
      modelVersion: 1,
      isChanged: true,
    });
    expect(await admin.ask('POST', `${GAME}/models/1/roll-back`)).toEqual({
      modelVersion: 1,
      isChanged: false,
    });
    const { inForce } = await admin.ask<Listed>('GET', `${GAME}/models`);
    expect(inForce).toMatchObject({ modelVersion: 1, cause: 'roll_back' });
    expectGeneralError(await admin.call('POST', `${GAME}/models/9/roll-back`), 404, 'model_not_found');
  });

  it('returns no grades for a game without a model', async () => {
    expect(await admin.ask('GET', `${GAME}/prediction-grades?days=7`)).toEqual({
      grades: [],
      nextCursor: null,
    });
    expectGeneralError(await admin.call('GET', `${GAME}/prediction-grades?days=0`), 400, 'parameter_invalid');
  });

  it('tells grades of weeks and of 28 days, as the metrics do', async () => {
    const { rows } = await harness.pool.query("select id from games where slug = 'demo-game'");
    const day = dateOf(today - 1);
    const deciles = [{ players: 412, predicted: 0.61, observed: 0.6 }];
    const week = {
      players: 412,
      baseRate: 0.6,
      auc: 0.7,
      brierSkill: 0.31,
      ece: 0.01,
      eceOfChance: 0.009,
      logLoss: 0.5,
      totalRatio: 1.02,
      deciles,
    };
    const month = {
      players: 12,
      predicted: 30,
      observed: 10,
      totalRatio: 3,
      cappedRatio: 3,
      medianRatio: 3,
      deviations: 5,
      deciles: [],
    };
    const common = { day, modelVersion: 1, wasTold: true };
    const grades = [
      { ...common, model: 'activity' as const, metrics: week, health: 'green' as const },
      { ...common, model: 'purchases.revenue' as const, metrics: month, health: 'red' as const },
    ];
    await transaction(harness.pool, async (client) => {
      for (const grade of grades) await insertGrade(client, rows[0].id, { ...grade, gradedAt: 0 });
    });
    expect(await admin.ask('GET', `${GAME}/prediction-grades?days=7`)).toEqual({
      grades,
      nextCursor: null,
    });

    const told = await readGauges();
    expect(told('calibration_error', 'activity')).toBe('0.01');
    expect(told('brier_skill', 'activity')).toBe('0.31');
    expect(told('total_ratio', 'activity')).toBe('1.02');
    expect(told('total_ratio', 'purchases.revenue')).toBe('3');
    expect(told('calibration_error', 'purchases.revenue')).toBeUndefined();
    expect(told('model_trusted', 'purchases.revenue')).toBe('1');
  });

  it('tells in the metrics the grades of the model in force, and those of the one before until it is graded', async () => {
    const { rows } = await harness.pool.query("select id from games where slug = 'demo-game'");
    const addGrade = (modelVersion: number, totalRatio: number) =>
      transaction(harness.pool, (client) =>
        insertGrade(client, rows[0].id, {
          day: dateOf(today),
          model: 'conversion.revenue',
          modelVersion,
          wasTold: false,
          health: 'green',
          gradedAt: 0,
          metrics: {
            players: 12,
            predicted: 9,
            observed: 9,
            totalRatio,
            cappedRatio: totalRatio,
            medianRatio: null,
            deviations: 0,
            deciles: [],
          },
        }),
      );
    const ratio = async () => (await readGauges())('total_ratio', 'conversion.revenue');
    await addGrade(1, 1.1);
    await addGrade(2, 1.2);
    expect(await ratio()).toBe('1.1');
    await admin.ask('POST', `${GAME}/models/3/roll-back`);
    expect(await ratio()).toBe('1.2');
    await addGrade(3, 1.3);
    await addGrade(4, 1.4);
    expect(await ratio()).toBe('1.3');
  });

  it('lists grades in pages, newest first, also of one model', async () => {
    const { rows: games } = await harness.pool.query("select id from games where slug = 'demo-game'");
    const metrics = {
      players: 12,
      predicted: 9,
      observed: 9,
      totalRatio: 1,
      cappedRatio: 1,
      medianRatio: 1,
      deviations: 0,
      deciles: [],
    };
    await transaction(harness.pool, async (client) => {
      for (const ago of [40, 39, 38])
        for (const model of ['activity', 'conversion'] as const)
          for (const modelVersion of [1, 2])
            await insertGrade(client, games[0].id, {
              day: dateOf(today - ago),
              model,
              modelVersion,
              wasTold: modelVersion === 2,
              health: 'green',
              gradedAt: 0,
              metrics,
            });
    });
    type Graded = { day: string; model: string; modelVersion: number };
    const path = `${GAME}/prediction-grades?days=3660`;
    const { grades } = await admin.ask<{ grades: Graded[] }>('GET', path);
    const keyOf = ({ day, model, modelVersion }: Graded) => [day, model, modelVersion];
    expect(grades.slice(-12).map(keyOf)).toEqual(
      [38, 39, 40].flatMap((ago) =>
        ['activity', 'conversion'].flatMap((model) =>
          [2, 1].map((version) => [dateOf(today - ago), model, version]),
        ),
      ),
    );
    for (const limit of [1, 5]) {
      const { rows, pages } = await readPages(admin, path, 'grades', limit);
      expect(rows).toEqual(grades);
      expect(pages).toBe(Math.ceil(grades.length / limit));
    }
    const ofOne = await readPages<Graded>(admin, `${path}&model=conversion`, 'grades', 2);
    expect(ofOne.rows).toEqual(grades.filter(({ model }) => model === 'conversion'));
    const list = 'grades 3660 ';
    await expectForgedCursorsRefused(admin, path, [
      ['grades 7 ', Date.parse('2026-01-01'), 'activity', 1],
      [list, 1e15, 'activity', 1],
      [list, 0, 'activity', 9_000_000_000],
    ]);
    expectGeneralError(await admin.call('GET', `${path}&model=none`), 400, 'parameter_invalid');
  });

  it('does not find the models of another studio', async () => {
    const token = await admin.addToken('owner', { tenant: 'other-studio' });
    expectGeneralError(await admin.call('GET', `${GAME}/models`, undefined, token), 404, 'game_not_found');
    const hidden = await admin.call('GET', `${GAME}/prediction-grades`, undefined, token);
    expectGeneralError(hidden, 404, 'game_not_found');
    const empty = await admin.ask<Listed>('GET', '/games/other-game/models', undefined, token);
    expect(empty).toMatchObject({ inForce: null, models: [] });
  });
});
