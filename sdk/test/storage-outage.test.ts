import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SavepointOptions } from '../src/options.js';
import { type KeyValue, keyValueStorage } from '../src/storage/key-value-storage.js';
import { createDevice, type Device } from './support/device.js';
import { createServiceModel, type ServiceModel } from './support/service-model.js';

let service: ServiceModel;
let device: Device;
/** Whether the storage of the device refuses writes, and after how many more it begins to. */
let isFull: boolean;
let writesLeft: number;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 15) });
  service = createServiceModel();
  device = createDevice(service);
  isFull = false;
  writesLeft = Number.POSITIVE_INFINITY;
});
afterEach(() => {
  vi.useRealTimers();
});

const arrived = () => [...service.stored.values()].map(({ eventType }) => eventType);

function start() {
  const write = <T>(work: () => T): T => {
    if (isFull || writesLeft-- <= 0) throw new Error('QuotaExceededError');
    return work();
  };
  const kv: KeyValue = {
    getItem: (key) => device.values.get(key) ?? null,
    setItem: (key, value) => write(() => device.values.set(key, value)),
    removeItem: (key) => write(() => device.values.delete(key)),
  };
  // The client makes the id of the device, as in most games.
  const options = { deviceId: undefined, storage: keyValueStorage(kv) };
  return device.start(options as unknown as Partial<SavepointOptions>).client;
}

async function trackOffline(...types: string[]) {
  service.fault = () => 'request lost';
  const client = start();
  for (const type of types) client.track(type);
  await client.close();
  service.fault = () => 'none';
  device.errors.length = 0;
}

it('a storage that refuses writes from the start: what it holds and what is new is sent, and later runs reuse no number', async () => {
  await trackOffline('Held 1', 'Held 2');
  isFull = true;
  const during = start();
  during.track('During');
  await during.close();
  expect(arrived()).toEqual(['Held 1', 'Held 2', 'During']);
  expect(device.errors).toEqual(['storage_failed']);

  isFull = false;
  const after = start();
  for (const type of ['After 1', 'After 2', 'After 3']) after.track(type);
  await after.close();
  expect(arrived()).toEqual(['Held 1', 'Held 2', 'During', 'After 1', 'After 2', 'After 3']);
});

it('a storage that begins to refuse writes: all is sent, and a later run reuses no number', async () => {
  const client = start();
  client.track('Before');
  await client.flush();
  service.fault = (path) => (path === '/v1/events' ? 503 : 'none');
  client.track('Held');
  await client.flush();
  isFull = true;
  client.track('During');
  await client.saved();
  service.fault = () => 'none';
  await vi.advanceTimersByTimeAsync(60_000);
  await client.close();
  expect(arrived()).toEqual(['Before', 'Held', 'During']);

  isFull = false;
  const after = start();
  for (const type of ['After 1', 'After 2', 'After 3']) after.track(type);
  await after.close();
  expect(arrived()).toEqual(['Before', 'Held', 'During', 'After 1', 'After 2', 'After 3']);
  expect(new Set([...service.stored.values()].map(({ eventId }) => eventId)).size).toBe(6);
});

it('whichever write is the first that is refused, every event counts once', async () => {
  for (let writes = 0; writes < 16; writes++) {
    service = createServiceModel();
    device = createDevice(service);
    writesLeft = Number.POSITIVE_INFINITY;
    await trackOffline('Held');
    const client = start();
    await client.login();
    writesLeft = writes;
    client.track('During 1');
    await client.flush();
    client.track('During 2');
    await client.close();
    writesLeft = Number.POSITIVE_INFINITY;
    const after = start();
    for (const type of ['After 1', 'After 2']) after.track(type);
    await after.close();
    expect(arrived().toSorted(), `${writes} writes`).toEqual([
      'After 1',
      'After 2',
      'During 1',
      'During 2',
      'Held',
    ]);
  }
});

it('a storage that takes writes again gets what it had refused, as often as that happens', async () => {
  service.fault = () => 'request lost';
  const client = start();
  for (const round of [1, 2]) {
    isFull = true;
    client.track(`Refused ${round}`);
    await client.saved();
    isFull = false;
    client.track(`Taken ${round}`);
    await client.saved();
  }
  expect(device.errors.filter((code) => code === 'storage_failed')).toHaveLength(2);
  service.fault = () => 'none';
  await start().close();
  expect(arrived().toSorted()).toEqual(['Refused 1', 'Refused 2', 'Taken 1', 'Taken 2']);
});

it('a kill during an outage, after which the storage works again: what was sent in it is counted once', async () => {
  await trackOffline('Held');
  isFull = true;
  const during = start();
  during.track('During 1');
  await during.flush();
  isFull = false;
  during.track('During 2');
  await during.saved();
  isFull = true;
  during.track('During 3');
  await during.flush();
  isFull = false;
  const after = start();
  after.track('After');
  await after.close();
  expect(arrived().toSorted()).toEqual(['After', 'During 1', 'During 2', 'During 3', 'Held']);
});

it('damaged values are reported once each, and the player stays the same', async () => {
  const first = start();
  const { userId } = await first.login();
  await first.player.store();
  await first.close();
  const keys = [...device.values.keys()].filter((key) => !key.includes('batch'));
  expect(keys.map((key) => key.split(':').at(-1)).toSorted()).toEqual(
    ['copy', 'copy', 'copy', 'device', 'queue', 'session', 'status', 'store'].toSorted(),
  );
  for (const key of keys) {
    for (const text of ['{}', '', '[1]', `${device.values.get(key)}x`]) {
      device.errors.length = 0;
      device.values.set(key, text);
      const client = start();
      expect((await client.login()).userId, key).toBe(userId);
      client.track('New');
      service.fault = (path) => (path.includes('player') ? 'request lost' : 'none');
      await client.player.store().catch(() => {});
      await client.player.status().catch(() => {});
      service.fault = () => 'none';
      await client.close();
      expect(
        device.errors.filter((code) => code === 'storage_damaged').length,
        `${key} ${text}`,
      ).toBeLessThan(2);
      // A session that was read from its copy needs neither the device nor the responses.
      if (/queue|session/.test(key)) expect(device.errors, key).toContain('storage_damaged');
    }
  }
  expect(service.stored.size).toBe(keys.length * 4);
});

it('a damaged session does not log a player in who has logged out', async () => {
  const first = start();
  await first.login();
  await first.logout();
  await first.close();
  const key = [...device.values.keys()].find((name) => name.endsWith('session')) as string;
  device.values.set(key, '{"broken');
  const second = start();
  await expect(second.player.store()).rejects.toMatchObject({ code: 'logged_out' });
  expect(device.errors).toContain('storage_damaged');
});

it('former and foreign contents do not stop the client: all new events arrive, and it is reported', async () => {
  const first = start();
  first.track('First');
  await first.close();
  for (const key of device.values.keys())
    device.values.set(key, '{"install":"i","next":7,"head":0,"end":3,"bytes":9}');
  const second = start();
  for (let n = 0; n < 40; n++) second.track('Second');
  await second.close();
  expect(arrived().filter((type) => type === 'Second')).toHaveLength(40);
  expect(device.errors).toContain('storage_damaged');
});
