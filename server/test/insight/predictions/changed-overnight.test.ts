/** @module-tag full */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_DOCUMENT } from '../../../src/decide/document/default-document.js';
import { workOnGame } from '../../../src/insight/predictions/daily-work.js';
import { gradeGame } from '../../../src/insight/predictions/grade-game.js';
import { listGrades } from '../../../src/insight/predictions/grade-queries.js';
import { createPredictionMetrics } from '../../../src/insight/predictions/prediction-metrics.js';
import { predictionsStep } from '../../../src/insight/predictions/predictions-step.js';
import { trainGame } from '../../../src/insight/predictions/train-game.js';
import { publishConfig } from '../../../src/liveops/configs/publish.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { dateOf } from '../../../src/platform/lib/day.js';
import { type SimulatedPlayer, simulateGame } from '../../decide/predict/simulated-game.js';
import { get } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { createHarness, type Harness, type Session, testActor } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';
import { insertSimulatedPlayers } from '../../support/simulated-rows.js';

/** Games whose players suddenly behave differently from the training data. */

const PLAYED = simulateGame(11, 2_600, 95).players;
const SOLD = simulateGame(12, 3_200, 95).players;
/** More players, because the amounts that a few of them spend vary much by chance. */
const DEAR = simulateGame(14, 4_000, 95).players;
const CHANGE = 20_060;

let harness: Harness;
let today: number;
beforeAll(async () => {
  harness = await createHarness();
  today = Math.floor(harness.clock.now() / DAY_MS);
});
afterAll(() => harness.close());

/** This many days after the change, which is today, early in the morning. */
const after = (days: number) => (today + days) * DAY_MS + 3_600_000;

async function write(gameId: number, players: SimulatedPlayer[]): Promise<void> {
  await insertSimulatedPlayers(harness.pool, gameId, players, today - CHANGE);
}

async function train(gameId: number, days: number) {
  const outcome = await trainGame(harness.pool, { gameId, actor: testActor(after(days)) });
  if (outcome.outcome !== 'trained') throw new Error(outcome.outcome);
  return Object.fromEntries(outcome.report.models.map((report) => [report.model, report.outcome]));
}

async function grade(gameId: number, days: number) {
  const {
    lost,
    regained,
    grades = [],
  } = (await gradeGame(harness.pool, { gameId, actor: testActor(after(days)) })) ?? {};
  return { lost, regained, grades };
}

/** Grades as the service does every day. Returns what it writes to the log. */
async function gradeDaily(gameId: number, tenant: string, game: string, days: number) {
  const logged: unknown[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      const { level, time: _time, pid: _pid, hostname: _host, ...line } = JSON.parse(String(chunk));
      logged.push({ level: pino.levels.labels[level], ...line });
      done();
    },
  });
  const due = { gameId, tenant, game, isGradeDue: true, isTrainingDue: false };
  const step = predictionsStep(
    async ({ nowMs, signal }) => [await workOnGame(harness.pool, due, { nowMs, signal })],
    1,
    pino(stream),
  );
  const run = { pool: harness.pool, nowMs: after(days), signal: new AbortController().signal };
  await withDedicatedConnection(harness.pool, (connection) => step.run({ ...run, connection }));
  return logged;
}

/** The metric that alerts are based on. */
async function isTrusted(tenant: string, game: string, model: string): Promise<string | undefined> {
  const text = await createPredictionMetrics(harness.pool).registry.metrics();
  const labels = `tenant="${tenant}",game="${game}",model="${model}"`;
  const line = text
    .split('\n')
    .find((each) => each.startsWith(`savepoint_prediction_model_trusted{${labels}}`));
  return line?.split(' ').at(-1);
}

const statesOf = async (session: Session) => {
  const { predictions, models } = (await get(harness.app, '/v1/player/predictions', session)).json();
  return { churn: predictions.churn, health: models.activity.health };
};

