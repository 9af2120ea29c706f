import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ValueInfo } from '../src/player.js';
import type { Prediction } from '../src/wire.js';
import { createDevice } from './support/device.js';
import { createServiceModel, type ServiceModel } from './support/service-model.js';

const SKU = { skuId: 'gems', offerPrice: 0.99 };
let service: ServiceModel;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 15) });
  service = createServiceModel();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('player', () => {
  it('sends the ETag of the last response, and returns that response where nothing has changed', async () => {
    const { client } = createDevice(service).start();
    const first = await client.player.store();
    const statuses: number[] = [];
    const forward = service.fetch;
    service.fetch = async (input, init) => {
      const response = await forward(input, init);
      statuses.push(response.status);
      return response;
    };
    expect(await client.player.store()).toEqual(first);
    service.store = { ...service.store, lastUpdatedTimestamp: 2, activeSkus: [SKU] };
    expect((await client.player.store()).activeSkus).toEqual([SKU]);
    expect(statuses).toEqual([304, 200]);
  });

  it('calls listeners after changes only, also of those in the response of a login', async () => {
    const { client } = createDevice(service).start();
    const seen: [number, ValueInfo['source']][] = [];
    const stop = client.player.on('store', ({ lastUpdatedTimestamp }, { source }) =>
      seen.push([lastUpdatedTimestamp, source]),
    );
    await client.login();
    await client.player.store();
    await client.player.store();
    service.store = { ...service.store, lastUpdatedTimestamp: 2 };
    await client.player.store();
    stop();
    service.store = { ...service.store, lastUpdatedTimestamp: 3 };
    await client.player.store();
    expect(seen).toEqual([
      [1, 'service'],
      [2, 'service'],
    ]);
  });

  it('returns the last good response offline, also after a restart', async () => {
    const device = createDevice(service);
    const first = device.start();
    const online = await first.client.player.status();
    first.kill();
    service.fault = () => 'request lost';
    expect(await device.start().client.player.status()).toEqual(online);
  });

  it('returns the untargeted store offline once offers may have ended', async () => {
    const plain = { version: 3, activeSkus: [SKU], lastUpdatedTimestamp: 9 };
    service.store = {
      ...service.store,
      activeSkus: [{ ...SKU, offerPrice: 0.49 }],
      fallbackConfig: plain,
    };
    const { client } = createDevice(service).start();
    await client.player.store();
    service.fault = () => 503;
    await vi.advanceTimersByTimeAsync(59_000);
    expect((await client.player.store()).activeSkus).toMatchObject([{ offerPrice: 0.49 }]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await client.player.store()).toEqual({
      activeSkus: [SKU],
      lastUpdatedTimestamp: 9,
      userSpecificPromoId: null,
      fallbackConfig: plain,
    });
  });

  it('returns what the game ships at a first start offline, and rejects where it ships nothing', async () => {
    service.fault = () => 'request lost';
    const status = { isPayer: { value: false, defaultValue: false, expiredAt: null } };
    const { client } = createDevice(service).start({ fallback: { status } });
    expect(await client.player.status()).toEqual(status);
    await expect(client.player.store()).rejects.toMatchObject({ code: 'network_failed' });
  });

  it('ends a flag without another request when its time has passed', async () => {
    service.status = { isPayer: { value: true, defaultValue: false, expiredAt: '2026-11-15T00:00:10.000Z' } };
    const { client } = createDevice(service).start();
    expect((await client.player.status()).isPayer.value).toBe(true);
    service.fault = () => 'request lost';
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await client.player.status()).isPayer.value).toBe(false);
  });

  it('ends a prediction without another request: its default, and no band to act on', async () => {
    service.fault = () => 'request lost';
    const expiredAt = '2026-11-15T00:00:10.000Z';
    const told = { unit: 'probability', horizonDays: 7, model: 'activity', expiredAt, defaultValue: 0.25 };
    const churn: Prediction = { ...told, value: 0.75, percentile: 82, band: 'high', state: 'ready' };
    const predictions = { playerId: 'p', asOf: expiredAt, predictions: { churn }, models: {} };
    const { client } = createDevice(service).start({ fallback: { predictions } });
    const states: (string | undefined)[] = [];
    client.player.on('predictions', (value) => states.push(value.predictions.churn?.state));
    expect((await client.player.predictions()).predictions.churn).toEqual(churn);
    await vi.advanceTimersByTimeAsync(10_000);
    const average = { value: 0.25, percentile: null, band: null, state: 'degraded' };
    expect((await client.player.predictions()).predictions.churn).toEqual({ ...told, ...average });
    expect(states).toEqual(['ready', 'degraded']);
  });

  it('rejects when the service refuses, and does not return an old response', async () => {
    const { client } = createDevice(service).start();
    await expect(client.player.predictions()).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });
});
