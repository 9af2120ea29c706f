import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { NO_STORES } from '../../../src/core/events/receipts/store-settings.js';
import { findGame } from '../../../src/platform/admin-api/tenants.js';
import { buildFakeStore, FAKE_PUSH } from '../../../src/trust/fake-store/fake-store-app.js';
import { keepSigners } from '../../../src/trust/fake-store/kept-signers.js';
import { saveStores } from '../../../src/trust/stores/store-settings-queries.js';
import { get } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session, testActor } from '../../support/harness.js';

const APP = 'com.example.game';

describe('the fake store', () => {
  let folder: string;
  let store: FastifyInstance;
  let harness: Harness;
  const notify = { url: '', tenant: DEMO.tenant, game: DEMO.game };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'savepoint-fake-store-'));
    const keys = await keepSigners(folder, Date.now());
    let storeUrl = '';
    const tokenUrl = () => `${storeUrl}/google/token`;
    store = buildFakeStore({ keys, appId: APP, notify, tokenUrl, now: () => Date.now() });
    storeUrl = await store.listen({ host: '127.0.0.1', port: 0 });
    const settings = { appleRootFile: keys.rootFile, googleKeysUrl: `${storeUrl}/google/certs` };
    harness = await createHarness({ settings });
    notify.url = `${await harness.app.listen({ host: '127.0.0.1', port: 0 })}/stores`;
    const game = await findGame(harness.pool, DEMO.tenant, DEMO.game);
    const google = { packageName: APP, publicKey: keys.google.publicKey, push: FAKE_PUSH };
    const stores = { ...NO_STORES, apple: { bundleIds: [APP] }, google, counts: 'verified' } as const;
    await saveStores(harness.pool, game?.id ?? 0, stores, testActor());
  });
  afterAll(async () => {
    await store.close();
    await harness.close();
    await rm(folder, { recursive: true });
  });

  const ask = async (url: string, payload: object) => {
    const response = await store.inject({ method: 'POST', url, payload });
    expect(response.statusCode, response.body).toBe(200);
    return response.json();
  };
  const buy = async (player: Session, receipt: object) => {
    const timestamp = new Date(harness.clock.now()).toISOString();
    const response = await postEvents(harness.app, player, [
      { eventType: 'Purchase', timestamp, payload: { receipt } },
    ]);
    expect(response.statusCode, response.body).toBe(202);
  };
  const isPayer = async (player: Session) =>
    (await get(harness.app, '/v1/player/status', player)).json().isPayer.value;

  it('sells and refunds as Apple does', async () => {
    const player = await harness.login('apple-buyer');
    const sold = await ask('/apple/purchases', { productId: 'gems_80', userId: player.userId });
    expect(await isPayer(player)).toBe(false);
    await buy(player, sold.receipt);
    expect(await isPayer(player)).toBe(true);
    const { transactionId } = sold;
    expect(await ask('/apple/notifications', { transactionId, type: 'REFUND' })).toMatchObject({
      status: 200,
    });
    expect(await isPayer(player)).toBe(false);
  });

  it('sells and voids as Google does', async () => {
    const player = await harness.login('google-buyer');
    const sold = await ask('/google/purchases', { productId: 'gems_80', userId: player.userId });
    await buy(player, sold.receipt);
    expect(await isPayer(player)).toBe(true);
    const told = await ask('/google/notifications', { orderId: sold.transactionId });
    expect(told).toEqual({ status: 200, body: { data: { outcome: 'applied' }, status: 'success' } });
    expect(await isPayer(player)).toBe(false);
  });

  it('hands out a receipt of Google before anything is paid', async () => {
    const player = await harness.login('pending-buyer');
    const { receipt } = await ask('/google/purchases', { productId: 'gems_80', isPending: true });
    const timestamp = new Date(harness.clock.now()).toISOString();
    const event = { eventType: 'Purchase', timestamp, payload: { receipt } };
    const response = await postEvents(harness.app, player, [event]);
    expect(response.json().error.rejected[0].code).toBe('receipt_pending');
    expect(await isPayer(player)).toBe(false);
  });

  it('keeps its root certificate', async () => {
    const [first, second] = [await keepSigners(folder, Date.now()), await keepSigners(folder, Date.now())];
    expect(second.apple.rootPem).toBe(first.apple.rootPem);
    expect(second.google.publicKey).toBe(first.google.publicKey);
  });
});
