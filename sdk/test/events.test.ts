import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDevice } from './support/device.js';
import { openPage } from './support/page.js';
import { createServiceModel, type Fault, type ServiceModel } from './support/service-model.js';

let service: ServiceModel;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 15) });
  service = createServiceModel();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const batches = () => service.requests.filter(({ path }) => path === '/v1/events');
const sizes = () => batches().map(({ body }) => (body as unknown[]).length);
const types = () => [...service.stored.values()].map(({ eventType }) => eventType);

describe('track', () => {
  it('sends a full batch at once, the rest after the interval', async () => {
    const { client } = createDevice(service).start({ batch: { events: 10, seconds: 5 } });
    for (let n = 0; n < 23; n++) client.track('Step', { n });
    await vi.advanceTimersByTimeAsync(0);
    expect(sizes()).toEqual([10, 10, 3]);
    client.track('Step', { n: 23 });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(sizes()).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(sizes()).toEqual([10, 10, 3, 1]);
  });

  it('sends a purchase with its receipt', async () => {
    const { client } = createDevice(service).start();
    const receipt = { store: 'apple', signedTransaction: 'a.b.c' } as const;
    client.purchase({ sku: 'gems_80', receipt, promoId: 'weekend' });
    await client.flush();
    expect(batches()[0]?.body).toEqual([
      expect.objectContaining({
        eventType: 'Purchase',
        payload: { skuId: 'gems_80', receipt, promoId: 'weekend' },
      }),
    ]);
  });

  it('keeps batches under the limit of bytes', async () => {
    const { client } = createDevice(service).start({ batch: { bytes: 10_000 } });
    for (let n = 0; n < 20; n++) client.track('Step', { text: 'ü'.repeat(1_000) });
    await client.flush();
    expect(sizes()).toEqual([4, 4, 4, 4, 4]);
  });

  it('sends what the contract requires', async () => {
    const { client } = createDevice(service).start({ build: '1.4.2', metadata: { osName: 'Android' } });
    const eventId = client.track('Level_Complete', { level: 12 }, { locale: 'de' });
    await client.flush();
    const [{ headers, body } = { headers: new Headers(), body: undefined }] = batches();
    expect(body).toEqual([
      {
        eventType: 'Level_Complete',
        timestamp: '2026-11-15T00:00:00.000Z',
        payload: { level: 12 },
        metadata: { clientBuild: '1.4.2', osName: 'Android', locale: 'de' },
        eventId,
        seq: 1,
      },
    ]);
    expect(headers.get('x-install-id')).toMatch(/^[0-9a-v]{26}$/);
    expect([headers.get('x-client-build'), headers.get('x-tenant-id')]).toEqual(['1.4.2', 'studio']);
  });

  it('never throws: events that cannot be sent are passed to onRejected', async () => {
    const device = createDevice(service);
    const { client } = device.start();
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    client.track('Cycle', cycle);
    client.track('Big', { text: 'x'.repeat(40_000) });
    client.track('Int', { n: 1n });
    await client.close();
    client.track('Late');
    await vi.advanceTimersByTimeAsync(0);
    expect(device.rejected.map(({ eventType, code }) => [eventType, code])).toEqual([
      ['Cycle', 'event_unserializable'],
      ['Big', 'event_too_large'],
      ['Int', 'event_unserializable'],
      ['Late', 'closed'],
    ]);
  });

  it('reports rejected events once, and keeps the good ones of their batch', async () => {
    const device = createDevice(service);
    const { client } = device.start();
    for (const type of ['Good', 'Bad', 'Good']) client.track(type);
    await client.flush();
    client.track('Bad');
    await client.flush();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(types()).toEqual(['Good', 'Good']);
    expect(device.rejected.map(({ event, code }) => [event?.eventType, code])).toEqual([
      ['Bad', 'payload_invalid'],
      ['Bad', 'payload_invalid'],
    ]);
    expect(sizes()).toEqual([3, 1]);
  });

  it('does not take the page of a captive portal for an acknowledgement', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    service.fault = () => 'portal';
    client.track('Step');
    await client.flush();
    service.fault = () => 'none';
    await vi.advanceTimersByTimeAsync(1_000);
    expect(types()).toEqual(['Step']);
  });
});

