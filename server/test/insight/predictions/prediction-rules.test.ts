import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Artefact } from '../../../src/decide/predict/artefact.js';
import { rollBackModel } from '../../../src/insight/predictions/roll-back-model.js';
import type { Explanation } from '../../../src/liveops/explanations/explain.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { gameDocument, get, offer, publish, sku, withoutRateLimits } from '../../support/data-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import { createHarness, type Harness, postEvents, type Session, testActor } from '../../support/harness.js';
import { putInForce, shiftedChurn, trainedArtefact } from '../../support/prediction-models.js';
import { addStudio } from '../../support/session-calls.js';

/** Rules on predictions, from the publication to the store, the explanation and the dry run. */

const gems = sku('gems', { actualPrice: '10', offerPrice: '10' });
const stay = offer('stay', {
  when: 'predictions.churn.band == "high"',
  effect: { price: { discountPercent: '50' }, promoId: 'stay' },
});
const leaving = {
  segmentId: 'leaving',
  name: 'Leaving',
  rule: 'predictions.churn.value > 0.7',
  visibleToClients: true,
  priority: 0,
};
const predictions = { visibleToClients: ['churn' as const], off: [] };
const document = gameDocument([gems], { segments: [leaving], offers: [stay], predictions });

let harness: Harness;
let admin: AdminClient;
let gameId: number;
let today: number;
let artefact: Artefact;
let regular: Session;
let absent: Session;

