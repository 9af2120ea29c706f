import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { TestClock } from '../../../server/test/support/harness.js';
import type { Clock } from '../../src/driver/clock.js';

const inFlight = new Set<ClientRequest>();
subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: ClientRequest };
  inFlight.add(request);
  request.once('close', () => inFlight.delete(request));
});

/**
 * The clock of the service under test, moved on to the next time for which a player waits: one wait after the other, in the order of
 * their times. Hours pass in a moment, and nothing that is due is skipped. It stops while a request is on its way: on a busy
 * machine a login would be hours old when it arrives.
 */
export function createFastClock(clock: TestClock): Clock {
  const waiting = new Set<{ ms: number; wake(): void }>();
  let isTicking = false;

  const tick = () => {
    if (inFlight.size > 0) {
      setTimeout(tick, 1);
      return;
    }
    const [next] = [...waiting].sort((a, b) => a.ms - b.ms);
    isTicking = next !== undefined;
    if (next === undefined) return;
    clock.set(Math.max(clock.now(), next.ms));
    next.wake();
    setTimeout(tick, 1);
  };

  return {
    now: clock.now,
    sleepUntil: (ms, signal) =>
      new Promise((resolve) => {
        const wait = {
          ms,
          wake() {
            waiting.delete(wait);
            signal.removeEventListener('abort', wait.wake);
            resolve();
          },
        };
        if (signal.aborted) return resolve();
        waiting.add(wait);
        signal.addEventListener('abort', wait.wake);
        if (isTicking) return;
        isTicking = true;
        setTimeout(tick, 1);
      }),
  };
}
