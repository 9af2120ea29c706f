import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDevice, type Run } from './support/device.js';
import { openPage } from './support/page.js';
import { createServiceModel, type Fault, type ServiceModel } from './support/service-model.js';

/** A session that may be played: what the player does, what the network does, and when the device dies. */
type Step =
  | { kind: 'track'; count: number; tab: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'flush'; tab: number }
  | { kind: 'kill'; tab: number }
  | { kind: 'hide' }
  | { kind: 'end sessions' };

const FAULTS: Fault[] = [
  'none',
  'request lost',
  'response lost',
  'delivered twice',
  'portal',
  401,
  429,
  500,
  503,
];

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('track' as const),
        count: fc.integer({ min: 1, max: 12 }),
        tab: fc.nat(1),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 40_000 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('flush' as const), tab: fc.nat(1) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), tab: fc.nat(1) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('hide' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('end sessions' as const) }) },
  ),
  { minLength: 1, maxLength: 25 },
);
/** Most requests succeed: a client that never reaches the service has few chances to go wrong. */
const faults = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.constant<Fault>('none') }, fc.constantFrom(...FAULTS)),
  {
    minLength: 1,
    maxLength: 40,
  },
);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 15) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('loses nothing, counts nothing twice and keeps the order, whatever the network and two tabs do', async () => {
  await fc.assert(
    fc.asyncProperty(steps, faults, async (play, weather) => {
      const service = createServiceModel();
      // For back-off times that are the same in each run.
      let drawn = 0;
      vi.spyOn(Math, 'random').mockImplementation(() => (drawn++ * 0.618) % 1);
      let asked = 0;
      service.fault = () => weather[asked++ % weather.length] as Fault;
      const tracked = await runPlay(service, play);

      service.fault = () => 'none';
      await vi.advanceTimersByTimeAsync(1_200_000);
      expectExactlyOnce(service, tracked);
    }),
    // The seed is fixed, so that the suite does not fail by chance. Change it to look for new cases.
    { numRuns: 120, seed: 14 },
  );
});

/** Plays it in two tabs of one browser, and returns what was tracked, by tab. */
async function runPlay(service: ServiceModel, play: readonly Step[]): Promise<string[][]> {
  const page = openPage();
  const device = createDevice(service);
  const options = { batch: { events: 5 } };
  const tabs: Run[] = [device.start(options), device.start(options)];
  const tracked: string[][] = [[], []];
  const clientOf = (tab: number) => (tabs[tab] as Run).client;
  for (const step of play) {
    if (step.kind === 'track') {
      for (let i = 0; i < step.count; i++) tracked[step.tab]?.push(clientOf(step.tab).track('Step', { i }));
    }
    if (step.kind === 'wait') await vi.advanceTimersByTimeAsync(step.ms);
    if (step.kind === 'flush') void clientOf(step.tab).flush();
    if (step.kind === 'hide') page.hide();
    if (step.kind === 'end sessions') service.sessions.clear();
    if (step.kind === 'kill') {
      // Events that were not stored yet are lost with their tab; the game could have waited for `saved()`.
      await clientOf(step.tab).saved();
      tabs[step.tab]?.kill();
      tabs[step.tab] = device.start(options);
    }
  }
  await Promise.all(tabs.map(({ client }) => client.saved()));
  return tracked;
}

function expectExactlyOnce(service: ServiceModel, tracked: readonly string[][]): void {
  const arrived = [...service.stored.values()].map(({ eventId }) => eventId);
  expect(arrived.toSorted()).toEqual(tracked.flat().toSorted());
  const order = [...service.byInstall().values()].flatMap((events) => {
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    return [events.map(({ eventId }) => eventId)];
  });
  for (const ids of tracked) {
    const mine = new Set(ids);
    for (const list of order) {
      const seen = list.filter((id) => mine.has(id));
      expect(seen).toEqual(ids.filter((id) => seen.includes(id)));
    }
  }
}
