import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { NO_STORES } from '../../../src/core/events/receipts/store-settings.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { createAppleSigner } from '../../../src/trust/fake-store/store-signers.js';
import { saveStores } from '../../../src/trust/stores/store-settings-queries.js';
import { withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session, testActor } from '../../support/harness.js';
import { expectPurchaseSums } from '../../support/purchase-sums.js';
import { BUNDLE_ID, createTestStores, type TestStores } from '../../support/store-receipts.js';

const PUSH = {
  audience: 'https://savepoint.example.com/google',
  account: 'push@example.iam.gserviceaccount.com',
};

describe('notifications of stores', () => {
  let stores: TestStores;
  let harness: Harness;
  let gameId: number;
  let keys: Server;
  let privateKey: CryptoKey;
  let transactions = 3_000_000;
  let notifications = 0;
  let players: Session[];

  beforeAll(async () => {
    stores = createTestStores();
    const pair = await generateKeyPair('RS256');
    privateKey = pair.privateKey;
    const jwk: JWK = { ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'RS256' };
    keys = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
    const googleKeysUrl = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/certs`;
    const { appleRootFile, googleKey } = stores;
    harness = await createHarness({ settings: { ...withoutRateLimits(), appleRootFile, googleKeysUrl } });
    gameId = (await findGame(harness.pool, DEMO.tenant, DEMO.game))?.id ?? 0;
    const google = { packageName: BUNDLE_ID, publicKey: googleKey, push: PUSH };
    const settings = { ...NO_STORES, apple: { bundleIds: [BUNDLE_ID] }, google, counts: 'verified' } as const;
    await saveStores(harness.pool, gameId, settings, testActor());
    players = [await harness.login('a'), await harness.login('b'), await harness.login('c')];
  });
  afterAll(async () => {
    await harness.close();
    await new Promise((resolve) => keys.close(resolve));
    stores.remove();
  });

  const newTransaction = () => String(++transactions);
  const newId = () => `n-${++notifications}`;
  const post = (store: string, body: object, headers: Record<string, string> = {}) =>
    harness.app.inject({
      method: 'POST',
      url: `/stores/${store}/${DEMO.tenant}/${DEMO.game}`,
      headers,
      payload: body,
    });
  const tell = async (signedPayload: string) => {
    const response = await post('apple', { signedPayload });
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data.outcome;
  };
  const buy = async (player: Session, receipt: object) => {
    harness.clock.advance(1_000);
    const event = {
      eventType: 'Purchase',
      timestamp: new Date(harness.clock.now()).toISOString(),
      payload: { receipt },
    };
    const response = await postEvents(harness.app, player, [event]);
    expect(response.statusCode, response.body).toBe(202);
  };
  const countOf = async (transactionId: string) => {
    const { rows } = await harness.pool.query(
      `select coalesce(sum(price), 0)::text as amount, count(*)::int as n from transactions
       where transaction_id = $1 and purchased_at is not null and refunded_at is null`,
      [transactionId],
    );
    return rows[0];
  };

  it('takes back a refunded purchase, once, and gives back a reversed one', async () => {
    const [player] = players as [Session];
    const transactionId = newTransaction();
    await buy(player, stores.appleReceipt({ transactionId }));
    const t = harness.clock.now();
    const refund = stores.notification('REFUND', newId(), t, { transactionId, revocationDate: t });
    expect(await tell(refund)).toBe('applied');
    expect(await tell(refund)).toBe('duplicate');
    expect(await countOf(transactionId)).toEqual({ amount: '0', n: 0 });
    await expectPurchaseSums(harness.pool, gameId);
    expect(await tell(stores.notification('REFUND_REVERSED', newId(), t + 5, { transactionId }))).toBe(
      'applied',
    );
    expect(await countOf(transactionId)).toEqual({ amount: '4.99', n: 1 });
    expect(await tell(stores.notification('TEST', newId(), t, { transactionId }))).toBe('ignored');
    await expectPurchaseSums(harness.pool, gameId);
  });

  it('takes back a purchase without a receipt, too, where those count', async () => {
    const [player] = players as [Session];
    const transactionId = newTransaction();
    const { rows } = await harness.pool.query('select settings from game_stores where game_id = $1', [
      gameId,
    ]);
    await saveStores(harness.pool, gameId, { ...rows[0].settings, counts: 'everything' }, testActor());
    const payload = { transactionId, price: 3, currency: 'USD' };
    const timestamp = new Date(harness.clock.now()).toISOString();
    await postEvents(harness.app, player, [{ eventType: 'Purchase', timestamp, payload }]);
    expect(await countOf(transactionId)).toEqual({ amount: '3', n: 1 });
    await tell(stores.notification('REFUND', newId(), harness.clock.now(), { transactionId }));
    expect(await countOf(transactionId)).toEqual({ amount: '0', n: 0 });
    await saveStores(harness.pool, gameId, rows[0].settings, testActor());
    await expectPurchaseSums(harness.pool, gameId);
  });

  it('ends in the same state in any order of purchases, restores, refunds and reversals', async () => {
    const types = ['REFUND', 'PART', 'REFUND_REVERSED'] as const;
    const step = fc.oneof(
      fc.record({ player: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ type: fc.constantFrom(...types), signedAt: fc.integer({ min: 0, max: 1_000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const transactionId = newTransaction();
        const receipt = stores.appleReceipt({ transactionId });
        const base = harness.clock.now();
        let isBought = false;
        let last: { type: (typeof types)[number]; signedAt: number } | undefined;
        for (const [n, next] of steps.entries()) {
          if ('player' in next) {
            await buy(players[next.player] as Session, receipt);
            isBought = true;
            continue;
          }
          // No two are signed at the same time.
          const signedAt = base + next.signedAt * 100 + n;
          const part =
            next.type === 'PART' ? { revocationType: 'REFUND_PRORATED', revocationPercentage: 40_000 } : {};
          const type = next.type === 'PART' ? 'REFUND' : next.type;
          const revoked = type === 'REFUND' ? { revocationDate: base, ...part } : {};
          const notification = stores.notification(type, newId(), signedAt, { transactionId, ...revoked });
          await tell(notification);
          expect(await tell(notification)).toBe('duplicate');
          if (last === undefined || signedAt > last.signedAt) last = { type: next.type, signedAt };
        }
        const amount = { REFUND: '0', PART: '2.994', REFUND_REVERSED: '4.99' }[
          last?.type ?? 'REFUND_REVERSED'
        ];
        const counts = isBought && last?.type !== 'REFUND';
        expect(await countOf(transactionId)).toEqual(counts ? { amount, n: 1 } : { amount: '0', n: 0 });
      }),
      { numRuns: 15 },
    );
    await expectPurchaseSums(harness.pool, gameId);
  });

  it('refuses what is not signed by the store, and games that have not set it up', async () => {
    const forged = createAppleSigner(harness.clock.now()).sign({
      notificationType: 'REFUND',
      notificationUUID: newId(),
      signedDate: harness.clock.now(),
    });
    for (const signedPayload of [forged, '', 'a.b.c', 'x'.repeat(100_000)]) {
      const response = await post('apple', { signedPayload });
      expect([response.statusCode, response.json().error.code]).toEqual([400, 'notification_invalid']);
    }
    for (const place of [`${DEMO.tenant}/no-such-game`, `${DEMO.tenant}/%00`, `%00/${DEMO.game}`]) {
      const elsewhere = await harness.app.inject({
        method: 'POST',
        url: `/stores/apple/${place}`,
        payload: { signedPayload: forged },
      });
      expect(elsewhere.json().error.code).toBe('notification_invalid');
    }
  });

  describe('of Google', () => {
    const token = (claims: Record<string, unknown> = {}, audience = PUSH.audience) =>
      new SignJWT({ email: PUSH.account, email_verified: true, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'k' })
        .setIssuer('https://accounts.google.com')
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey);
    const message = (said: object) => ({
      message: { messageId: newId(), data: Buffer.from(JSON.stringify(said)).toString('base64') },
      subscription: 's',
    });
    const voided = (orderId: string, more: object = {}) =>
      message({
        packageName: BUNDLE_ID,
        eventTimeMillis: String(harness.clock.now()),
        voidedPurchaseNotification: { orderId, purchaseToken: 't', refundType: 1 },
        ...more,
      });
    const push = async (body: object, bearer: string) =>
      post('google', body, { authorization: `Bearer ${bearer}` });

    it('take back a voided purchase', async () => {
      const [player] = players as [Session];
      const orderId = `GPA.${newTransaction()}`;
      await buy(player, stores.googleReceipt({ orderId }));
      expect((await countOf(orderId)).n).toBe(1);
      const body = voided(orderId);
      expect((await push(body, await token())).json().data).toEqual({ outcome: 'applied' });
      expect((await push(body, await token())).json().data).toEqual({ outcome: 'duplicate' });
      expect((await countOf(orderId)).n).toBe(0);
      await expectPurchaseSums(harness.pool, gameId);
    });

    it('are refused without the token of the subscription, and of another app', async () => {
      const body = voided('GPA.1');
      expect((await post('google', body)).statusCode).toBe(401);
      for (const bearer of [await token({ email: 'x@example.com' }), await token({}, 'another'), 'a.b.c'])
        expect((await push(body, bearer)).statusCode).toBe(401);
      const foreign = voided('GPA.1', { packageName: 'com.example.other' });
      expect((await push(foreign, await token())).json().error.code).toBe('notification_invalid');
    });
  });
});