describe('a broken update, after which no player returns', () => {
  let gameId: number;
  beforeAll(async () => {
    gameId = (await findGame(harness.pool, 'demo-studio', 'demo-game'))?.id ?? 0;
    const isBefore = (day: number) => day < CHANGE;
    await write(
      gameId,
      PLAYED.map((player) => ({
        ...player,
        activeDays: player.activeDays.filter(isBefore),
        purchases: new Map([...player.purchases].filter(([day]) => isBefore(day))),
      })),
    );
  });

  it('is green while nothing has changed', async () => {
    expect(await train(gameId, 0)).toMatchObject({ activity: 'promoted' });
    expect(await grade(gameId, 0)).toMatchObject({ lost: [], regained: [] });
    harness.clock.set(after(0));
    const { churn, health } = await statesOf(await harness.login('simulated-0'));
    expect(churn.state).toBe('ready');
    expect(health).toBe('green');
    expect(await isTrusted('demo-studio', 'demo-game', 'activity')).toBe('1');
  });

  it('turns red within a week: players get averages, with the state degraded, and the log and the metrics say so', async () => {
    expect(await gradeDaily(gameId, 'demo-studio', 'demo-game', 7)).toEqual([
      {
        level: 'error',
        tenant: 'demo-studio',
        game: 'demo-game',
        models: expect.arrayContaining(['activity', 'purchases']),
        msg: 'the predictions of these models were wrong; players get averages until they are right again',
      },
    ]);
    expect(await isTrusted('demo-studio', 'demo-game', 'activity')).toBe('0');
    const grades = await listGrades(harness.pool, gameId, { sinceDay: dateOf(today), limit: 10 });
    const told = grades.find(({ model }) => model === 'activity');
    expect(told?.health).toBe('red');
    expect(told?.metrics.deciles).toHaveLength(10);
    harness.clock.set(after(7));
    const { churn, health } = await statesOf(await harness.login('simulated-0'));
    expect(churn).toMatchObject({ state: 'degraded', expiredAt: null, band: null });
    expect(churn.value).toBe(churn.defaultValue);
    expect(health).toBe('red');
    const { rows } = await harness.pool.query(
      "select target, after from audit_log where action = 'model.grade'",
    );
    expect(rows).toEqual([
      { target: 'model 1', after: { distrusted: expect.arrayContaining(['activity', 'purchases']) } },
    ]);
  });

  it('does not trust a model that is trained after the change before it has met a week', async () => {
    await train(gameId, 22);
    harness.clock.set(after(22));
    const { churn, health } = await statesOf(await harness.login('simulated-0'));
    expect(churn.state).toBe('degraded');
    expect(health).toBe('red');
    // The average has learnt that players do not return.
    expect(churn.value).toBeGreaterThan(0.9);
    expect(await isTrusted('demo-studio', 'demo-game', 'activity')).toBe('0');
  });
});

describe('a sale, on which every payer buys', () => {
  let gameId: number;
  let studio: Awaited<ReturnType<typeof addStudio>>;

  beforeAll(async () => {
    studio = await addStudio(harness, 'other-studio', 'other-game');
    const { rows } = await harness.pool.query("select id from games where slug = 'other-game'");
    gameId = rows[0].id;
    const shown = { visibleToClients: ['spend' as const], off: [] };
    await publishConfig(
      harness.pool,
      { gameId, document: { ...DEFAULT_DOCUMENT, predictions: shown }, note: '' },
      testActor(harness.clock.now()),
    );
    const bought = ({ purchases }: SimulatedPlayer) =>
      purchases.size === 0 ? purchases : new Map([...purchases, [CHANGE, 9.99]]);
    await write(
      gameId,
      SOLD.map((player) => ({ ...player, purchases: bought(player) })),
    );
  });

  const toldAfter = async (days: number) => {
    harness.clock.set(after(days));
    const payer = await studio.login(`simulated-${SOLD.findIndex(({ purchases }) => purchases.size > 0)}`);
    return (await get(harness.app, '/v1/player/predictions', payer)).json();
  };

  it('turns red the next day, and the log and the metrics say so', async () => {
    expect(await train(gameId, 0)).toMatchObject({ purchases: 'promoted' });
    expect(await grade(gameId, 0)).toMatchObject({ lost: [] });
    expect(await isTrusted('other-studio', 'other-game', 'purchases')).toBe('1');
    expect(await gradeDaily(gameId, 'other-studio', 'other-game', 1)).toContainEqual(
      expect.objectContaining({
        level: 'error',
        tenant: 'other-studio',
        game: 'other-game',
        models: expect.arrayContaining(['purchases']),
      }),
    );
    expect(await isTrusted('other-studio', 'other-game', 'purchases')).toBe('0');
    const { predictions } = await toldAfter(1);
    expect(predictions.spend).toMatchObject({ state: 'degraded', model: 'purchases', band: null });
  });

  it('recovers with a model that is trained after the sale, once it has met a week', async () => {
    expect(await train(gameId, 22)).toMatchObject({ purchases: 'promoted' });
    expect(await isTrusted('other-studio', 'other-game', 'purchases')).toBe('0');
    const { lost, regained } = await grade(gameId, 30);
    expect(lost).not.toContain('purchases');
    expect(regained).toContain('purchases');
    expect(await isTrusted('other-studio', 'other-game', 'purchases')).toBe('1');
    const { predictions } = await toldAfter(30);
    expect(predictions.spend).toMatchObject({ state: 'ready', model: 'purchases' });
  });
});

