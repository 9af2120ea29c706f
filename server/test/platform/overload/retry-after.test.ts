import { expect, it } from 'vitest';
import { RetryAfter } from '../../../src/platform/overload/retry-after.js';

const MAX_MEAN_SECONDS = 6;
const PER_SECOND = 400;

/** Refuses `perSecond` clients in each second, and gives the different answers in a second, from the least to the most. */
function overloadOf() {
  let [nowMs, draw] = [0, 0];
  const retryAfter = new RetryAfter({
    perSecond: PER_SECOND,
    maxMeanSeconds: MAX_MEAN_SECONDS,
    now: () => nowMs,
    // Evenly spread.
    random: () => (draw++ % 100) / 100,
  });
  const refuse = (perSecond: number): number[] => {
    const answers = Array.from({ length: perSecond }, () => {
      nowMs += 1_000 / perSecond;
      return retryAfter.next();
    });
    return [...new Set(answers)].sort((a, b) => a - b);
  };
  return {
    refuse,
    refuseFor(seconds: number, perSecond: number): number[] {
      let answers: number[] = [];
      for (let second = 0; second < seconds; second++) answers = refuse(perSecond);
      return answers;
    },
    wait(ms: number): void {
      nowMs += ms;
    },
  };
}

it('is one to three seconds while few are refused', () => {
  expect(overloadOf().refuseFor(20, 100)).toEqual([1, 2, 3]);
});

it('grows to one and a half times the largest mean while many are refused, and shrinks again', () => {
  const overload = overloadOf();
  expect(overload.refuseFor(10, 4_000)).toEqual([3, 4, 5, 6, 7, 8, 9]);
  overload.refuseFor(9, 100);
  expect(overload.refuse(100)).toEqual([1, 2, 3]);
});

it('spreads the clients of a burst over more time than they have come in', () => {
  const overload = overloadOf();
  expect(overload.refuse(800)).toEqual([1, 2, 3]);
  expect(overload.refuse(1_000).at(-1)).toBeGreaterThan(5);
});

it('forgets an overload that is over', () => {
  const overload = overloadOf();
  overload.refuseFor(10, 4_000);
  overload.wait(11_000);
  expect(overload.refuse(100)).toEqual([1, 2, 3]);
});

it.each([
  { clients: 2_000, perSecond: 400, expected: 400 },
  { clients: 600, perSecond: 400, expected: 240 },
  { clients: 500, perSecond: 100, expected: 100 },
])(
  'lets $clients clients that wait as told come back at a pace of $perSecond a second at most',
  ({ clients, perSecond, expected }) => {
    let [nowMs, seed] = [0, 1];
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const pace = { perSecond, maxMeanSeconds: MAX_MEAN_SECONDS };
    const retryAfter = new RetryAfter({ ...pace, now: () => nowMs, random });
    const due = Array.from({ length: clients }, () => random() * 1_000);
    const refused = new Map<number, number>();
    for (; nowMs < 60_000; nowMs += 10) {
      for (const [client, at] of due.entries()) {
        if (at > nowMs) continue;
        due[client] = nowMs + 1_000 * (retryAfter.next() + random());
        const second = Math.floor(nowMs / 1_000);
        refused.set(second, (refused.get(second) ?? 0) + 1);
      }
    }
    const late = [...refused].filter(([second]) => second >= 20).map(([, count]) => count);
    const mean = late.reduce((sum, count) => sum + count, 0) / late.length;
    expect(mean).toBeGreaterThan(0.7 * expected);
    expect(mean).toBeLessThan(1.2 * expected);
    // No waves: in no second far more come back than in others.
    expect(Math.max(...late)).toBeLessThan(1.6 * expected);
  },
);
