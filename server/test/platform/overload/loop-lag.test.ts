import { afterEach, expect, it, vi } from 'vitest';
import { LoopLag } from '../../../src/platform/overload/loop-lag.js';
import { createManualClock } from '../../support/manual-clock.js';

afterEach(() => {
  vi.useRealTimers();
});

it('is how late a beat is, while it is late and until the next one is in time', () => {
  const clock = createManualClock();
  let blockedMs = 0;
  const lag = new LoopLag(() => clock.now() + blockedMs);
  clock.advance(50);
  clock.advance(50);
  expect(lag.ms).toBe(0);
  // The loop does not come round to any timer.
  blockedMs = 400;
  expect(lag.ms).toBe(350);
  blockedMs = 500;
  expect(lag.ms).toBe(450);
  clock.advance(50);
  expect(lag.ms).toBe(500);
  clock.advance(50);
  expect(lag.ms).toBe(0);
  lag.stop();
});
