import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import type { PredictionSettings } from '../../../src/decide/document/parts/predictions.js';
import { PREDICTION_NAMES } from '../../../src/decide/predict/artefact.js';
import { priceRaiseSteps } from '../../../src/liveops/configs/price-raises.js';
import type { Explanation } from '../../../src/liveops/explanations/explain.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { configWith, NOW, offer as offerEntry, problemsOf } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { gameDocument, get, offer, publish, sku, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { putInForce, trainedArtefact } from '../../support/prediction-models.js';
import { addStudio } from '../../support/session-calls.js';

/** The published document says which predictions are visible to clients, and which are off. */

const gems = sku('gems', { actualPrice: '10', offerPrice: '10' });
const stay = offer('stay', {
  when: 'predictions.churn.state == "ready"',
  effect: { price: { discountPercent: '50' }, promoId: 'stay' },
});

let harness: Harness;
let admin: AdminClient;
let session: Session;
beforeAll(async () => {
  harness = await createHarness({ settings: withoutRateLimits() });
  admin = await openAdminClient(harness);
  session = await harness.login();
  const { rows } = await harness.pool.query<{ id: number }>("select id from games where slug = 'demo-game'");
  await putInForce(harness.pool, rows[0]?.id ?? 0, trainedArtefact(), harness.clock.now());
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const told = async (of: Session = session) => (await get(harness.app, '/v1/player/predictions', of)).json();
const set = (predictions?: PredictionSettings) =>
  publish(
    harness.pool,
    gameDocument([gems], { offers: [stay], ...(predictions === undefined ? {} : { predictions }) }),
    harness.clock.now(),
  );

describe('predictions that are visible to clients', () => {
  it('are all in the demo game, and none in a new one', async () => {
    expect(Object.keys((await told()).predictions)).toEqual([...PREDICTION_NAMES]);
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    expect(await told(await studio.login('device'))).toMatchObject({ predictions: {}, models: {} });
  });

  it('are those that the document lists, with their models, from the next request on', async () => {
    await set({ visibleToClients: ['spend', 'churn'], off: [] });
    const first = await get(harness.app, '/v1/player/predictions', session);
    expect(Object.keys(first.json().predictions)).toEqual(['churn', 'spend']);
    // Players without a purchase are predicted by the model of conversion.
    expect(Object.keys(first.json().models)).toEqual(['activity', 'conversion']);
    await set({ visibleToClients: ['churn'], off: [] });
    const second = await get(harness.app, '/v1/player/predictions', session, {
      'if-none-match': String(first.headers.etag),
    });
    expect(second.statusCode).toBe(200);
    expect(Object.keys(second.json().predictions)).toEqual(['churn']);
    expect(Object.keys(second.json().models)).toEqual(['activity']);
    await set();
    expect(await told()).toMatchObject({ predictions: {}, models: {} });
  });

  it('are shown by explain even if they are not visible to clients', async () => {
    await set({ visibleToClients: ['spend'], off: [] });
    const { predictions } = await admin.ask<Explanation>('POST', `${GAME}/explain`, {
      playerId: session.userId,
    });
    expect(predictions.predictions.churn).toMatchObject({ visibleToClients: false, state: 'ready' });
    expect(predictions.predictions.spend.visibleToClients).toBe(true);
  });
});

describe('a prediction that is off', () => {
  it('is the average, for clients, rules and explain', async () => {
    const price = async () =>
      (await get(harness.app, '/v1/player/store_configs', session)).json().activeSkus[0].offerPrice;
    await set({ visibleToClients: ['churn'], off: [] });
    expect([(await told()).predictions.churn.state, await price()]).toEqual(['ready', 5]);
    await set({ visibleToClients: ['churn'], off: ['churn'] });
    const { churn } = (await told()).predictions;
    expect(churn).toMatchObject({ state: 'off', band: null, percentile: null, expiredAt: null });
    expect(churn.value).toBe(churn.defaultValue);
    expect(await price()).toBe(10);
    const explained = await admin.ask<Explanation>('POST', `${GAME}/explain`, { playerId: session.userId });
    expect(explained.trace.offers[0]?.rule?.values).toEqual({ 'predictions.churn.state': 'off' });
    expect(explained.because.predictions[0]).toMatch(
      /, as for an average player: the studio has switched this prediction off\.$/,
    );
  });

  it('changes the dry run of rules that use it', async () => {
    await set({ visibleToClients: [], off: [] });
    const response = await admin.call('POST', `${GAME}/dry-run`, {
      document: gameDocument([gems], {
        offers: [stay],
        predictions: { visibleToClients: [], off: ['churn'] },
      }),
    });
    const { result } = JSON.parse(response.body.trim().split('\n').at(-1) ?? '');
    const [effect] = result.offers;
    expect(effect.counts).toMatchObject({ before: result.players, after: 0, leave: result.players });
  });

  it('may take an offer from players, which must be confirmed', () => {
    const running = offerEntry('stay', { when: 'predictions.churn.value > 0.5' });
    const catalogue = gameDocument([gems]).catalogue;
    const before = configWith({ catalogue, offers: [running] });
    const off = (...names: ('churn' | 'spend')[]) => ({
      ...before,
      predictions: { visibleToClients: [], off: names },
    });
    const raises = (after: ConfigDocument) => runSteps(priceRaiseSteps(before, after, NOW));
    expect(raises(off('churn'))).toMatchObject([{ offerId: 'stay', skuId: 'gems' }]);
    expect(raises(before)).toEqual([]);
  });
});

it('names are checked when a document is saved', () => {
  const predictions = { visibleToClients: ['chrun'], off: [] };
  expect(problemsOf({ ...configWith(), predictions })).toEqual([
    '/predictions/visibleToClients/0 Write "churn" or "spend" or "purchases" or "revenue" or "revenue90" or "payerAlive".',
  ]);
  expect(problemsOf({ ...configWith(), predictions: { visible: [] } })).toEqual(
    expect.arrayContaining([expect.stringContaining('/predictions/visible')]),
  );
  for (const name of PREDICTION_NAMES) {
    expect(problemsOf({ ...configWith(), predictions: { visibleToClients: [name], off: [name] } })).toEqual(
      [],
    );
  }
});
