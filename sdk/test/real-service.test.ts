import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Savepoint } from '../src/index.js';
import { fileStorage } from '../src/node/index.js';
import type { RejectedEvent, SavepointOptions } from '../src/options.js';
import { memoryStorage } from '../src/storage/memory-storage.js';
import { type RealService, signWithKey, startRealService } from './support/real-service.js';

const DAY = 86_400_000;
let service: RealService;
let folder: string;

beforeAll(async () => {
  service = await startRealService();
  folder = await mkdtemp(join(tmpdir(), 'savepoint-sdk-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (deviceId: string, options: Partial<SavepointOptions> = {}) =>
  new Savepoint({
    baseUrl: service.baseUrl,
    sign: signWithKey,
    deviceId,
    storage: memoryStorage(),
    ...options,
  });

describe('against the real service', () => {
  it('logs in, tracks, reads, refreshes and logs out', async () => {
    const client = start('phone-1');
    const { userId, gameId, tenantId } = await client.login();
    expect([gameId, tenantId]).toEqual(['demo-game', 'demo-studio']);
    expect((await client.player.status()).isPayer.value).toBe(false);
    client.track('Purchase', { transactionId: 't-1', skuId: 'gems_80', price: 0.99, currency: 'USD' });
    await client.flush();
    expect((await client.player.status()).isPayer.value).toBe(true);
    const store = await client.player.store();
    expect(store.activeSkus.length).toBeGreaterThan(0);
    expect(await client.player.store()).toEqual(store);
    const { playerId, segments } = await client.player.segments();
    expect(playerId).toBe(userId);
    expect(segments.map(({ segmentId }) => segmentId)).toContain('payer');
    // The demo game shows all predictions, and has no model yet.
    const told = await client.player.predictions();
    expect(told.playerId).toBe(userId);
    const names = ['churn', 'spend', 'purchases', 'revenue', 'revenue90', 'payerAlive'];
    expect(Object.keys(told.predictions)).toEqual(names);
    expect(told.predictions.churn).toEqual({
      value: told.predictions.churn?.defaultValue,
      defaultValue: expect.any(Number),
      expiredAt: null,
      unit: 'probability',
      horizonDays: 7,
      percentile: null,
      band: null,
      state: 'cold_start',
      model: 'activity',
    });
    expect(Object.keys(told.models)).toContain('activity');
    const document = await client.player.export();
    expect(document).toMatchObject({ format: 'savepoint-player-export', player: { playerId: userId } });
    await expect(client.player.export()).rejects.toMatchObject({ code: 'rate_limited', status: 429 });
    await expect(client.player.erasureCode()).rejects.toMatchObject({
      code: 'erasure_page_off',
      status: 404,
    });
    await service.pool.query('update games set erasure_page = true');
    expect(await client.player.erasureCode()).toEqual({
      code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}-[A-Z]{4}$/),
      expiresAt: expect.any(String),
      url: `${service.baseUrl}/erase/demo-studio/demo-game`,
    });
    await client.logout();
    await expect(client.player.status()).rejects.toMatchObject({ code: 'logged_out' });
  });

  it('numbers events, survives restarts, and sends nothing twice', async () => {
    const options = { storage: fileStorage(join(folder, 'phone-2')), batch: { events: 7 } };
    const ids: string[] = [];
    for (let run = 0; run < 3; run++) {
      const client = start('phone-2', options);
      for (let n = 0; n < 20; n++) ids.push(client.track('Step', { n: ids.length }));
      // The second run ends without a flush.
      if (run === 1) await client.saved();
      else await client.close();
    }
    const client = start('phone-2', options);
    await client.flush();
    const stored = await service.storedEvents('phone-2');
    expect(stored.map(({ eventId }) => eventId)).toEqual(ids);
    expect(stored.map(({ seq }) => seq)).toEqual(ids.map((_, index) => index + 1));
    expect(new Set(stored.map(({ installId }) => installId)).size).toBe(1);
  });

  it('calls onRejected for each rejected event, and for no other', async () => {
    const rejected: RejectedEvent[] = [];
    const client = start('phone-3', { onRejected: (event) => rejected.push(event) });
    client.track('Step', { n: 0 });
    client.track('Ad_Impression', { adId: 7 } as never);
    client.track('Step', { n: 1 });
    await client.close();
    expect((await service.storedEvents('phone-3')).map(({ n }) => n)).toEqual([0, 1]);
    expect(rejected.map(({ eventType, code }) => [eventType, code])).toEqual([
      ['Ad_Impression', 'payload_invalid'],
    ]);
  });

  it('logs in and tracks with a clock that is 400 days ahead and jumps back: events are flagged, not lost', async () => {
    let errorMs = 400 * DAY;
    const now = () => Date.now() + errorMs;
    const signedAt: string[] = [];
    const client = start('phone-4', {
      now,
      sign: (deviceId, timestamp = `${new Date(now()).toISOString().slice(0, 19)}Z`) => {
        signedAt.push(timestamp);
        return signWithKey(deviceId, timestamp);
      },
    });
    client.track('Step', { n: 0 });
    await client.flush();
    // Refused with the time of the device, accepted with the time of the service.
    expect(signedAt.map((time) => Date.parse(time) > Date.now() + DAY)).toEqual([true, false]);
    errorMs -= 500 * DAY;
    client.track('Step', { n: 1 });
    await client.close();
    const stored = await service.storedEvents('phone-4');
    expect(stored.map(({ n, isClockSuspect }) => [n, isClockSuspect])).toEqual([
      [0, true],
      [1, true],
    ]);
  });

  it('logs in again when its session was ended on the service', async () => {
    const client = start('phone-5');
    await client.login();
    await service.pool.query('delete from sessions');
    client.track('Step', { n: 0 });
    await client.close();
    expect(await service.storedEvents('phone-5')).toHaveLength(1);
  });
});
