import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDevice, type Device } from './support/device.js';
import { createServiceModel, type ServiceModel } from './support/service-model.js';

const DAY = 86_400_000;
let service: ServiceModel;
let original: Device;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 15) });
  service = createServiceModel();
  original = createDevice(service);
});
afterEach(() => {
  vi.useRealTimers();
});

const arrived = () => [...service.stored.values()].map(({ eventType }) => eventType).toSorted();

it('a wiped storage starts a new installation', async () => {
  const first = original.start();
  first.client.track('A');
  await first.client.close();
  original.values.clear();
  const second = original.start();
  second.client.track('B');
  await second.client.close();
  expect([...service.byInstall().values()].map((events) => events.map(({ seq }) => seq))).toEqual([[1], [1]]);
});

it('a restart goes on with the same installation', async () => {
  for (const type of ['A', 'B', 'C']) {
    const { client, kill } = original.start();
    client.track(type);
    await client.flush();
    kill();
    await vi.advanceTimersByTimeAsync(DAY);
  }
  expect([...service.byInstall().values()].map((events) => events.map(({ seq }) => seq))).toEqual([
    [1, 2, 3],
  ]);
});

it('a backup restored on a second phone is noticed by its session, and what both had waiting counts once', async () => {
  const first = original.start();
  await first.client.login();
  service.fault = () => 'request lost';
  first.client.track('Waiting');
  await first.client.saved();
  const copy = original.copy();
  service.fault = () => 'none';
  await vi.advanceTimersByTimeAsync(DAY);
  first.client.track('On the first');
  await first.client.flush();
  await vi.advanceTimersByTimeAsync(DAY);

  // The second phone is offline at first: what it tracks gets numbers that the first one has used.
  service.fault = () => 'request lost';
  const second = copy.start();
  second.client.track('On the second, offline');
  await second.client.flush();
  service.fault = () => 'none';
  await vi.advanceTimersByTimeAsync(600_000);
  second.client.track('On the second');
  await second.client.flush();
  first.client.track('On the first, later');
  await first.client.flush();
  expect(arrived()).toEqual([
    'On the first',
    'On the first, later',
    'On the second',
    'On the second, offline',
    'Waiting',
  ]);
});

it('the service refuses the session of the copy that starts last, long before its token expires', async () => {
  const first = original.start();
  await first.client.login();
  const copy = original.copy();
  first.kill();
  await vi.advanceTimersByTimeAsync(600_000);
  const second = copy.start();
  second.client.track('On the second');
  await second.client.flush();
  await vi.advanceTimersByTimeAsync(600_000);
  const restarted = original.start();
  restarted.client.track('On the first');
  await restarted.client.flush();
  expect(arrived()).toEqual(['On the first', 'On the second']);
});

it('a copy whose session is refused is noticed also while the session is fresh', async () => {
  const first = original.start();
  await first.client.login();
  first.kill();
  const copy = original.copy();
  const restarted = original.start();
  restarted.client.track('On the first');
  await restarted.client.flush();
  service.sessions.clear();
  const second = copy.start();
  second.client.track('On the second');
  await second.client.flush();
  expect(arrived()).toEqual(['On the first', 'On the second']);
  expect(service.byInstall().size).toBe(2);
});

it('a copy that was faster by less than a batch is noticed by the numbers that it has taken, and no event is lost', async () => {
  const first = original.start();
  first.client.track('Before');
  await first.client.flush();
  const second = original.copy().start();
  for (const type of ['S1', 'S2']) second.client.track(type);
  await second.client.flush();
  for (const type of ['F1', 'F2', 'F3']) first.client.track(type);
  await first.client.flush();
  first.client.track('F4');
  await first.client.flush();
  expect(arrived()).toEqual(['Before', 'F1', 'F2', 'F3', 'F4', 'S1', 'S2']);
  expect(service.byInstall().size).toBe(2);
});

it('two copies that share a fresh session have different installations after two batches at most', async () => {
  const first = original.start();
  await first.client.login();
  const second = original.copy().start();
  for (const [index, client] of [first.client, second.client, first.client, second.client].entries()) {
    for (let n = 0; n < 3; n++) {
      client.track(`Round ${index}`);
      await client.flush();
    }
  }
  const counts = arrived().length;
  expect(counts).toBeGreaterThanOrEqual(10);
  expect(new Set([...service.stored.values()].map(({ eventId }) => eventId)).size).toBe(counts);
  expect(service.byInstall().size).toBe(2);
});

it('a request that the network delivers twice does not start an installation', async () => {
  const { client } = original.start();
  for (let n = 0; n < 10; n++) {
    service.fault = (path) => (path === '/v1/events' && n % 2 === 0 ? 'delivered twice' : 'none');
    client.track('Step');
    await client.flush();
  }
  expect(service.byInstall().size).toBe(1);
  expect(service.stored.size).toBe(10);
});
