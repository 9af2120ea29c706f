import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { NO_STORES, type StoreSettings } from '../../../src/core/events/receipts/store-settings.js';
import { listGameDays } from '../../../src/insight/analytics/dashboard.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { DAY_MS } from '../../../src/platform/lib/day.js';
import { requestErasure, withdrawErasure } from '../../../src/trust/erasures/request-erasure.js';
import { createAppleSigner } from '../../../src/trust/fake-store/store-signers.js';
import { saveStores } from '../../../src/trust/stores/store-settings-queries.js';
import { GAME, openAdminClient } from '../../support/admin-calls.js';
import { get, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session, testActor } from '../../support/harness.js';
import { expectPurchaseSums } from '../../support/purchase-sums.js';
import { rebuildOnce } from '../../support/rebuild-once.js';
import { addServerKey, call } from '../../support/server-calls.js';
import { BUNDLE_ID, createTestStores, type TestStores } from '../../support/store-receipts.js';

const YEAR_MS = 365 * 86_400_000;

describe('verified purchases', () => {
  let stores: TestStores;
  let harness: Harness;
  let gameId: number;
  let settings: StoreSettings;
  let transactions = 2_000_000;
  let players = 0;

  beforeAll(async () => {
    stores = createTestStores();
    const { appleRootFile, googleKey } = stores;
    harness = await createHarness({ settings: { ...withoutRateLimits(), appleRootFile } });
    gameId = (await findGame(harness.pool, DEMO.tenant, DEMO.game))?.id ?? 0;
    settings = {
      ...NO_STORES,
      apple: { bundleIds: [BUNDLE_ID] },
      google: { packageName: BUNDLE_ID, publicKey: googleKey, push: null },
      counts: 'verified',
    };
  });
  beforeEach(() => save({}));
  afterAll(async () => {
    await harness.close();
    stores.remove();
  });

  const save = (change: Partial<StoreSettings>) =>
    saveStores(harness.pool, gameId, { ...settings, ...change }, testActor());
  const now = () => new Date(harness.clock.now()).toISOString();
  const newPlayer = () => harness.login(`buyer-${++players}`);
  const newTransaction = () => String(++transactions);

  /** Sends a purchase, and gives the code it was rejected with. */
  async function buy(player: Session, payload: Record<string, unknown>): Promise<string | undefined> {
    harness.clock.advance(1_000);
    const timestamp = now();
    const response = await postEvents(harness.app, player, [{ eventType: 'Purchase', timestamp, payload }]);
    const { data, error } = response.json();
    return (data ?? error).rejected[0]?.code;
  }

  async function rowOf(player: Session) {
    const { rows } = await harness.pool.query(
      'select id, purchase_count as purchases, spend from players where user_id = $1',
      [player.userId],
    );
    return rows[0];
  }

  const expectRight = () => expectPurchaseSums(harness.pool, gameId);

  async function isPayer(player: Session): Promise<boolean> {
    const response = await get(harness.app, '/v1/player/status', player);
    return response.json().isPayer.value;
  }

  async function rebuilt(player: Session) {
    const { rows } = await harness.pool.query<{ playerId: string; createdAt: number }>(
      'select id as "playerId", created_at as "createdAt" from players where user_id = $1',
      [player.userId],
    );
    const row = rows[0];
    if (row === undefined) throw new Error('there is no such player');
    const whom = { ...row, gameId, userId: player.userId };
    return (await rebuildOnce(harness.databaseUrl, whom, harness.clock.now())).facts;
  }

  describe('a purchase that does not make a payer where only verified ones count', () => {
    const signed = (change: Record<string, unknown>) => ({
      receipt: stores.appleReceipt({ transactionId: newTransaction(), ...change }),
    });

    it.each<[string, string | undefined, () => Record<string, unknown>]>([
      ['claimed without a receipt', undefined, () => ({ price: 999_999, currency: 'USD' })],
      ['with a receipt that is a text', 'receipt_invalid', () => ({ receipt: 'bought' })],
      ['with a receipt of an unknown store', 'receipt_invalid', () => ({ receipt: { store: 'steam' } })],
      [
        'with a receipt that says of itself that it is verified',
        'receipt_invalid',
        () => ({
          receipt: { store: 'apple', verified: true },
        }),
      ],
      [
        'with a forged receipt',
        'receipt_invalid',
        () => ({
          receipt: {
            store: 'apple',
            signedTransaction: createAppleSigner(harness.clock.now()).sign({ transactionId: '1' }),
          },
        }),
      ],
      [
        'signed after the leaf expired',
        'receipt_invalid',
        () => signed({ signedDate: harness.clock.now() + 20 * YEAR_MS }),
      ],
      ['of another app', 'receipt_of_another_app', () => signed({ bundleId: 'com.example.other' })],
      [
        'of another player',
        'receipt_of_another_player',
        () => signed({ appAccountToken: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a' }),
      ],
      ['of the sandbox', 'receipt_sandbox', () => signed({ environment: 'Sandbox' })],
      ['shared within the family', undefined, () => signed({ inAppOwnershipType: 'FAMILY_SHARED' })],
      [
        'pending',
        'receipt_pending',
        () => ({
          receipt: stores.googleReceipt({ purchaseToken: newTransaction(), purchaseState: 4 }),
        }),
      ],
      [
        'pending, of an older billing library',
        'receipt_pending',
        () => ({
          receipt: stores.googleReceipt({ orderId: newTransaction(), purchaseState: 2 }),
        }),
      ],
      [
        'of another app at Google',
        'receipt_of_another_app',
        () => ({
          receipt: stores.googleReceipt({ orderId: newTransaction(), packageName: 'com.example.other' }),
        }),
      ],
      [
        'with a wrong signature of Google',
        'receipt_invalid',
        () => ({
          receipt: { ...stores.googleReceipt({ orderId: newTransaction() }), signature: 'AAAA' },
        }),
      ],
    ])('%s', async (_, code, payload) => {
      const player = await newPlayer();
      expect(await buy(player, { skuId: 'gems-100', ...payload() })).toBe(code);
      expect(await rowOf(player)).toMatchObject({ purchases: 0, spend: {} });
      expect(await isPayer(player)).toBe(false);
    });
  });

  it('takes everything from the receipt, and nothing from the client', async () => {
    const player = await newPlayer();
    const transactionId = newTransaction();
    const receipt = stores.appleReceipt({ transactionId, appAccountToken: player.userId.toUpperCase() });
    const claim = {
      transactionId: 'mine',
      skuId: 'castle',
      price: 0.01,
      currency: 'EUR',
      promoId: 'p',
      receipt,
    };
    expect(await buy(player, claim)).toBeUndefined();
    expect(await rowOf(player)).toMatchObject({ purchases: 1, spend: { USD: 4.99 } });
    expect(await isPayer(player)).toBe(true);
    const { rows } = await harness.pool.query(
      'select sku_id, price, currency, promo_id, store from transactions where transaction_id = $1',
      [transactionId],
    );
    expect(rows).toEqual([
      { sku_id: 'gems-100', price: '4.99', currency: 'USD', promo_id: 'p', store: 'apple' },
    ]);
    await expectRight();
    expect((await rebuilt(player)).spend).toEqual({ USD: 4.99 });
  });

  it('counts on the day of the purchase, though nothing else happened on that day', async () => {
    const player = await newPlayer();
    const purchaseDate = harness.clock.now() - 3 * 86_400_000;
    const receipt = stores.appleReceipt({ transactionId: newTransaction(), purchaseDate });
    expect(await buy(player, { receipt })).toBeUndefined();
    const { id } = await rowOf(player);
    const { rows } = await harness.pool.query(
      'select day::text, purchases from player_days where player_id = $1 and purchases > 0',
      [id],
    );
    expect(rows).toEqual([{ day: new Date(purchaseDate).toISOString().slice(0, 10), purchases: 1 }]);
    await expectRight();
    expect((await rebuilt(player)).spend).toEqual({ USD: 4.99 });
  });

  it('takes the price from the catalogue where the receipt states none', async () => {
    const player = await newPlayer();
    const { rows } = await harness.pool.query<{ skuId: string; price: string; currency: string }>(
      `select s ->> 'skuId' as "skuId", s ->> 'defaultCurrency' as currency,
         s -> 'prices' -> (s ->> 'defaultCurrency') ->> 'offerPrice' as price
       from games g join config_versions v on v.game_id = g.id and v.version = g.published_version,
         json_array_elements(v.document -> 'catalogue') s where g.id = $1 limit 1`,
      [gameId],
    );
    const [sku] = rows;
    const receipt = stores.googleReceipt({ orderId: newTransaction(), productId: sku?.skuId, quantity: 2 });
    expect(await buy(player, { price: 1_000, currency: 'JPY', receipt })).toBeUndefined();
    expect(await rowOf(player)).toMatchObject({ spend: { [sku?.currency ?? '']: 2 * Number(sku?.price) } });
  });

  it('counts the sandbox purchase of a tester, and never as revenue', async () => {
    const player = await newPlayer();
    await save({ testers: [player.userId] });
    const receipt = stores.appleReceipt({ transactionId: newTransaction(), environment: 'Sandbox' });
    expect(await buy(player, { price: 5, currency: 'USD', receipt })).toBeUndefined();
    expect(await rowOf(player)).toMatchObject({ purchases: 1, spend: {} });
    await expectRight();
  });

  it('counts everything where the studio says so, up to a believable price', async () => {
    await save({ counts: 'everything', maxPrices: { USD: '100' } });
    const player = await newPlayer();
    expect(await buy(player, { price: 999_999, currency: 'USD' })).toBe('price_implausible');
    expect(await buy(player, { price: 100, currency: 'USD' })).toBeUndefined();
    expect(await buy(player, { price: 999_999, currency: 'JPY' })).toBeUndefined();
    expect(await rowOf(player)).toMatchObject({ purchases: 2, spend: { USD: 100, JPY: 999_999 } });
  });

  it('counts a verified purchase before an unverified one of the same id', async () => {
    await save({ counts: 'everything' });
    const player = await newPlayer();
    const transactionId = newTransaction();
    await buy(player, { transactionId, price: 50, currency: 'USD' });
    expect(await rowOf(player)).toMatchObject({ spend: { USD: 50 } });
    await buy(player, { receipt: stores.appleReceipt({ transactionId }) });
    await buy(player, { transactionId, price: 60, currency: 'USD' });
    expect(await rowOf(player)).toMatchObject({ purchases: 1, spend: { USD: 4.99 } });
    await expectRight();
    expect((await rebuilt(player)).spend).toEqual({ USD: 4.99 });
  });

  it('moves a purchase to the player who proved it last, on its day, and says so in the audit log', async () => {
    const [first, second] = [await newPlayer(), await newPlayer()];
    const transactionId = newTransaction();
    const payload = { receipt: stores.appleReceipt({ transactionId }) };
    await buy(first, payload);
    await buy(second, payload);
    expect([await isPayer(first), await isPayer(second)]).toEqual([false, true]);
    expect(await rowOf(first)).toMatchObject({ purchases: 0, spend: {} });
    expect(await rowOf(second)).toMatchObject({ purchases: 1, spend: { USD: 4.99 } });
    expect((await rebuilt(first)).purchaseCount).toBe(0);
    expect((await rebuilt(second)).purchaseCount).toBe(1);
    await buy(first, payload);
    expect([await isPayer(first), await isPayer(second)]).toEqual([true, false]);
    expect((await rebuilt(first)).purchaseCount).toBe(1);
    expect((await rebuilt(second)).purchaseCount).toBe(0);
    await expectRight();
    const { rows } = await harness.pool.query(
      `select before, after from audit_log where action = 'purchase.move' and target = $1 order by id`,
      [`transaction ${transactionId}`],
    );
    expect(rows).toEqual([
      { before: { player: first.userId }, after: { player: second.userId } },
      { before: { player: second.userId }, after: { player: first.userId } },
    ]);
  });

  it('moves a purchase away from a player who waits for the erasure: the request may be withdrawn', async () => {
    const [first, second] = [await newPlayer(), await newPlayer()];
    const payload = { receipt: stores.appleReceipt({ transactionId: newTransaction() }) };
    await buy(first, payload);
    const { pool, ctx } = harness;
    const { rows } = await pool.query('select id, game_id as "gameId" from players where user_id = $1', [
      first.userId,
    ]);
    const { id, gameId } = rows[0];
    await pool.query('update games set erasure_wait_days = 7 where id = $1', [gameId]);
    const request = { gameId, userId: first.userId, by: testActor(harness.clock.now()) };
    const erasure = await requestErasure(pool, await ctx.erasureHashes(), request);
    await buy(second, payload);
    expect(
      await withdrawErasure(pool, gameId, erasure?.erasureId ?? '', testActor(harness.clock.now())),
    ).toBe(true);
    const { rows: after } = await pool.query('select purchase_count as n from players where id = $1', [id]);
    expect(after).toEqual([{ n: 0 }]);
    expect(await isPayer(second)).toBe(true);
    await expectRight();
  });

  it('is not taken back by a refund that only the client tells of', async () => {
    const player = await newPlayer();
    const transactionId = newTransaction();
    await buy(player, { receipt: stores.appleReceipt({ transactionId }) });
    const refund = { eventType: 'Refund', timestamp: now(), payload: { transactionId } };
    expect((await postEvents(harness.app, player, [refund])).statusCode).toBe(202);
    expect(await isPayer(player)).toBe(true);
    expect((await rebuilt(player)).purchaseCount).toBe(1);
    const admin = await openAdminClient(harness);
    const path = `${GAME}/players/${player.userId}/timeline?kinds=refund`;
    const { items } = await admin.ask<{ items: object[] }>('GET', path);
    await admin.close();
    expect(items).toEqual([expect.objectContaining({ transactionId, isIgnored: true })]);
    // The studio's own server knows better.
    const { headers } = await addServerKey(harness);
    const payload = [{ ...refund, timestamp: now(), userId: player.userId, eventId: 'by the server' }];
    await call(harness.app, { method: 'POST', url: '/v1/server/events', headers, payload });
    expect(await isPayer(player)).toBe(false);
    expect((await rebuilt(player)).purchaseCount).toBe(0);
    await expectRight();
  });

  it('are told apart in the revenue of a day: verified, unverified, refunded', {
    tags: ['full'],
  }, async () => {
    await save({ counts: 'everything' });
    const [first, second] = [await newPlayer(), await newPlayer()];
    // No other test pays in this currency.
    const sold = (change: Record<string, unknown>) => ({
      receipt: stores.appleReceipt({ transactionId: newTransaction(), currency: 'CHF', ...change }),
    });
    const verified = sold({ price: 5_000 });
    await buy(first, verified);
    await buy(second, verified);
    await buy(first, sold({ price: 3_000, revocationDate: harness.clock.now() }));
    await buy(first, { transactionId: 'claimed-chf', price: 10, currency: 'CHF' });
    await buy(first, { transactionId: 'returned-chf', price: 2, currency: 'CHF' });
    const payload = { transactionId: 'returned-chf' };
    await postEvents(harness.app, first, [{ eventType: 'Refund', timestamp: now(), payload }]);
    const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const [from, to] = [dayAt(harness.clock.now() - 2 * DAY_MS), dayAt(harness.clock.now() + DAY_MS)];
    const days = await listGameDays(harness.pool, gameId, from, to);
    const sum = (name: 'verifiedRevenue' | 'unverifiedRevenue' | 'refundedRevenue') =>
      days.reduce((total, day) => total + Number(day[name].CHF ?? 0), 0);
    expect([sum('verifiedRevenue'), sum('unverifiedRevenue'), sum('refundedRevenue')]).toEqual([5, 10, 5]);
    await expectRight();
  });

  it('are told apart on the timeline: verified, unverified, moved', { tags: ['full'] }, async () => {
    const [first, second] = [await newPlayer(), await newPlayer()];
    const transactionId = newTransaction();
    const payload = { receipt: stores.appleReceipt({ transactionId }) };
    await buy(first, { transactionId: 'claimed', price: 1, currency: 'USD' });
    await buy(first, payload);
    await buy(second, payload);
    const movedAt = now();
    const admin = await openAdminClient(harness);
    const path = `${GAME}/players/${first.userId}/timeline?kinds=purchase`;
    const { items } = await admin.ask<{ items: object[] }>('GET', path);
    await admin.close();
    expect(items).toEqual([
      expect.objectContaining({
        transactionId,
        price: '4.99',
        verifiedBy: 'apple',
        movedAt,
        refundedAt: null,
        isIgnored: false,
      }),
      expect.objectContaining({ transactionId: 'claimed', verifiedBy: null, movedAt: null, isIgnored: true }),
    ]);
  });

  it('has one owner after many claims at the same time, on two nodes', { tags: ['full'] }, async () => {
    const { app } = await harness.addNode();
    const claimants = await Promise.all(Array.from({ length: 20 }, newPlayer));
    const receipt = stores.appleReceipt({ transactionId: newTransaction() });
    const claim = [{ eventType: 'Purchase', timestamp: now(), payload: { receipt } }];
    const responses = await Promise.all(
      claimants.map((player, n) => postEvents(n % 2 === 0 ? app : harness.app, player, claim)),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(claimants.map(() => 202));
    const rows = await Promise.all(claimants.map(rowOf));
    expect(rows.reduce((sum, { purchases }) => sum + purchases, 0)).toBe(1);
    await expectRight();
  });

  it('counts once when the same batch comes again', async () => {
    const [first, second] = [await newPlayer(), await newPlayer()];
    const receipt = stores.appleReceipt({ transactionId: newTransaction() });
    const event = { eventType: 'Purchase', timestamp: now(), payload: { receipt } };
    await postEvents(harness.app, first, [event]);
    harness.clock.advance(1_000);
    await postEvents(harness.app, second, [event]);
    harness.clock.advance(1_000);
    const again = await postEvents(harness.app, first, [event]);
    expect(again.json().data).toMatchObject({ accepted: 0, duplicates: 1 });
    expect((await rowOf(second)).purchases).toBe(1);
    expect((await rowOf(first)).purchases).toBe(0);
  });

  describe('of the studio’s own server', () => {
    const eventOf = ({ userId }: Session, payload: object) => ({
      userId,
      eventType: 'Purchase',
      timestamp: now(),
      payload,
    });
    const send = (headers: Record<string, string>, event: object) =>
      call(harness.app, { method: 'POST', url: '/v1/server/events', headers, payload: [event] });

    it('are proved by a key with purchases:write', async () => {
      const player = await newPlayer();
      const { headers } = await addServerKey(harness);
      const payload = { transactionId: newTransaction(), price: 9.5, currency: 'EUR' };
      expect((await send(headers, eventOf(player, payload))).statusCode).toBe(202);
      expect(await rowOf(player)).toMatchObject({ purchases: 1, spend: { EUR: 9.5 } });
      await expectRight();
    });

    it('are claims like any other without that scope', async () => {
      const player = await newPlayer();
      const { headers } = await addServerKey(harness, { scopes: ['events:write'] });
      const payload = { transactionId: newTransaction(), price: 9.5, currency: 'EUR' };
      expect((await send(headers, eventOf(player, payload))).statusCode).toBe(202);
      expect((await rowOf(player)).purchases).toBe(0);
      const receipt = stores.appleReceipt({ transactionId: newTransaction() });
      expect((await send(headers, eventOf(player, { receipt }))).statusCode).toBe(202);
      expect((await rowOf(player)).purchases).toBe(1);
    });
  });

  it('limits bad receipts of a player, and of nobody else', { tags: ['full'] }, async () => {
    const { app } = await harness.addNode({
      rateLimits: { ...harness.ctx.settings.rateLimits, enabled: true },
    });
    const [hostile, honest] = [await newPlayer(), await newPlayer()];
    const send = async (player: Session, receipt: object) => {
      const event = { eventType: 'Purchase', timestamp: now(), payload: { receipt } };
      const { data, error } = (await postEvents(app, player, [event])).json();
      return (data ?? error).rejected[0]?.message ?? null;
    };
    const bad = { ...stores.googleReceipt({ orderId: newTransaction() }), signature: 'AAAA' };
    const messages: string[] = [];
    for (let n = 0; n < 25; n++) messages.push(await send(hostile, { ...bad, purchaseData: `{"n":${n}}` }));
    const [first, ...later] = messages.map((message) => message.startsWith('Too many invalid receipts'));
    expect(first).toBe(false);
    expect(later).toContain(true);
    expect(await send(honest, stores.appleReceipt({ transactionId: newTransaction() }))).toBeNull();
    // Nobody is to blame for these, however many there are.
    const pending = () => stores.googleReceipt({ purchaseToken: newTransaction(), purchaseState: 4 });
    for (let n = 0; n < 21; n++) expect(await send(honest, pending())).toMatch('pending');
    await save({ google: null });
    for (let n = 0; n < 21; n++) expect(await send(honest, pending())).toMatch('not set up');
    expect(await send(honest, stores.appleReceipt({ transactionId: newTransaction() }))).toBeNull();
  });
});
