import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { NO_STORES } from '../../../src/core/events/receipts/store-settings.js';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { applyNotification } from '../../../src/trust/stores/apply-notification.js';
import { saveStores } from '../../../src/trust/stores/store-settings-queries.js';
import { get, withoutRateLimits } from '../../support/data-calls.js';
import { erase, playerIdOf, requestDeletion, tablesNaming } from '../../support/erasure-calls.js';
import { createHarness, type Harness, postEvents, type Session, testActor } from '../../support/harness.js';
import { BUNDLE_ID, createTestStores, type TestStores } from '../../support/store-receipts.js';

type Store = 'apple' | 'google';

describe('a refund of a purchase whose owner is erased', () => {
  let stores: TestStores;
  let harness: Harness;
  let gameId: number;
  let transactions = 5_000_000;
  let notifications = 0;
  let players = 0;
  beforeAll(async () => {
    stores = createTestStores();
    const { appleRootFile, googleKey } = stores;
    harness = await createHarness({ settings: { ...withoutRateLimits(), appleRootFile } });
    gameId = (await findGame(harness.pool, DEMO.tenant, DEMO.game))?.id ?? 0;
    const google = { packageName: BUNDLE_ID, publicKey: googleKey, push: null };
    const settings = { ...NO_STORES, apple: { bundleIds: [BUNDLE_ID] }, google };
    await saveStores(harness.pool, gameId, settings, testActor());
  });
  afterAll(async () => {
    await harness.close();
    stores.remove();
  });

  const newPlayer = () => harness.login(`erased-refund-${++players}`);
  const newTransaction = (store: Store) => `${store === 'google' ? 'GPA.' : ''}${++transactions}`;
  const proofOf = (store: Store, id: string) => ({
    receipt:
      store === 'apple' ? stores.appleReceipt({ transactionId: id }) : stores.googleReceipt({ orderId: id }),
  });
  const buy = async (player: Session, payload: object) => {
    harness.clock.advance(1_000);
    const timestamp = new Date(harness.clock.now()).toISOString();
    const response = await postEvents(harness.app, player, [{ eventType: 'Purchase', timestamp, payload }]);
    expect(response.json().data, response.body).toMatchObject({ accepted: 1 });
  };
  const isPayer = async (player: Session): Promise<boolean> =>
    (await get(harness.app, '/v1/player/status', player)).json().isPayer.value;
  /** What the store says now. `isTest`: nothing was paid. */
  const tell = async (
    store: Store,
    transactionId: string,
    { share = '1', isTest = false, id = `n-${++notifications}`, game = gameId } = {},
  ) => {
    harness.clock.advance(1_000);
    const nowMs = harness.clock.now();
    const refund = { transactionId, share, atMs: isTest ? null : nowMs };
    const said = { gameId: game, store, notificationId: id, type: 'REFUND', signedAtMs: nowMs, refund };
    return applyNotification(harness.pool, await harness.ctx.erasureHashes(), said, nowMs);
  };
  const expectRecount = async () => expect((await recountGame(harness.pool, gameId)).differences).toEqual([]);
  const eraseNow = async (player: Session) => {
    expect((await requestDeletion(harness, player)).statusCode).toBe(202);
    expect(await erase(harness)).toMatchObject({ state: 'done' });
  };

  it.each<[Store, 'before' | 'after']>([
    ['apple', 'after'],
    ['google', 'after'],
    ['apple', 'before'],
    ['google', 'before'],
  ])('of %s that comes %s the erasure holds for the next owner', async (store, when) => {
    const transactionId = newTransaction(store);
    const [first, second] = [await newPlayer(), await newPlayer()];
    const playerId = await playerIdOf(harness, first);
    await buy(first, proofOf(store, transactionId));
    if (when === 'before') await tell(store, transactionId);
    await eraseNow(first);
    if (when === 'after') expect(await tell(store, transactionId)).toBe('applied');
    expect(await tablesNaming(harness, [transactionId], playerId)).toEqual([]);

    await buy(second, proofOf(store, transactionId));
    expect(await isPayer(second)).toBe(false);
    // The store's last word counts for the new owner, too.
    expect(await tell(store, transactionId, { share: '0' })).toBe('applied');
    expect(await isPayer(second)).toBe(true);
    await expectRecount();
  });

  it('holds for another who is erased in turn, for a purchase without proof, and when it is told again', async () => {
    const transactionId = newTransaction('apple');
    const [first, second, third] = [await newPlayer(), await newPlayer(), await newPlayer()];
    await buy(first, proofOf('apple', transactionId));
    await eraseNow(first);
    const id = 'told twice';
    expect(await tell('apple', transactionId, { id })).toBe('applied');
    await buy(second, proofOf('apple', transactionId));
    await eraseNow(second);
    expect(await tell('apple', transactionId, { id })).toBe('duplicate');
    await buy(third, { transactionId, price: 1, currency: 'USD' });
    expect(await isPayer(third)).toBe(false);
    await expectRecount();
  });

  it('that only a receipt told of holds, too', async () => {
    const transactionId = newTransaction('apple');
    const [first, second] = [await newPlayer(), await newPlayer()];
    const revocationDate = harness.clock.now();
    await buy(first, { receipt: stores.appleReceipt({ transactionId, revocationDate }) });
    await eraseNow(first);
    await buy(second, proofOf('apple', transactionId));
    expect(await isPayer(second)).toBe(false);
    await expectRecount();
  });

  it('of nothing, of a test purchase, leaves a purchase without a price', async () => {
    const transactionId = newTransaction('google');
    const [first, second] = [await newPlayer(), await newPlayer()];
    // It has a price in the catalogue of the demo game.
    const proof = { receipt: stores.googleReceipt({ orderId: transactionId, productId: 'gems_80' }) };
    await buy(first, proof);
    await tell('google', transactionId, { isTest: true });
    await eraseNow(first);
    await buy(second, proof);
    const { rows } = await harness.pool.query(
      'select price, refunded_at as "refundedAt" from transactions where transaction_id = $1',
      [transactionId],
    );
    expect(rows).toEqual([{ price: null, refundedAt: null }]);
    await expectRecount();
  });

  it('changes nothing for a purchase of the same id in another game', async () => {
    const transactionId = newTransaction('apple');
    const [first, second] = [await newPlayer(), await newPlayer()];
    await buy(first, proofOf('apple', transactionId));
    await eraseNow(first);
    const { rows } = await harness.pool.query(
      `insert into games (tenant_id, slug, name) select tenant_id, 'another', 'another' from games where id = $1
       returning id`,
      [gameId],
    );
    await tell('apple', transactionId, { game: rows[0].id });
    await buy(second, proofOf('apple', transactionId));
    expect(await isPayer(second)).toBe(true);
  });
});