describe('a failed batch', () => {
  it('waits for as long as the service asks, also when events are tracked or flushed', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    service.fault = () => 429;
    client.track('Step');
    await client.flush();
    service.fault = () => 'none';
    await client.flush();
    await vi.advanceTimersByTimeAsync(6_999);
    await client.flush();
    expect(sizes()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(sizes()).toEqual([1]);
  });

  it('stays when its token is refused twice', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    service.fault = (path) => (path === '/v1/events' ? 401 : 'none');
    client.track('Step');
    await client.flush();
    service.fault = () => 'none';
    await vi.advanceTimersByTimeAsync(1_000);
    expect(types()).toEqual(['Step']);
  });

  it('is tried again after longer and longer times, at random, at least every five minutes', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const tries: number[] = [];
    service.fault = (path): Fault => {
      if (path === '/v1/events') tries.push(Date.now());
      return path === '/v1/events' ? 500 : 'none';
    };
    const { client } = createDevice(service).start();
    await client.login();
    client.track('Step');
    await client.flush();
    await vi.advanceTimersByTimeAsync(1_800_000);
    const waits = tries.slice(1).map((at, index) => (at - (tries[index] as number)) / 1_000);
    expect(waits.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  it('is sent again unchanged, while later events go into the next one', async () => {
    const { client } = createDevice(service).start();
    await client.login();
    service.fault = () => 'response lost';
    client.track('First');
    await client.flush();
    client.track('Second');
    await client.saved();
    service.fault = () => 'none';
    await vi.advanceTimersByTimeAsync(60_000);
    const [lost, again, next] = batches().map(({ body }) => body);
    expect(again).toEqual(lost);
    expect(next).toMatchObject([{ eventType: 'Second', seq: 2 }]);
    expect(types()).toEqual(['First', 'Second']);
  });
});

describe('a page that is hidden', () => {
  /** The points of a transaction at which the page may be hidden. */
  const MOMENTS = 40;
  const ticks = async (count: number) => {
    for (let i = 0; i < count; i++) await Promise.resolve();
  };

  it.each(['none', 'response lost', 'request lost'] as const)(
    'sends what waits at once, and all of it exactly once later (%s)',
    async (fault) => {
      const page = openPage();
      for (let moment = 0; moment < MOMENTS; moment++) {
        const model = createServiceModel();
        const { client } = createDevice(model).start();
        await client.login();
        for (const round of [0, 1, 2]) {
          const first = client.track('Step', { n: 3 * round });
          await client.saved();
          client.track('Step', { n: 3 * round + 1 });
          await ticks(moment);
          let isFirst = true;
          model.fault = () => {
            const now = isFirst ? fault : 'none';
            isFirst = false;
            return now;
          };
          page.hide();
          // Waits for promises only: a page that closes has no time for timers.
          await ticks(20);
          const sent = model.requests.flatMap(({ body }) => (Array.isArray(body) ? body : []));
          if (fault !== 'request lost') expect(sent.map(({ eventId }) => eventId)).toContain(first);
          client.track('Step', { n: 3 * round + 2 });
          await vi.advanceTimersByTimeAsync(60_000);
        }
        await client.close();
        const installs = [...model.byInstall().values()];
        expect(installs.map((events) => events.map(({ payload }) => payload.n))).toEqual([
          [0, 1, 2, 3, 4, 5, 6, 7, 8],
        ]);
      }
    },
  );
});

describe('a full storage', () => {
  it('drops the oldest ads first, then the oldest others, never purchases, and leaves one gap', async () => {
    const device = createDevice(service);
    const { client } = device.start({ maxStoredBytes: 20_000, batch: { events: 10, seconds: 1_000 } });
    service.fault = () => 'request lost';
    const pad = 'x'.repeat(200);
    for (let n = 0; n < 90; n++) {
      client.track((['Ad_Impression', 'Purchase', 'Step'] as const)[n % 3] as string, { n, pad });
      await client.saved();
    }
    const dropped = device.rejected.map(({ event, code }) => {
      expect(code).toBe('storage_full');
      return event as { eventType: string; payload: { n: number } };
    });
    // The first purchase was in the batch that was tried; nothing in that one may change.
    expect(dropped.filter(({ eventType }) => eventType === 'Purchase')).toEqual([]);
    const numbersOf = (type: string) =>
      dropped.filter(({ eventType }) => eventType === type).map(({ payload }) => payload.n);
    expect(numbersOf('Ad_Impression').length).toBeGreaterThan(15);
    expect(numbersOf('Ad_Impression')).toEqual(numbersOf('Ad_Impression').toSorted((a, b) => a - b));
    expect(numbersOf('Step').length).toBeGreaterThan(0);

    service.fault = () => 'none';
    await vi.advanceTimersByTimeAsync(1_200_000);
    const arrived = [...(service.byInstall().values().next().value ?? [])];
    expect(arrived.length + dropped.length).toBe(90);
    expect(arrived.map(({ payload }) => payload.n)).toEqual(
      arrived.map(({ payload }) => payload.n).toSorted((a, b) => Number(a) - Number(b)),
    );
    // Every missing number belongs to an event that was dropped, and the missing numbers are one range.
    const numbers = arrived.map(({ seq }) => seq);
    expect(numbers.at(-1)).toBe(90);
    expect(numbers.filter((seq, index) => seq !== (numbers[index - 1] ?? 0) + 1).length).toBe(1);
  });
});