beforeAll(async () => {
  harness = await createHarness({ settings: { ...withoutRateLimits(), accessTtlSeconds: 30 * 86_400 } });
  admin = await openAdminClient(harness);
  const { rows } = await harness.pool.query<{ id: number }>("select id from games where slug = 'demo-game'");
  gameId = rows[0]?.id ?? 0;
  today = Math.floor(harness.clock.now() / DAY_MS);
  harness.clock.set(today * DAY_MS + DAY_MS / 2);
  regular = await playedOn('regular', [20, 19, 17, 15, 12, 10, 9, 8, 6, 5, 4, 3, 2, 1]);
  absent = await playedOn('absent', [20, 19]);
  artefact = trainedArtefact();
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

async function playedOn(device: string, daysAgo: readonly number[]): Promise<Session> {
  const session = await harness.login(device);
  const at = (ago: number) => new Date(harness.clock.now() - ago * DAY_MS).toISOString();
  const events = daysAgo.map((ago) => ({
    eventType: 'Session_Start',
    timestamp: at(ago),
    payload: { sessionId: `s${ago}` },
  }));
  const response = await postEvents(harness.app, session, events);
  expect(response.statusCode, response.body).toBe(202);
  return session;
}

const storeOf = (session: Session, etag?: string, app = harness.app) =>
  get(app, '/v1/player/store_configs', session, etag === undefined ? {} : { 'if-none-match': etag });
const priceOf = async (session: Session, app = harness.app) =>
  (await storeOf(session, undefined, app)).json().activeSkus[0].offerPrice;
const segmentsOf = async (session: Session) =>
  (await get(harness.app, '/v1/player/segments', session)).json().segments.length;
const explain = (question: object) => admin.ask<Explanation>('POST', `${GAME}/explain`, question);
const later = () => {
  harness.clock.advance(60_000);
  return harness.clock.now();
};

describe('an offer on a prediction', () => {
  it('applies to no player before there is a model: averages have no band', async () => {
    await publish(harness.pool, document, harness.clock.now());
    expect([await priceOf(regular), await priceOf(absent)]).toEqual([10, 10]);
    const explained = await explain({ playerId: absent.userId });
    const { trace } = explained;
    expect(explained.predictions).toMatchObject({
      modelVersion: null,
      inForceSince: null,
      aliveByActivity: null,
    });
    expect(trace.offers[0]?.rule?.values).toEqual({ 'predictions.churn.band': '' });
  });

  it('is in the store of a player who is about to leave, with the first request after a training', async () => {
    const before = await storeOf(absent);
    const since = later();
    await putInForce(harness.pool, gameId, artefact, since);
    const after = await storeOf(absent, String(before.headers.etag));
    expect(after.statusCode).toBe(200);
    expect(after.json()).toMatchObject({ userSpecificPromoId: 'stay', lastUpdatedTimestamp: since });
    expect([await priceOf(regular), await priceOf(absent)]).toEqual([10, 5]);
    expect([await segmentsOf(regular), await segmentsOf(absent)]).toEqual([0, 1]);
    const { app } = await harness.addNode(withoutRateLimits());
    expect([await priceOf(regular, app), await priceOf(absent, app)]).toEqual([10, 5]);
    expect((await storeOf(absent, String(after.headers.etag))).statusCode).toBe(304);
  });

  it('leaves the store with an event, when the player comes back', async () => {
    const back = await playedOn('back', [20, 19]);
    expect(await priceOf(back)).toBe(5);
    await playedOn('back', [0]);
    expect(await priceOf(back)).toBe(10);
  });

  it('enters the store at midnight, while the player stays away', async () => {
    const noon = harness.clock.now();
    onTestFinished(() => harness.clock.set(noon));
    const wavering = await playedOn('wavering', [8, 7, 6, 5, 4, 3, 2, 1]);
    const prices: number[] = [];
    for (let days = 0; days < 12; days += 1) {
      harness.clock.set((today + days) * DAY_MS + DAY_MS / 2);
      prices.push(await priceOf(wavering));
    }
    const entered = prices.indexOf(5);
    expect(entered).toBeGreaterThan(0);
    expect(prices).toEqual(prices.map((_, days) => (days < entered ? 10 : 5)));
    harness.clock.set((today + entered) * DAY_MS - 1);
    const before = await storeOf(wavering);
    expect(before.headers['cache-control']).toBe('private, no-cache, stale-if-error=0');
    harness.clock.set((today + entered) * DAY_MS);
    const after = await storeOf(wavering, String(before.headers.etag));
    expect(after.statusCode).toBe(200);
    expect(after.json().lastUpdatedTimestamp).toBe((today + entered) * DAY_MS);
  });
});

describe('explain', () => {
  it('shows model, statistics, P(alive) and what each feature adds', async () => {
    const { predictions: explained, because, trace } = await explain({ playerId: absent.userId });
    expect(explained).toMatchObject({ modelVersion: 1, distrusted: [], purchases: null });
    expect(explained.activity).toMatchObject({ n: 19, x: 1, tx: 1 });
    expect(explained.aliveByActivity).toBeGreaterThan(0);
    expect(explained.aliveByActivity).toBeLessThan(1);
    const { churn } = explained.predictions;
    expect(churn.visibleToClients).toBe(true);
    const sizes = churn.regression?.contributions.map(({ logOdds }) => Math.abs(logOdds)) ?? [];
    expect(sizes.length).toBeGreaterThan(3);
    expect([...sizes].sort((one, other) => other - one)).toEqual(sizes);
    expect(because.predictions[0]).toBe(churn.sentence);
    expect(churn.sentence).toMatch(
      /^The probability of not being active in the next 7 days is \d\d\.\d% \(high;/,
    );
    expect(trace.offers[0]).toMatchObject({
      outcome: 'applies',
      rule: { values: { 'predictions.churn.band': 'high' } },
    });
    expect(because.segments[0]).toMatch(/^In segment leaving: .*predictions\.churn\.value = 0\.\d+\)\.$/);
  });

  it('uses the model that was in force then', async () => {
    const first = harness.clock.now();
    const served = await storeOf(absent);
    later();
    await putInForce(harness.pool, gameId, shiftedChurn(artefact, -9), harness.clock.now());
    expect(await priceOf(absent)).toBe(10);
    const second = harness.clock.now();
    later();
    await rollBackModel(harness.pool, { gameId, version: 1 }, testActor(harness.clock.now()));
    expect(await priceOf(absent)).toBe(5);
    later();
    const past = await explain({ playerId: absent.userId, at: new Date(first).toISOString() });
    expect(past).toMatchObject({ source: 'stored events', predictions: { modelVersion: 1 } });
    expect(past.decision.storeText).toBe(served.body);
    const between = await explain({ playerId: absent.userId, at: new Date(second).toISOString() });
    expect(between.predictions).toMatchObject({ modelVersion: 2, predictions: { churn: { band: 'low' } } });
    expect(between.decision.store).toMatchObject({ userSpecificPromoId: null });
    const now = await explain({ playerId: absent.userId });
    expect(now.predictions.modelVersion).toBe(1);
    // The response and the explanation are the same.
    const told = await get(harness.app, '/v1/player/predictions', absent);
    const { churn } = told.json().predictions;
    expect(now.predictions.predictions.churn.value).toBeCloseTo(churn.value, 5);
    expect(now.predictions.predictions.churn).toMatchObject({
      band: churn.band,
      percentile: churn.percentile,
    });
  });

  it('accepts a hypothetical player: the facts of an explanation can be changed and sent back', async () => {
    const { facts, predictions: told } = await explain({ playerId: absent.userId });
    const same = await explain({ hypothetical: facts });
    expect(same.predictions.predictions.churn.value).toBe(told.predictions.churn.value);
    expect(same.facts.history).toEqual(facts.history);
    const [first] = facts.history?.activeDays ?? [];
    const yesterday = new Date((today - 1) * DAY_MS).toISOString().slice(0, 10);
    const activeDays = [{ from: first?.from ?? '', to: yesterday }];
    const other = await explain({ hypothetical: { ...facts, history: { ...facts.history, activeDays } } });
    expect(other.predictions.predictions.churn.band).toBe('low');
    const wrong = [{ from: '2026-11-05', to: '2026-11-01' }];
    const refused = await admin.call('POST', `${GAME}/explain`, {
      hypothetical: { history: { activeDays: wrong } },
    });
    expect(refused.json().error.message).toContain('history.activeDays must not overlap');
    const days = [1, 2, 3].map((ago) => ({
      day: new Date((today - ago) * DAY_MS).toISOString().slice(0, 10),
      events: 2,
      purchases: ago === 2 ? 0 : 1,
      revenue: { USD: 4 },
    }));
    const ofDays = await explain({ hypothetical: { days } });
    expect(ofDays.predictions.purchases).toMatchObject({ x: 1, tx: 2, t: 2, meanValue: 4 });
  });
});

describe('a dry run', () => {
  it('evaluates predictions with the models in force', async () => {
    const response = await admin.call('POST', `${GAME}/dry-run`, {
      document: gameDocument([gems], { segments: [{ ...leaving, rule: 'predictions.churn.value <= 0.7' }] }),
    });
    const { result } = JSON.parse(response.body.trim().split('\n').at(-1) ?? '');
    const { counts } = result.segments.find(
      ({ segmentId }: { segmentId: string }) => segmentId === 'leaving',
    );
    expect(counts.before).toBeGreaterThan(0);
    expect(counts).toMatchObject({ enter: result.players - counts.before, leave: counts.before, stay: 0 });
  });
});

describe('another studio', () => {
  it('does not use the models', async () => {
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('owner', { tenant: 'other-studio' });
    const session = await studio.login('absent');
    const explained = await admin.ask<Explanation>(
      'POST',
      '/games/other-game/explain',
      { playerId: session.userId },
      token,
    );
    expect(explained.predictions).toMatchObject({
      modelVersion: null,
      predictions: { churn: { state: 'cold_start' } },
    });
    const foreign = await admin.call('POST', '/games/other-game/explain', { playerId: absent.userId }, token);
    expect(foreign.statusCode).toBe(404);
  });
});
