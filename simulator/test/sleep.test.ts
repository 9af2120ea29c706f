import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../src/driver/clock.js';
import { sleep } from '../src/driver/sleep.js';

const HOUR_MS = 3_600_000;

describe('players who sleep', () => {
  it('are all woken by one listener, however many they are', async () => {
    const ctrlC = new AbortController();
    const all = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0
        ? sleep(HOUR_MS, ctrlC.signal)
        : systemClock.sleepUntil(Date.now() + HOUR_MS, ctrlC.signal),
    );
    expect(getEventListeners(ctrlC.signal, 'abort')).toHaveLength(1);
    ctrlC.abort();
    await Promise.all(all);
    await sleep(HOUR_MS, ctrlC.signal);
  });

  it('wake by themselves when it is time, and may sleep again', async () => {
    const { signal } = new AbortController();
    await sleep(1, signal);
    await systemClock.sleepUntil(Date.now() - 1, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });
});
