/** @module-tag full */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFacts } from '../../../src/core/players/facts-queries.js';
import { findStateAt } from '../../../src/core/predictions/model-queries.js';
import { predictionFacts } from '../../../src/decide/attributes/player-history.js';
import { PREDICTION_NAMES } from '../../../src/decide/predict/artefact.js';
import { activityStatistics, payerStatistics } from '../../../src/decide/predict/player-statistics.js';
import { rollBackModel } from '../../../src/insight/predictions/roll-back-model.js';
import { type TrainOutcome, trainGame } from '../../../src/insight/predictions/train-game.js';
import { readOrigins } from '../../../src/insight/predictions/training-data-reader.js';
import { createSample } from '../../../src/insight/predictions/training-queries.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { createApiKey } from '../../../src/studio/games-and-keys/key-changes.js';
import { createGame, createTenant } from '../../../src/studio/games-and-keys/tenant-changes.js';
import { toCells } from '../../decide/predict/simulate.js';
import { simulateGame } from '../../decide/predict/simulated-game.js';
import { get, withoutRateLimits } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import {
  createHarness,
  type Harness,
  postEvents,
  postLogin,
  type Session,
  signedLogin,
  testActor,
  toSession,
} from '../../support/harness.js';
import { playThroughApi } from '../../support/simulated-events.js';

/** A game of six weeks that is played through the API, and then trained, read, and rolled back. */

const GAME = simulateGame(7, 2_300, 42);

let harness: Harness;
let sessions: Session[];
let gameId: number;
let today: number;
let trained: Extract<TrainOutcome, { outcome: 'trained' }>;

beforeAll(async () => {
  harness = await createHarness({ settings: { ...withoutRateLimits(), accessTtlSeconds: 86_400 } });
  today = Math.floor(harness.clock.now() / DAY_MS);
  harness.clock.set(today * DAY_MS + DAY_MS / 4);
  sessions = await playThroughApi(harness, GAME);
  gameId = (await findGame(harness.pool, 'demo-studio', 'demo-game'))?.id ?? 0;
});
afterAll(() => harness.close());

const predictions = (session: Session, headers = {}) =>
  get(harness.app, '/v1/player/predictions', session, headers);

/** The payer who bought last. */
function aPayer(): Session {
  const lastPurchase = GAME.players.map(({ purchases }) => Math.max(0, ...purchases.keys()));
  const index = lastPurchase.indexOf(Math.max(...lastPurchase.filter((day) => day < 20_042)));
  return sessions[index] as Session;
}

describe('before the first training', () => {
  it('returns averages, marked as such', async () => {
    const response = await predictions(aPayer());
    expect(response.statusCode, response.body).toBe(200);
    const body = response.json();
    expect(Object.keys(body)).toEqual(['playerId', 'asOf', 'predictions', 'models']);
    expect(body.asOf).toBe(new Date(harness.clock.now()).toISOString());
    expect(Object.keys(body.predictions)).toEqual([...PREDICTION_NAMES]);
    for (const prediction of Object.values<Record<string, unknown>>(body.predictions)) {
      expect(prediction).toMatchObject({
        state: 'cold_start',
        expiredAt: null,
        band: null,
        percentile: null,
      });
      expect(prediction.value).toBe(prediction.defaultValue);
      expect(prediction).not.toHaveProperty('reason');
    }
    expect(body.models.activity).toEqual({
      algorithm: 'average',
      trainedAt: null,
      players: 0,
      quality: null,
      health: 'unknown',
    });
  });
});

