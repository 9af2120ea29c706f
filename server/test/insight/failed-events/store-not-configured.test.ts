import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { NO_STORES, type StoreSettings } from '../../../src/core/events/receipts/store-settings.js';
import { type ReplayTools, replayFailedGroup } from '../../../src/insight/failed-events/replay.js';
import { replayWaiting } from '../../../src/insight/failed-events/replay-waiting.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { HOUR_MS } from '../../../src/platform/lib/day.js';
import { saveStores } from '../../../src/trust/stores/store-settings-queries.js';
import { get, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session, testActor } from '../../support/harness.js';
import { expectPurchaseSums } from '../../support/purchase-sums.js';
import { addServerKey, call } from '../../support/server-calls.js';
import { BUNDLE_ID, createTestStores, type TestStores } from '../../support/store-receipts.js';

describe('a receipt of a store that is not set up', () => {
  let stores: TestStores;
  let harness: Harness;
  let tools: ReplayTools;
  let gameId: number;
  let apple: Pick<StoreSettings, 'apple'>;
  let google: Pick<StoreSettings, 'google'>;
  let transactions = 4_000_000;
  let players = 0;
  beforeAll(async () => {
    stores = createTestStores();
    const { appleRootFile, googleKey } = stores;
    harness = await createHarness({ settings: { ...withoutRateLimits(), appleRootFile } });
    const { pool, registries, receipts, erasureHashes: hashes } = harness.ctx;
    tools = { pool, registries, receipts, hashes };
    gameId = (await findGame(harness.pool, DEMO.tenant, DEMO.game))?.id ?? 0;
    apple = { apple: { bundleIds: [BUNDLE_ID] } };
    google = { google: { packageName: BUNDLE_ID, publicKey: googleKey, push: null } };
  });
  afterAll(async () => {
    await harness.close();
    stores.remove();
  });
  beforeEach(() => harness.pool.query('delete from failed_events'));

  const save = (change: Partial<StoreSettings>) =>
    saveStores(harness.pool, gameId, { ...NO_STORES, ...change }, testActor(harness.clock.now()));
  const newPlayer = () => harness.login(`waiting-${++players}`);
  const appleReceipt = () => stores.appleReceipt({ transactionId: String(++transactions) });
  const googleReceipt = () => stores.googleReceipt({ orderId: `GPA.${++transactions}` });
  const purchaseOf = (receipt: unknown) => {
    harness.clock.advance(1_000);
    const timestamp = new Date(harness.clock.now()).toISOString();
    return { eventType: 'Purchase', timestamp, payload: { price: 1, currency: 'USD', receipt } };
  };
  /** The code it is rejected with. */
  const buy = async (player: Session, receipt: unknown): Promise<string | undefined> => {
    const response = await postEvents(harness.app, player, [purchaseOf(receipt)]);
    const { data, error } = response.json();
    return (data ?? error).rejected[0]?.code;
  };
  const isPayer = async (player: Session): Promise<boolean> =>
    (await get(harness.app, '/v1/player/status', player)).json().isPayer.value;
  const replayAll = () =>
    replayFailedGroup(
      tools,
      { gameId, code: 'store_not_configured' },
      { actor: testActor(harness.clock.now()) },
    );
  const replayNow = () => replayWaiting(tools, { nowMs: harness.clock.now() });
  const openCodes = async () => {
    const { rows } = await harness.pool.query<{ code: string }>(
      'select code from failed_events where replayed_at is null order by id',
    );
    return rows.map(({ code }) => code);
  };

  it.each<[string, () => Promise<unknown>]>([
    ['that has never set anything', async () => {}],
    ['that has set up the other store', () => save(apple)],
    ['that counts verified purchases only', () => save({ ...apple, counts: 'verified' })],
  ])('makes nobody a payer in a game %s', async (_, set) => {
    await set();
    const player = await newPlayer();
    expect(await buy(player, googleReceipt())).toBe('store_not_configured');
    expect(await buy(player, 'a receipt')).toBe('receipt_invalid');
    expect(await isPayer(player)).toBe(false);
    expect(await openCodes()).toEqual(['store_not_configured', 'receipt_invalid']);
  });

  it('is found however its member is written', async () => {
    await save({});
    const player = await newPlayer();
    const text = JSON.stringify([purchaseOf(appleReceipt())]).replace(
      '"receipt"',
      String.raw`"rece\u0069pt"`,
    );
    const response = await harness.app.inject({
      method: 'POST',
      url: '/v1/events',
      headers: {
        authorization: `Bearer ${player.accessToken}`,
        'x-tenant-id': DEMO.tenant,
        'content-type': 'application/json',
      },
      payload: text,
    });
    expect(response.json().error.rejected[0].code).toBe('store_not_configured');
    expect(await isPayer(player)).toBe(false);
  });

  it('is refused from a server, too', async () => {
    await save({});
    const player = await newPlayer();
    const { headers } = await addServerKey(harness);
    const event = { ...purchaseOf(appleReceipt()), userId: player.userId };
    const response = await call(harness.app, {
      method: 'POST',
      url: '/v1/server/events',
      headers,
      payload: [event],
    });
    expect(response.json().error.rejected[0].code).toBe('store_not_configured');
    expect(await isPayer(player)).toBe(false);
  });

  it('does not stop a purchase that says it has none', async () => {
    await save({});
    const player = await newPlayer();
    expect(await buy(player, null)).toBeUndefined();
    expect(await isPayer(player)).toBe(true);
  });

  it('is replayed by hand when the store is set up, and counts once', async () => {
    await save({});
    const [first, second] = [await newPlayer(), await newPlayer()];
    const event = purchaseOf(appleReceipt());
    for (const _ of [1, 2]) await postEvents(harness.app, first, [event]);
    await buy(second, googleReceipt());
    expect(await replayAll()).toMatchObject({ total: 2, replayed: 0, failed: 2 });
    expect(await openCodes()).toEqual(['store_not_configured', 'store_not_configured']);

    await save(apple);
    expect(await replayAll()).toMatchObject({ total: 2, replayed: 1, failed: 1 });
    expect([await isPayer(first), await isPayer(second)]).toEqual([true, false]);
    const { rows } = await harness.pool.query(
      `select t.store, t.price, t.received_at = f.received_at as "isOfReceipt"
       from transactions t join players p on p.id = t.player_id join failed_events f on f.player_id = p.id
       where p.user_id = $1`,
      [first.userId],
    );
    expect(rows).toEqual([{ store: 'apple', price: '4.99', isOfReceipt: true }]);
    await expectPurchaseSums(harness.pool, gameId);
  });

  it('is replayed by the service when the store is set up, and not again and again afterwards', async () => {
    await save({});
    const [honest, forger] = [await newPlayer(), await newPlayer()];
    await buy(honest, appleReceipt());
    await buy(forger, { store: 'apple', signedTransaction: 'a.b.c' });
    await buy(honest, googleReceipt());
    expect(await replayNow()).toBe(0);
    await save(apple);
    expect(await replayNow()).toBe(1);
    expect([await isPayer(honest), await isPayer(forger)]).toEqual([true, false]);
    expect(await openCodes()).toEqual(['receipt_invalid', 'store_not_configured']);

    harness.clock.advance(2 * HOUR_MS);
    await harness.pool.query("update failed_events set message = 'untouched'");
    expect(await replayNow()).toBe(0);
    const { rows } = await harness.pool.query('select distinct message from failed_events');
    expect(rows).toEqual([{ message: 'untouched' }]);
    await save({ ...apple, ...google });
    expect(await replayNow()).toBe(1);
    await expectPurchaseSums(harness.pool, gameId);
  });

  it('waits, too, while the service has no root certificate of Apple', async () => {
    await save(apple);
    const { app } = await harness.addNode({ appleRootFile: undefined });
    const player = await newPlayer();
    const response = await postEvents(app, player, [purchaseOf(appleReceipt())]);
    expect(response.json().error.rejected[0]).toMatchObject({
      code: 'store_not_configured',
      message: expect.stringContaining('SAVEPOINT_APPLE_ROOT_FILE'),
    });
    expect(await replayAll()).toMatchObject({ replayed: 1 });
    expect(await isPayer(player)).toBe(true);
  });
});