describe('prices that are raised fourfold', () => {
  /** Nobody of this game joins any more, so what is said of first purchases is lost at some time, too. */
  const isOfPayers = (name: string) => name.startsWith('purchases');
  let gameId: number;
  let player: Session;

  beforeAll(async () => {
    const studio = await addStudio(harness, 'dear-studio', 'dear-game');
    const { rows } = await harness.pool.query("select id from games where slug = 'dear-game'");
    gameId = rows[0].id;
    const shown = { visibleToClients: ['spend' as const, 'purchases' as const, 'revenue' as const], off: [] };
    await publishConfig(
      harness.pool,
      { gameId, document: { ...DEFAULT_DOCUMENT, predictions: shown }, note: '' },
      testActor(harness.clock.now()),
    );
    const raised = ({ purchases }: SimulatedPlayer) =>
      new Map([...purchases].map(([day, amount]) => [day, day < CHANGE ? amount : 4 * amount]));
    await write(
      gameId,
      DEAR.map((each) => ({ ...each, purchases: raised(each) })),
    );
    harness.clock.set(after(0));
    player = await studio.login(`simulated-${DEAR.findIndex(({ purchases }) => purchases.size > 0)}`);
  });

  const toldOf = async () => {
    const response = await get(harness.app, '/v1/player/predictions', player);
    expect(response.statusCode, response.body).toBe(200);
    return response.json();
  };

  it('leave what is said of numbers, and turn what is said of amounts red before its 28 days are over', async () => {
    expect(await train(gameId, 0)).toMatchObject({ purchases: 'promoted' });
    expect(await grade(gameId, 0)).toMatchObject({ lost: [] });
    const { lost, grades } = await grade(gameId, 14);
    expect(lost?.filter(isOfPayers)).toEqual(['purchases.revenue', 'purchases.revenue90']);
    const graded = grades.find(({ model }) => model === 'purchases.revenue');
    expect(graded).toMatchObject({ health: 'red', wasTold: false, modelVersion: 1 });
    expect(graded?.metrics.totalRatio).toBeLessThan(1 / 1.5);
    expect(graded?.metrics.deciles.length).toBeGreaterThan(5);
    expect(grades.find(({ model }) => model === 'purchases.purchases')?.health).toBe('green');
    const { predictions, models } = await toldOf();
    expect(predictions.revenue).toMatchObject({ state: 'degraded', band: null, expiredAt: null });
    expect(predictions.revenue.value).toBe(predictions.revenue.defaultValue);
    expect([predictions.spend.state, predictions.purchases.state]).toEqual(['ready', 'ready']);
    expect(models.purchases.health).toBe('red');
    const { rows } = await harness.pool.query(
      "select after from audit_log where action = 'model.grade' and game_id = $1",
      [gameId],
    );
    expect(rows.map(({ after: { distrusted } }) => distrusted.filter(isOfPayers))).toEqual([
      ['purchases.revenue', 'purchases.revenue90'],
    ]);
  });

  it('are graded 28 days later as what players were told', async () => {
    const { lost, regained, grades } = await grade(gameId, 29);
    expect([lost, regained].map((names) => names?.filter(isOfPayers))).toEqual([[], []]);
    expect(grades.find(({ model }) => model === 'purchases.revenue')).toMatchObject({
      wasTold: true,
      health: 'red',
    });
  });

  it('are trusted again when the amounts are those of before, and a model that has learnt it has met a week', async () => {
    await harness.pool.query(
      `update player_days set revenue = jsonb_build_object('USD', (revenue ->> 'USD')::numeric / 4)
       where player_id in (select id from players where game_id = $1) and day >= $2 and purchases > 0`,
      [gameId, new Date(today * DAY_MS).toISOString().slice(0, 10)],
    );
    expect(await train(gameId, 22)).toMatchObject({ purchases: 'promoted' });
    const { lost, regained } = await grade(gameId, 30);
    expect([lost, regained].map((names) => names?.filter(isOfPayers))).toEqual([
      [],
      ['purchases.revenue', 'purchases.revenue90'],
    ]);
    harness.clock.set(after(0) + 60_000);
    expect((await toldOf()).predictions.revenue.state).toBe('ready');
  });
});