describe('the cells of training', () => {
  it('equal the statistics that predictions are computed from', async () => {
    const yesterday = today - 1;
    const { rows } = await harness.pool.query<{ id: string }>('select id from players where game_id = $1', [
      gameId,
    ]);
    const readings = await findFacts(
      harness.pool,
      rows.map(({ id }) => id),
      harness.clock.now(),
    );
    expect(readings).toHaveLength(GAME.players.length);
    const facts = readings.map((reading) => predictionFacts(reading.facts));
    const [origin] = await withDedicatedConnection(harness.pool, async (connection) => {
      await createSample(connection, gameId, 10_000);
      return readOrigins(connection, [yesterday], 'USD');
    });

    if (origin === undefined) throw new Error('nothing was read');
    const activity = toCells(facts.map((player) => activityStatistics(player, today)));
    const outcome = { returned7: 0, spent7: 0 };
    expect(sorted(origin.activity)).toEqual(sorted(activity.map((cell) => ({ ...cell, ...outcome }))));

    const payers = toCells(facts.flatMap((player) => payerStatistics(player, today, 'USD') ?? []));
    expect(payers.length).toBeGreaterThan(100);
    expect(
      sorted(origin.payers.map(({ x, tx, t, meanValue, players }) => ({ x, tx, t, meanValue, players }))),
    ).toEqual(sorted(payers));
    expect(origin.nonPayers.players).toBe(
      GAME.players.length - payers.reduce((sum, { players }) => sum + players, 0),
    );
  });

  it('are a sample of very many players, the same one each time', async () => {
    const samples = await withDedicatedConnection(harness.pool, async (connection) => [
      await createSample(connection, gameId, 500),
      await createSample(connection, gameId, 500),
    ]);
    expect(samples[0]).toEqual(samples[1]);
    expect(samples[0]?.allPlayers).toBe(GAME.players.length);
    expect(samples[0]?.players).toBeGreaterThan(400);
    expect(samples[0]?.players).toBeLessThan(600);
  });
});

describe('training', () => {
  it('puts models in force, and says whose players they have learnt from', async () => {
    const phases = new Set<string>();
    const outcome = await trainGame(harness.pool, {
      gameId,
      actor: testActor(harness.clock.now()),
      onProgress: ({ phase }) => phases.add(phase),
    });
    if (outcome.outcome !== 'trained') throw new Error(outcome.outcome);
    trained = outcome;
    expect([...phases]).toEqual(['reading', 'fitting']);
    expect(outcome).toMatchObject({ version: 1, isPromoted: true });
    expect(outcome.sample).toMatchObject({ players: GAME.players.length, allPlayers: GAME.players.length });
    const byModel = Object.fromEntries(outcome.report.models.map((report) => [report.model, report]));
    expect(byModel.activity).toMatchObject({ outcome: 'promoted' });
    // 2,300 players are few: what they do not show is taken from other games, and said so.
    expect(byModel.conversion).toMatchObject({ outcome: 'promoted', source: { kind: 'pooled' } });
    expect(outcome.report.progress).toEqual([
      { what: 'weeks of history', have: expect.any(Number), need: 2 },
    ]);
  });

  it('takes effect with the next request', async () => {
    const { churn } = (await predictions(aPayer())).json().predictions;
    expect(churn).toMatchObject({
      state: 'ready',
      unit: 'probability',
      horizonDays: 7,
      model: 'activity',
      expiredAt: new Date((today + 1) * DAY_MS).toISOString(),
    });
    expect(churn.value).toBeGreaterThan(0);
    expect(churn.value).toBeLessThan(1);
    expect(churn.defaultValue).toBeCloseTo(trained.artefact.baseRates.churn, 4);
    expect(['low', 'medium', 'high']).toContain(churn.band);
  });

  it('leaves an entry in the audit log', async () => {
    const { rows } = await harness.pool.query(
      `select action, target, after -> 'inForce' as "inForce" from audit_log where action like 'model.%'`,
    );
    expect(rows).toEqual([{ action: 'model.train', target: 'model 1', inForce: 1 }]);
  });

  it('predicts a player of whom nothing is known, too', async () => {
    const fresh = await harness.login('nobody-has-seen-this-one');
    const { churn, spend } = (await predictions(fresh)).json().predictions;
    expect(churn.state).toBe('ready');
    expect(spend).toMatchObject({ model: 'conversion', state: 'ready' });
  });

  it('does not affect players of another studio', async () => {
    const actor = testActor(harness.clock.now());
    await createTenant(harness.pool, { slug: 'other-studio', name: 'Other' }, actor);
    await createGame(harness.pool, { tenant: 'other-studio', slug: 'other-game', name: 'Other' }, actor);
    const place = {
      tenant: 'other-studio',
      game: 'other-game',
      environment: 'production',
      label: '',
    } as const;
    const key = await createApiKey(harness.pool, harness.masterKeys, place, actor);
    const login = await postLogin(
      harness.app,
      signedLogin({
        deviceId: 'd',
        nowMs: harness.clock.now(),
        apiKey: key?.keyId ?? '',
        secret: key?.secret ?? '',
      }),
    );
    const stranger = toSession(login.json());
    const body = (await predictions(stranger)).json();
    // Their game has marked no prediction as visible.
    expect(body).toMatchObject({ playerId: stranger.userId, predictions: {}, models: {} });
    const refused = await predictions(stranger, { 'x-tenant-id': 'demo-studio' });
    expect(refused.statusCode).toBe(403);
  });
});

