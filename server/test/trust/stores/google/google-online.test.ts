import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO } from '../../../../src/app/demo-studio.js';
import { NO_STORES, type StoreSettings } from '../../../../src/core/events/receipts/store-settings.js';
import { findGame } from '../../../../src/platform/admin-api/tenants.js';
import { DAY_MS, HOUR_MS } from '../../../../src/platform/lib/day.js';
import { createGoogleApi, type GoogleAccount } from '../../../../src/platform/lib/google-play/google-api.js';
import { FAKE_ACCOUNT } from '../../../../src/trust/fake-store/fake-google.js';
import { buildFakeStore, FAKE_PUSH } from '../../../../src/trust/fake-store/fake-store-app.js';
import { keepSigners, toPem } from '../../../../src/trust/fake-store/kept-signers.js';
import {
  findAccountStatus,
  openAccount,
  saveAccount,
} from '../../../../src/trust/stores/google/account-queries.js';
import { confirmPurchases, type GoogleWork } from '../../../../src/trust/stores/google/confirm-purchases.js';
import { readVoidedPurchases } from '../../../../src/trust/stores/google/voided-purchases.js';
import { saveStores } from '../../../../src/trust/stores/store-settings-queries.js';
import { get, withoutRateLimits } from '../../../support/data-calls.js';
import {
  createHarness,
  type Harness,
  postEvents,
  type Session,
  testActor,
} from '../../../support/harness.js';
import { expectPurchaseSums } from '../../../support/purchase-sums.js';

const APP = 'com.example.game';
type Sold = { transactionId: string; receipt: { purchaseData: string } };

