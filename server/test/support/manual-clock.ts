import { vi } from 'vitest';

/** A monotonic clock that stands still until it is moved; timers go by it, too. Needs `vi.useRealTimers()` afterwards. */
export function createManualClock() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  let now = 0;
  return {
    now: () => now,
    advance(ms: number) {
      now += ms;
      vi.advanceTimersByTime(ms);
    },
  };
}