describe('a response', () => {
  it('stays the same until an event of the player', async () => {
    const session = aPayer();
    const first = await predictions(session);
    const etag = String(first.headers.etag);
    expect(first.headers['cache-control']).toMatch(/^private, no-cache, stale-if-error=\d+$/);
    harness.clock.advance(1_000);
    expect((await predictions(session, { 'if-none-match': etag })).statusCode).toBe(304);
    // Another node, without a cache, returns the same.
    const { app } = await harness.addNode(withoutRateLimits());
    expect((await get(app, '/v1/player/predictions', session, { 'if-none-match': etag })).statusCode).toBe(
      304,
    );

    const timestamp = new Date(harness.clock.now()).toISOString();
    const sent = await postEvents(harness.app, session, [
      { eventType: 'Purchase', timestamp, payload: { transactionId: 'now', price: 5, currency: 'USD' } },
    ]);
    expect(sent.statusCode).toBe(202);
    const later = await predictions(session, { 'if-none-match': etag });
    expect(later.statusCode).toBe(200);
    expect(later.json().predictions.churn.value).toBeLessThan(first.json().predictions.churn.value);
  });

  it('changes at midnight for a player without events', async () => {
    const session = aPayer();
    const first = await predictions(session);
    harness.clock.set((today + 1) * DAY_MS - 1);
    const late = await predictions(session, { 'if-none-match': String(first.headers.etag) });
    expect(late.statusCode).toBe(304);
    harness.clock.set((today + 1) * DAY_MS);
    const next = await predictions(session, { 'if-none-match': String(first.headers.etag) });
    expect(next.statusCode).toBe(200);
    expect(next.json().predictions.churn.expiredAt).toBe(new Date((today + 2) * DAY_MS).toISOString());
    harness.clock.set((today + 4) * DAY_MS);
    const absent = (await predictions(await harness.login(session.deviceId))).json();
    expect(absent.predictions.churn.value).toBeGreaterThan(next.json().predictions.churn.value);
    harness.clock.set(today * DAY_MS + DAY_MS / 2);
  });
});

describe('a roll-back', () => {
  it('puts an older training in force with the next request, and is recorded', async () => {
    const at = (hours: number) => today * DAY_MS + DAY_MS / 2 + hours * 3_600_000;
    harness.clock.set(at(0));
    const session = await harness.login(aPayer().deviceId);
    const before = (await predictions(session)).json();
    const again = await trainGame(harness.pool, { gameId, actor: testActor(at(1)) });
    expect(again).toMatchObject({ outcome: 'trained', version: 2 });
    // The same days, the same models: no better than those in force.
    expect(again).toMatchObject({ isPromoted: false });

    const outcome = await rollBackModel(harness.pool, { gameId, version: 2 }, testActor(at(2)));
    expect(outcome).toEqual({ outcome: 'rolled_back', version: 2, before: 1 });
    expect(await rollBackModel(harness.pool, { gameId, version: 2 }, testActor(at(2)))).toEqual({
      outcome: 'unchanged',
      version: 2,
    });
    expect(await rollBackModel(harness.pool, { gameId, version: 99 }, testActor(at(2)))).toEqual({
      outcome: 'no_such_model',
    });
    expect((await predictions(session)).json().models.activity).toEqual(before.models.activity);

    expect((await findStateAt(harness.pool, gameId, at(1)))?.modelVersion).toBe(1);
    expect((await findStateAt(harness.pool, gameId, at(3)))?.modelVersion).toBe(2);
    expect(await findStateAt(harness.pool, gameId, 0)).toBeUndefined();
  });
});

/** As texts: comparing thousands of objects takes seconds. */
function sorted(cells: readonly object[]): string {
  return cells
    .map((cell) => JSON.stringify(Object.entries(cell).sort()))
    .sort()
    .join('\n');
}