describe('purchases that Google is asked about', () => {
  let folder: string;
  let store: FastifyInstance;
  let harness: Harness;
  let gameId: number;
  let work: GoogleWork;
  let account: GoogleAccount;
  let stores: StoreSettings;
  let players = 0;
  /** What the fake store was asked, and what it refuses. */
  let calls: string[];
  let isDown: (url: string) => boolean;
  const notify = { url: '', tenant: DEMO.tenant, game: DEMO.game };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'savepoint-google-'));
    const keys = await keepSigners(folder, Date.now());
    let storeUrl = '';
    const tokenUrl = () => `${storeUrl}/google/token`;
    store = buildFakeStore({ keys, appId: APP, notify, tokenUrl, now: () => harness.clock.now() });
    store.addHook('onRequest', async ({ url }, reply) => {
      if (!/token|androidpublisher/.test(url)) return;
      calls.push(url);
      if (isDown(url)) await reply.code(503).send({ error: { message: 'The service is unavailable.' } });
    });
    storeUrl = await store.listen({ host: '127.0.0.1', port: 0 });
    const googleKeysUrl = `${storeUrl}/google/certs`;
    harness = await createHarness({ settings: { ...withoutRateLimits(), googleKeysUrl } });
    notify.url = `${await harness.app.listen({ host: '127.0.0.1', port: 0 })}/stores`;
    const { pool, masterKeys, clock, ctx } = harness;
    gameId = (await findGame(pool, DEMO.tenant, DEMO.game))?.id ?? 0;
    const google = { packageName: APP, publicKey: keys.google.publicKey, push: FAKE_PUSH };
    stores = { ...NO_STORES, google, counts: 'verified' };
    await saveStores(pool, gameId, stores, testActor());
    const saved = { gameId, email: FAKE_ACCOUNT, privateKey: toPem(keys.account) };
    await saveAccount(pool, masterKeys, saved, testActor(clock.now()));
    const api = createGoogleApi({ tokenUrl: tokenUrl(), apiUrl: storeUrl, now: clock.now });
    const logger = pino({ level: 'silent' });
    work = { pool, api, masterKeys, hashes: ctx.erasureHashes, logger, now: clock.now };
    account = (await openAccount(pool, masterKeys, gameId)) as GoogleAccount;
  });
  afterAll(async () => {
    await store.close();
    await harness.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => {
    calls = [];
    isDown = () => false;
  });

  const newPlayer = () => harness.login(`buyer-${++players}`);
  const ask = async (url: string, payload: object) => {
    const response = await store.inject({ method: 'POST', url, payload });
    expect(response.statusCode, response.body).toBe(200);
    return response.json();
  };
  const buy = async (player: Session, more: object = {}): Promise<Sold> => {
    harness.clock.advance(1_000);
    const sold: Sold = await ask('/google/purchases', { productId: 'gems_80', ...more });
    const timestamp = new Date(harness.clock.now()).toISOString();
    const payload = { receipt: sold.receipt };
    const response = await postEvents(harness.app, player, [{ eventType: 'Purchase', timestamp, payload }]);
    expect(response.statusCode, response.body).toBe(202);
    return sold;
  };
  const isPayer = async (player: Session) =>
    (await get(harness.app, '/v1/player/status', player)).json().isPayer.value;
  const waiting = async () => (await findAccountStatus(harness.pool, gameId))?.waiting;
  const isAcknowledged = async ({ receipt }: Sold) => {
    const { purchaseToken } = JSON.parse(receipt.purchaseData);
    return (await work.api.findPurchase(account, purchaseToken))?.isAcknowledged;
  };
  const notificationsOf = async (ids: readonly string[]) => {
    const { rows } = await harness.pool.query(
      'select type from store_notifications where transaction_id = any($1) order by type',
      [ids],
    );
    return rows.map(({ type }) => type);
  };

  it('are acknowledged once they are stored, with one access token', async () => {
    const [player, other] = [await newPlayer(), await newPlayer()];
    const [sold, second] = [await buy(player), await buy(other)];
    // The intake asks nobody, and the queue is written with the purchases.
    expect(calls).toEqual([]);
    expect(await waiting()).toBe(2);
    expect(await isPayer(player)).toBe(true);
    await confirmPurchases(work);
    expect(await waiting()).toBe(0);
    expect([await isAcknowledged(sold), await isAcknowledged(second)]).toEqual([true, true]);
    expect(calls.filter((url) => url.includes(':acknowledge'))).toHaveLength(2);
    await buy(player);
    await confirmPurchases(work);
    expect(calls.filter((url) => url === '/google/token')).toHaveLength(1);
    harness.clock.advance(HOUR_MS);
    await buy(await newPlayer());
    await confirmPurchases(work);
    expect(calls.filter((url) => url === '/google/token')).toHaveLength(2);
  });

  it('wait while Google cannot be reached, longer each time, and are acknowledged later', async () => {
    const player = await newPlayer();
    isDown = (url) => url.includes('androidpublisher');
    const sold = await buy(player);
    expect(await isPayer(player)).toBe(true);
    await confirmPurchases(work);
    const asked = calls.length;
    expect(asked).toBeGreaterThan(0);
    expect((await findAccountStatus(harness.pool, gameId))?.lastError).toContain('503');
    // Not asked again before the pause is over; then the next pause is longer.
    for (const [advanceMs, isAsked] of [
      [10_000, false],
      [25_000, true],
      [35_000, false],
      [30_000, true],
    ] as const) {
      const before = calls.length;
      harness.clock.advance(advanceMs);
      await confirmPurchases(work);
      expect(calls.length > before).toBe(isAsked);
    }
    // The look-up works, and the acknowledgement does not: nothing is forgotten.
    isDown = (url) => url.includes(':acknowledge');
    harness.clock.advance(HOUR_MS);
    await confirmPurchases(work);
    expect(await waiting()).toBe(1);
    isDown = () => false;
    harness.clock.advance(HOUR_MS);
    await confirmPurchases(work);
    expect(await isAcknowledged(sold)).toBe(true);
    expect(await findAccountStatus(harness.pool, gameId)).toMatchObject({ waiting: 0, lastError: null });
  });

  it('are given up when Google could not be asked for a week', async () => {
    const player = await newPlayer();
    isDown = () => true;
    await buy(player);
    harness.clock.advance(8 * DAY_MS);
    await confirmPurchases(work);
    expect(await waiting()).toBe(0);
    harness.clock.advance(HOUR_MS);
  });

  it('are taken back where Google says that they are cancelled', async () => {
    const player = await newPlayer();
    const sold = await buy(player);
    await ask('/google/notifications', { orderId: sold.transactionId, isPushed: false });
    expect(await isPayer(player)).toBe(true);
    await confirmPurchases(work);
    expect(await isPayer(player)).toBe(false);
    expect(await waiting()).toBe(0);
    expect(await notificationsOf([sold.transactionId])).toEqual(['CANCELLED']);
    await expectPurchaseSums(harness.pool, gameId);
  });

  it('of a licence tester count for testers of the game only, without a price', async () => {
    const [tester, other] = [await newPlayer(), await newPlayer()];
    await saveStores(harness.pool, gameId, { ...stores, testers: [tester.userId] }, testActor());
    const ids = [
      (await buy(tester, { environment: 'Sandbox' })).transactionId,
      (await buy(other, { environment: 'Sandbox' })).transactionId,
    ];
    await confirmPurchases(work);
    expect([await isPayer(tester), await isPayer(other)]).toEqual([true, false]);
    const { rows } = await harness.pool.query(
      'select price, refunded_at is null as counts from transactions where transaction_id = any($1) order by transaction_id',
      [ids],
    );
    expect(rows).toMatchObject([{ price: null, counts: true }, { counts: false }]);
    await expectPurchaseSums(harness.pool, gameId);
  });

  it('stay where Google does not know them', async () => {
    const player = await newPlayer();
    await buy(player);
    await harness.pool.query("update google_purchases set purchase_token = 'unknown' where game_id = $1", [
      gameId,
    ]);
    await confirmPurchases(work);
    expect(await waiting()).toBe(0);
    expect(await isPayer(player)).toBe(true);
  });

  it('are read from the list of voided purchases, page by page and once a day, however often it is interrupted', async () => {
    const player = await newPlayer();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await buy(player)).transactionId);
    await confirmPurchases(work);
    // Lists overlap by an hour: those of other tests are before it.
    harness.clock.advance(2 * HOUR_MS);
    await readVoidedPurchases(work);
    for (const orderId of ids.slice(1)) await ask('/google/notifications', { orderId, isPushed: false });
    // A notification has said the same of the first one.
    expect(await ask('/google/notifications', { orderId: ids[0] })).toMatchObject({ status: 200 });
    calls = [];
    expect(await readVoidedPurchases(work)).toBe(0);
    expect(calls).toEqual([]);
    harness.clock.advance(DAY_MS + HOUR_MS);
    const stop = new AbortController();
    stop.abort();
    expect(await readVoidedPurchases(work, { pageSize: 2, signal: stop.signal })).toBe(2);
    // Google fails in between: the list begins again, and nothing counts twice.
    isDown = () => true;
    await readVoidedPurchases(work, { pageSize: 2 });
    isDown = () => false;
    harness.clock.advance(HOUR_MS);
    expect(await readVoidedPurchases(work, { pageSize: 2 })).toBe(3);
    const { rows } = await harness.pool.query(
      'select from transactions where transaction_id = any($1) and refunded_at is null',
      [ids],
    );
    expect(rows).toEqual([]);
    expect(await notificationsOf(ids)).toEqual([
      ...['VOIDED', 'VOIDED', 'VOIDED', 'VOIDED', 'VOIDED'],
      'voidedPurchaseNotification',
    ]);
    calls = [];
    expect(await readVoidedPurchases(work)).toBe(0);
    expect(calls).toEqual([]);
    await expectPurchaseSums(harness.pool, gameId);
  });
});
