import { afterEach, expect, it } from 'vitest';
import { createPoller, type Poller } from '../../../src/platform/lib/poller.js';

/** Long enough that only `start` and `nudge` look. */
const NEVER_MS = 3_600_000;

let poller: Poller | undefined;
afterEach(() => poller?.stop());

function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

it('looks at its start and when it is nudged, never twice at once, and not before its start', async () => {
  const gates: ReturnType<typeof gate>[] = [];
  const work = () => {
    const next = gate();
    gates.push(next);
    return next.opened;
  };
  poller = createPoller({ everyMs: NEVER_MS, work, onError: () => {} });
  poller.nudge();
  expect(gates).toHaveLength(0);
  poller.start();
  poller.nudge();
  expect(gates).toHaveLength(1);
  gates[0]?.open();
  await expect.poll(() => [poller?.nudge(), gates.length][1]).toBe(2);
  gates[1]?.open();
});

it('reports what failed, and looks again', async () => {
  const failures: unknown[] = [];
  poller = createPoller({
    everyMs: 1,
    work: () => Promise.reject(new Error('away')),
    onError: (error) => failures.push(error),
  });
  poller.start();
  await expect.poll(() => failures.length).toBeGreaterThan(1);
});

it('stops its work, waits for it, and keeps quiet about how it ended', async () => {
  const failures: unknown[] = [];
  poller = createPoller({
    everyMs: NEVER_MS,
    work: (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    onError: (error) => failures.push(error),
  });
  poller.start();
  await poller.stop();
  poller.nudge();
  expect(failures).toEqual([]);
});
