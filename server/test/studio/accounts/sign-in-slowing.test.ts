import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterGuess,
  delayMs,
  type Guesses,
  levelAt,
  type SlowingRule,
  waitMs,
} from '../../../src/studio/accounts/sign-in-slowing.js';

const MINUTE_MS = 60_000;
const RULE: SlowingRule = { free: 5, maxDelayMs: 15 * MINUTE_MS, leakMs: 15 * MINUTE_MS };

const rules = fc.record({
  free: fc.integer({ min: 1, max: 50 }),
  maxDelayMs: fc.integer({ min: 1_000, max: 86_400_000 }),
  leakMs: fc.integer({ min: 1_000, max: 86_400_000 }),
});
const pauses = fc.array(fc.integer({ min: 0, max: 3_600_000 }), { maxLength: 200 });

/** The times of the guesses that are allowed, for a client that tries again after each of these pauses. */
function admitted(rule: SlowingRule, attempts: readonly number[]): number[] {
  let guesses: Guesses | undefined;
  let now = 1_000_000;
  const times: number[] = [];
  for (const pause of attempts) {
    now += pause;
    if (waitMs(guesses, rule, now) > 0) continue;
    guesses = afterGuess(guesses, rule, now);
    times.push(now);
  }
  return times;
}

describe('wrong guesses', () => {
  it('cause no wait at first, and then a wait that doubles each time', () => {
    expect([1, 4, 5, 6, 7, 8].map((level) => delayMs(level, RULE))).toEqual([
      0, 0, 1_000, 2_000, 4_000, 8_000,
    ]);
    expect(delayMs(1_000, RULE)).toBe(RULE.maxDelayMs);
  });

  it('are forgotten one by one', () => {
    const guesses = { level: 4, atMs: 0 };
    expect(levelAt(guesses, RULE, 30 * MINUTE_MS)).toBe(2);
    expect(levelAt(guesses, RULE, 600 * MINUTE_MS)).toBe(0);
  });

  it('allow at most the free tries at once', () => {
    fc.assert(
      fc.property(rules, fc.integer({ min: 0, max: 500 }), (rule, count) => {
        const together = admitted(rule, new Array<number>(count).fill(0));
        expect(together).toHaveLength(Math.min(rule.free, count));
      }),
    );
  });

  it('never allow more than the free tries, one for each time that one is forgotten, and the short waits', () => {
    fc.assert(
      fc.property(rules, pauses, (rule, attempts) => {
        const times = admitted(rule, attempts);
        const spanMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
        // Each wait is twice the former one, up to the longest.
        const shortWaits = Math.ceil(Math.log2(rule.maxDelayMs / 1_000)) + 1;
        const longWaits = spanMs / Math.min(rule.maxDelayMs, rule.leakMs);
        expect(times.length).toBeLessThanOrEqual(rule.free + shortWaits + Math.ceil(longWaits) + 1);
      }),
    );
  });

  it('never cause a wait longer than the longest one, whatever the clock does', () => {
    fc.assert(
      fc.property(
        rules,
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.integer(),
        fc.integer(),
        (rule, level, atMs, nowMs) => {
          const wait = waitMs({ level, atMs }, rule, nowMs);
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(rule.maxDelayMs);
        },
      ),
    );
  });

  it('are none at the beginning', () => {
    expect(waitMs(undefined, RULE, 0)).toBe(0);
  });
});
