import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { findConfigVersionAt } from '../../../src/core/configs/config-queries.js';
import { createPriceHistories } from '../../../src/core/configs/price-histories.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { createSliceQueue } from '../../../src/platform/lib/slice-queue.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { gameDocument, get, offer, publish, sku, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';

const DAY_MS = 86_400_000;

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness({ settings: { ...withoutRateLimits(), accessTtlSeconds: 365 * 86_400 } });
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const costs = (offerPrice: string, changes: Partial<ConfigDocument> = {}): ConfigDocument => ({
  ...gameDocument([sku('gems', { actualPrice: '200.00', offerPrice })], { segments: [] }),
  pricing: {
    notices: {},
    forbiddenAttributes: [],
    largestSpreadPercent: null,
    lowestPriceCountries: ['DE'],
  },
  ...changes,
});
const publishNow = (document: ConfigDocument) => publish(harness.pool, document, harness.clock.now());
const playerIn = async (country: string): Promise<Session> => {
  const session = await harness.login(`in ${country}`);
  const timestamp = new Date(harness.clock.now()).toISOString();
  const event = { eventType: 'Level_Start', timestamp, payload: {}, metadata: { country } };
  expect((await postEvents(harness.app, session, [event])).statusCode).toBe(202);
  return session;
};
const gemsFor = async (session: Session, app = harness.app) =>
  (await get(app, '/v1/player/store_configs', session)).json().activeSkus[0];

describe('the lowest price of the 30 days before a reduction', () => {
  it('is told in the countries that the game names, by every node and by explain', async () => {
    await publishNow(costs('100.00'));
    const [german, french] = [await playerIn('DE'), await playerIn('FR')];
    expect(await gemsFor(german)).not.toHaveProperty('lowestPrice30d');
    harness.clock.advance(40 * DAY_MS);
    await publishNow(costs('80.00'));
    expect(await gemsFor(german)).toMatchObject({ offerPrice: 80, lowestPrice30d: 100 });
    harness.clock.advance(7 * DAY_MS);
    await publishNow(costs('70.00'));
    expect(await gemsFor(german)).toMatchObject({ offerPrice: 70, lowestPrice30d: 80 });
    expect(await gemsFor(french)).not.toHaveProperty('lowestPrice30d');
    // A node that has seen none of the versions before.
    const { app } = await harness.addNode();
    expect(await gemsFor(german, app)).toEqual(await gemsFor(german));

    const { because, decision } = await admin.ask<{
      because: { skus: string[] };
      decision: { storeText: string };
    }>('POST', `${GAME}/explain`, { playerId: german.userId });
    expect(because.skus[0]).toContain('; the lowest price of the 30 days before was 80.00 USD');
    expect(decision.storeText).toContain('"lowestPrice30d":80.00');
  });

  it('counts an offer from its beginning, and is gone where the game switches it off', async () => {
    const session = await playerIn('DE');
    harness.clock.advance(60 * DAY_MS);
    const sale = offer('sale', { effect: { price: { discountPercent: '50' } } });
    await publishNow(costs('70.00', { offers: [sale] }));
    expect(await gemsFor(session)).toMatchObject({ offerPrice: 35, lowestPrice30d: 70 });
    await publishNow({ ...costs('60.00'), pricing: undefined } as unknown as ConfigDocument);
    expect(await gemsFor(session)).not.toHaveProperty('lowestPrice30d');
  });

  it('begins with the oldest version that counts, on a new node and on one that ran all along', async () => {
    const create = () => createPriceHistories(harness.pool, createSliceQueue(), 3);
    const running = create();
    const gameId = (await findGame(harness.pool, DEMO.tenant, DEMO.game))?.id ?? 0;
    const answer = async (histories: ReturnType<typeof create>) => {
      const current = await findConfigVersionAt(harness.pool, gameId, harness.clock.now());
      const question = { skuId: 'gems', currency: 'USD', country: 'DE', zone: 'UTC', isPersonal: false };
      const lowest = await histories(gameId, current);
      return lowest && runSteps(lowest({ ...question, price: 20_00n, now: harness.clock.now() }));
    };
    harness.clock.advance(200 * DAY_MS);
    const told: unknown[] = [];
    for (const price of ['10.00', '50.00', '40.00', '30.00', '20.00']) {
      await publishNow(costs(price));
      told.push([await answer(running), await answer(create())]);
      harness.clock.advance(3 * DAY_MS);
    }
    // The 10.00 of the first version is out of sight for the last two.
    expect(told.at(-1)).toEqual([30_00n, 30_00n]);
  });
});
