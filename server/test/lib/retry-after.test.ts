import { expect, it } from 'vitest';
import { RetryAfter } from '../../src/lib/retry-after.js';

/** Refuses so many clients in each of some seconds; what those of the last second are told, from the least to the most. */
function told(perSecond: number, seconds: number) {
  let [nowMs, draw] = [0, 0];
  const retryAfter = new RetryAfter(
    () => nowMs,
    // Evenly spread.
    () => (draw++ % 100) / 100,
  );
  const refuse = (clients: number): number[] => {
    const answers = Array.from({ length: clients }, () => {
      nowMs += 1_000 / clients;
      return retryAfter.next();
    });
    return [...new Set(answers)].sort((a, b) => a - b);
  };
  let last: number[] = [];
  for (let second = 0; second < seconds; second++) last = refuse(perSecond);
  return {
    last,
    refuse,
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
}

it('is one to three seconds while few are refused', () => {
  expect(told(100, 20).last).toEqual([1, 2, 3]);
});

it('grows to nine seconds while many are refused, and shrinks again', () => {
  const overload = told(4_000, 10);
  expect(overload.last).toEqual([3, 4, 5, 6, 7, 8, 9]);
  overload.refuse(100);
  overload.refuse(100);
  overload.refuse(100);
  expect(overload.refuse(100)).toEqual([1, 2, 3]);
});

it('is not changed by a burst before the second is over', () => {
  expect(told(4_000, 1).last).toEqual([1, 2, 3]);
});

it('forgets an overload that is over', () => {
  const overload = told(4_000, 10);
  overload.wait(11_000);
  expect(overload.refuse(100)).toEqual([1, 2, 3]);
});

it('lets clients that wait as told come back at a pace that a worker can afford', () => {
  let [nowMs, seed] = [0, 1];
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const retryAfter = new RetryAfter(() => nowMs, random);
  const due = Array.from({ length: 2_000 }, () => random() * 1_000);
  const perSecond = new Map<number, number>();
  for (; nowMs < 60_000; nowMs += 10) {
    for (const [client, at] of due.entries()) {
      if (at > nowMs) continue;
      due[client] = nowMs + 1_000 * (retryAfter.next() + random());
      const second = Math.floor(nowMs / 1_000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
  }
  const late = [...perSecond].filter(([second]) => second >= 20).map(([, refused]) => refused);
  const mean = late.reduce((sum, refused) => sum + refused, 0) / late.length;
  // Without adapting they would be 2,000 / 2.5 seconds = 800.
  expect(mean).toBeLessThan(550);
  expect(mean).toBeGreaterThan(250);
});
