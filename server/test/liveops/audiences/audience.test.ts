import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configWith, offer, segment, sku } from '../../decide/support/fixtures.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, publish } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

type Audience = {
  players: number;
  examined: number;
  isSampled: boolean;
  countedAt: string;
  at: string;
  audience: { players: number; payers: number; share: number };
  revenueShare: Record<string, number>;
  examples: { inside: string[]; outside: { playerId: string; nearMiss: object; sentence: string }[] };
};

let harness: Harness;
let admin: AdminClient;
/** The n-th player has bought n times, for a dollar each. */
const players: string[] = [];
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  for (const n of [0, 1, 2, 3]) {
    const session = await harness.login(`device-${n}`);
    players.push(session.userId);
    const timestamp = new Date(harness.clock.now()).toISOString();
    const events = Array.from({ length: n }, (_, purchase) => ({
      eventType: 'Purchase',
      timestamp,
      payload: { transactionId: `t-${n}-${purchase}`, price: '1', currency: 'USD' },
    }));
    if (n > 0) expect((await postEvents(harness.app, session, events)).statusCode).toBe(202);
  }
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const post = (body: unknown, token: string | null = admin.tokens.viewer) =>
  admin.call('POST', `${GAME}/audience`, body, token);
const ask = (body: object) => admin.ask<Audience>('POST', `${GAME}/audience`, body, admin.tokens.viewer);
const document = (rule: string, overrides = {}) =>
  configWith({
    catalogue: [sku('gems')],
    segments: [segment('buyers', rule)],
    offers: [offer('sale', { when: '"buyers" in segments', ...overrides })],
  });

describe('the audience of a part of a document', () => {
  it('is counted for a document that is not saved, with players inside and nearly inside', async () => {
    const counted = await ask({ document: document('purchases.total >= 2'), segmentId: 'buyers' });
    expect(counted).toMatchObject({
      players: 4,
      examined: 4,
      isSampled: false,
      countedAt: new Date(harness.clock.now()).toISOString(),
      at: new Date(harness.clock.now()).toISOString(),
      audience: { players: 2, payers: 2, share: 0.5 },
      revenueShare: { USD: 0.8333 },
    });
    expect(counted.examples.inside.toSorted()).toEqual(players.slice(2).toSorted());
    expect(counted.examples.outside).toEqual([
      {
        playerId: players[1],
        nearMiss: {
          attribute: 'purchases.total',
          value: 1,
          operator: '>=',
          threshold: 2,
          distance: 1,
        },
        sentence: 'Would enter with purchases.total of at least 2: 1 more than now.',
      },
      expect.objectContaining({ playerId: players[0] }),
    ]);
  });

  it('of an offer depends on its segments, share, schedule and limit', async () => {
    const reach = async (overrides: object, rule = 'purchases.total >= 1') =>
      (await ask({ document: document(rule, overrides), offerId: 'sale' })).audience.players;
    expect(await reach({})).toBe(3);
    expect(await reach({ when: null })).toBe(4);
    expect(await reach({ when: '"buyers" in segments && purchases.total > 2' })).toBe(1);
    expect(await reach({ sharePercent: 0 })).toBe(0);
    expect(await reach({ until: new Date(harness.clock.now()).toISOString() })).toBe(0);
    const limited = { effect: { promoId: 'promo', price: { discountPercent: '5' } }, limitPerPlayer: 1 };
    expect(await reach(limited)).toBe(3);
  });

  it('of an offer that begins later is counted as of its beginning', async () => {
    const day = 86_400_000;
    const from = new Date(harness.clock.now() + 3 * day).toISOString();
    const scheduled = (when: string) => ask({ document: document('true', { when, from }), offerId: 'sale' });
    expect(await scheduled('purchases.total >= 1')).toMatchObject({
      audience: { players: 3 },
      countedAt: new Date(harness.clock.now()).toISOString(),
      at: from,
    });
    // Days pass until then, and nothing more happens.
    expect((await scheduled('daysSinceLastPurchase == 3')).audience.players).toBe(3);
    expect((await scheduled('purchases.last7d >= 2')).audience.players).toBe(2);
    const ended = new Date(harness.clock.now() + 8 * day).toISOString();
    const later = document('true', { when: 'purchases.last7d >= 2', from: ended });
    expect((await ask({ document: later, offerId: 'sale' })).audience.players).toBe(0);
  });

  it('is that of the draft if no document is given', async () => {
    await publish(harness.pool, document('purchases.total >= 3'), harness.clock.now());
    expect((await ask({ segmentId: 'buyers' })).audience.players).toBe(1);
  });

  it('refuses a wrong request, and says why', async () => {
    const both = await post({ segmentId: 'buyers', offerId: 'sale' });
    expectGeneralError(both, 400, 'body_invalid');
    expectGeneralError(await post({}), 400, 'body_invalid');
    const missing = await post({ segmentId: 'sellers' });
    expectGeneralError(missing, 400, 'body_invalid');
    expect(missing.json().error.message).toBe('The document has no segment "sellers".');
    const wrong = await post({ document: document('purchase.total > 1'), segmentId: 'buyers' });
    expect(wrong.json().error).toMatchObject({
      code: 'document_invalid',
      problems: [{ pointer: '/segments/0/rule', position: { line: 1, column: 1 } }],
    });
  });

  it('is refused for a game of another studio', async () => {
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('viewer', { tenant: 'other-studio' });
    const body = { document: document('true'), segmentId: 'buyers' };
    expectGeneralError(await post(body, token), 404, 'game_not_found');
    const own = await admin.ask<Audience>('POST', '/games/other-game/audience', body, token);
    expect(own).toMatchObject({
      players: 0,
      examined: 0,
      audience: { players: 0, share: 0 },
      examples: { inside: [], outside: [] },
    });
  });

  it('is estimated from a sample of many players, which is kept for a minute', async () => {
    const add = (many: number) =>
      harness.pool.query(
        `insert into players (game_id, user_id, created_at, purchase_count, last_purchase_at)
         select g.id, gen_random_uuid(), $1, case when is_payer then 1 else 0 end,
           case when is_payer then $1::timestamptz end
         from games g, generate_series(1, $2::int) n,
           lateral (select abs(hashint4(n)) % 4 = 0 as is_payer) chance
         where g.slug = 'demo-game'`,
        [new Date(harness.clock.now()), many],
      );
    await add(20_996);
    const body = { document: document('purchases.total >= 1'), segmentId: 'buyers' };
    const counted = await ask(body);
    expect(counted).toMatchObject({ players: 21_000, examined: 10_000, isSampled: true });
    expect(Math.abs(counted.audience.players - 5250)).toBeLessThan(500);
    await add(1000);
    expect((await ask(body)).players).toBe(21_000);
    harness.clock.advance(60_000);
    expect((await ask(body)).players).toBe(22_000);
  });
});
