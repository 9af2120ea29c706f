import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createRateLimiter,
  type RateLimiter,
  type RateLimiterOptions,
  rateLimitHeader,
  rateLimitPolicyHeader,
} from '../../../src/platform/lib/rate-limiter.js';

type Setup = Pick<RateLimiterOptions, 'quota' | 'windowSeconds'> & { maxKeys?: number; startMs?: number };

function setup({ quota, windowSeconds, maxKeys = 1000, startMs = 0 }: Setup) {
  const time = { ms: startMs };
  const limiter = createRateLimiter({ quota, windowSeconds, maxKeys, clock: () => time.ms });
  return { limiter, time };
}

function takes(limiter: RateLimiter, key: string, count: number): number {
  let allowed = 0;
  for (let i = 0; i < count; i++) if (limiter.take(key).allowed) allowed++;
  return allowed;
}

describe('a take of several units', () => {
  test('needs them all, and is told when there are enough', () => {
    const { limiter, time } = setup({ quota: 60, windowSeconds: 60 });
    expect(limiter.take('a', 50)).toEqual({
      allowed: true,
      remaining: 10,
      resetSeconds: 1,
      retryAfterSeconds: 0,
    });
    expect(limiter.take('a', 20)).toEqual({
      allowed: false,
      remaining: 10,
      resetSeconds: 1,
      retryAfterSeconds: 10,
    });
    expect(limiter.take('a', 10)).toMatchObject({ allowed: true, remaining: 0 });
    time.ms += 19_999;
    expect(limiter.take('a', 20).allowed).toBe(false);
    time.ms += 1;
    expect(limiter.take('a', 20)).toMatchObject({ allowed: true, remaining: 0 });
  });

  test('of more than the quota is one of the whole quota', () => {
    const { limiter, time } = setup({ quota: 60, windowSeconds: 60 });
    expect(limiter.take('a', 1_000)).toMatchObject({ allowed: true, remaining: 0 });
    expect(limiter.take('a', 1_000)).toMatchObject({ allowed: false, retryAfterSeconds: 60 });
    limiter.giveBack('a', 1_000);
    expect(limiter.take('a', 60)).toMatchObject({ allowed: true, remaining: 0 });
    time.ms += 60_000;
    expect(limiter.take('a', 1_000).allowed).toBe(true);
  });

  test('of nothing is always allowed', () => {
    const { limiter } = setup({ quota: 1, windowSeconds: 60 });
    limiter.take('a');
    expect(limiter.take('a', 0)).toMatchObject({ allowed: true, remaining: 0 });
  });

  test('given back is as if it had not been, and never more than the quota', () => {
    const { limiter } = setup({ quota: 60, windowSeconds: 60 });
    limiter.take('a', 40);
    limiter.giveBack('a', 15);
    expect(limiter.take('a', 0).remaining).toBe(35);
    limiter.giveBack('a', 60);
    limiter.giveBack('b', 60);
    expect(limiter.take('a', 0).remaining).toBe(60);
    expect(limiter.take('a', 60).allowed).toBe(true);
    expect(limiter.take('a', 1).allowed).toBe(false);
  });
});

describe('take', () => {
  test('lets the quota through in one burst, then refuses', () => {
    const { limiter } = setup({ quota: 3, windowSeconds: 60 });
    expect(limiter.take('a')).toEqual({
      allowed: true,
      remaining: 2,
      resetSeconds: 20,
      retryAfterSeconds: 0,
    });
    expect(limiter.take('a')).toEqual({
      allowed: true,
      remaining: 1,
      resetSeconds: 20,
      retryAfterSeconds: 0,
    });
    expect(limiter.take('a')).toEqual({
      allowed: true,
      remaining: 0,
      resetSeconds: 20,
      retryAfterSeconds: 0,
    });
    const refused = { allowed: false, remaining: 0, resetSeconds: 20, retryAfterSeconds: 20 };
    expect(limiter.take('a')).toEqual(refused);
    expect(limiter.take('a')).toEqual(refused);
  });

  test('regains the quota evenly', () => {
    const { limiter, time } = setup({ quota: 3, windowSeconds: 60 });
    takes(limiter, 'a', 3);
    time.ms += 19_999;
    expect(limiter.take('a')).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    time.ms += 1;
    expect(limiter.take('a').allowed).toBe(true);
    expect(limiter.take('a').allowed).toBe(false);
    time.ms += 60_000;
    expect(takes(limiter, 'a', 10)).toBe(3);
  });

  test('keys do not share a quota', () => {
    const { limiter } = setup({ quota: 1, windowSeconds: 60 });
    expect(limiter.take('a').allowed).toBe(true);
    expect(limiter.take('b').allowed).toBe(true);
    expect(limiter.take('__proto__').allowed).toBe(true);
    expect(limiter.take('a').allowed).toBe(false);
  });

  test('a window that the quota does not divide evenly still gives the whole burst, at any time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 1, max: 3600 }),
        fc.double({ min: 0, max: 1e11, noNaN: true }),
        (quota, windowSeconds, startMs) => {
          const { limiter, time } = setup({ quota, windowSeconds });
          time.ms = startMs;
          expect(takes(limiter, 'a', quota + 5)).toBe(quota);
          time.ms += windowSeconds * 1000;
          expect(limiter.peek('a').remaining).toBe(quota);
        },
      ),
    );
  });

  test('the default clock moves', async () => {
    const limiter = createRateLimiter({ quota: 1000, windowSeconds: 1, maxKeys: 10 });
    takes(limiter, 'a', 2000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(limiter.take('a').allowed).toBe(true);
  });

  test.each([
    { quota: 0, windowSeconds: 1, maxKeys: 1 },
    { quota: 1.5, windowSeconds: 1, maxKeys: 1 },
    { quota: 1, windowSeconds: 0, maxKeys: 1 },
    { quota: 1, windowSeconds: Number.NaN, maxKeys: 1 },
    { quota: 1, windowSeconds: 1, maxKeys: 0 },
  ])('refuses senseless options %o', (options) => {
    expect(() => createRateLimiter(options)).toThrow(RangeError);
  });
});

describe('peek', () => {
  test('tells what a take would get, and costs nothing', () => {
    const { limiter, time } = setup({ quota: 2, windowSeconds: 10 });
    const untouched = { allowed: true, remaining: 2, resetSeconds: 0, retryAfterSeconds: 0 };
    expect(limiter.peek('a')).toEqual(untouched);
    expect(limiter.size).toBe(0);
    limiter.take('a');
    limiter.take('a');
    for (let i = 0; i < 3; i++) {
      expect(limiter.peek('a')).toEqual({
        allowed: false,
        remaining: 0,
        resetSeconds: 5,
        retryAfterSeconds: 5,
      });
    }
    time.ms += 10_000;
    expect(limiter.peek('a')).toEqual(untouched);
  });
});

describe('for any sequence of takes', () => {
  const limits = fc.record({
    quota: fc.integer({ min: 1, max: 50 }),
    windowSeconds: fc.integer({ min: 1, max: 60 }),
  });
  const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(200), fc.nat(20_000)), { maxLength: 200 });

  test('agrees with a token bucket, and no span lets through more than it should', () => {
    fc.assert(
      fc.property(limits, pauses, ({ quota, windowSeconds }, elapsed) => {
        const { limiter, time } = setup({ quota, windowSeconds });
        // The bucket is counted in takes times milliseconds of window, exactly.
        const perTake = BigInt(windowSeconds * 1000);
        const full = perTake * BigInt(quota);
        let bucket = full;
        const allowedAt: number[] = [];
        for (const pause of elapsed) {
          time.ms += pause;
          bucket += BigInt(pause) * BigInt(quota);
          if (bucket > full) bucket = full;
          const { allowed, remaining } = limiter.take('a');
          expect(allowed).toBe(bucket >= perTake);
          if (allowed) {
            bucket -= perTake;
            allowedAt.push(time.ms);
          }
          expect(remaining).toBe(Number(bucket / perTake));
        }
        const gap = (windowSeconds * 1000) / quota;
        for (const [i, from] of allowedAt.entries()) {
          const end = allowedAt[i + quota];
          if (end !== undefined) expect(end - from).toBeGreaterThanOrEqual(gap - 1);
        }
      }),
    );
  });

  test('what it says about waiting is true and not a second too long', () => {
    fc.assert(
      fc.property(limits, pauses, ({ quota, windowSeconds }, elapsed) => {
        const { limiter, time } = setup({ quota, windowSeconds });
        for (const pause of elapsed) {
          time.ms += pause;
          const { allowed, remaining, resetSeconds, retryAfterSeconds } = limiter.take('a');
          const seconds = allowed ? resetSeconds : retryAfterSeconds;
          expect(seconds).toBeGreaterThanOrEqual(1);
          expect(seconds).toBeLessThanOrEqual(windowSeconds);
          expect(retryAfterSeconds).toBe(allowed ? 0 : resetSeconds);
          const before = time.ms;
          time.ms = before + seconds * 1000;
          expect(limiter.peek('a').remaining).toBeGreaterThan(remaining);
          time.ms = before + (seconds - 1) * 1000;
          expect(limiter.peek('a').remaining).toBe(remaining);
          time.ms = before;
        }
      }),
    );
  });

  test('a clock set back blocks no key for longer than a window', () => {
    fc.assert(
      fc.property(limits, fc.nat(1e9), ({ quota, windowSeconds }, back) => {
        const { limiter, time } = setup({ quota, windowSeconds, startMs: 2e9 });
        takes(limiter, 'a', quota);
        time.ms -= back;
        expect(limiter.take('a').retryAfterSeconds).toBeLessThanOrEqual(windowSeconds);
        time.ms += windowSeconds * 1000;
        expect(takes(limiter, 'a', quota + 1)).toBe(quota);
      }),
    );
  });
});

describe('the bound on keys', () => {
  test('holds under any flood', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.tuple(fc.nat(60), fc.nat(3000)), { maxLength: 300 }),
        (maxKeys, steps) => {
          const { limiter, time } = setup({ quota: 5, windowSeconds: 10, maxKeys });
          for (const [key, pause] of steps) {
            time.ms += pause;
            limiter.take(`key ${key}`);
            expect(limiter.size).toBeLessThanOrEqual(maxKeys);
          }
        },
      ),
    );
    const { limiter } = setup({ quota: 5, windowSeconds: 10, maxKeys: 20 });
    for (let i = 0; i < 30; i++) {
      limiter.take(`key ${i}`);
      expect(limiter.size).toBe(Math.min(20, i + 1));
    }
  });

  test('keys that have their whole quota again take no memory, however many come in a day', () => {
    const { limiter, time } = setup({ quota: 60, windowSeconds: 60, maxKeys: 100_000 });
    const [everySecond, regainedAfter] = [1_000, 30];
    let most = 0;
    for (let i = 0; i < 20_000; i++) {
      limiter.take(`player ${i}`, regainedAfter);
      most = Math.max(most, limiter.size);
      time.ms += everySecond;
    }
    expect(most).toBeGreaterThanOrEqual(regainedAfter);
    expect(most).toBeLessThanOrEqual(2 * regainedAfter + 1);
  });

  test('a flood of unknown keys does not make it forget a key at its limit', () => {
    const { limiter, time } = setup({ quota: 100, windowSeconds: 60, maxKeys: 500 });
    for (let i = 0; i < 250; i++) limiter.take(`early ${i}`);
    const limited = ['l1', 'l2', 'l3', 'l4', 'l5'];
    for (const key of limited) takes(limiter, key, 100);
    for (let i = 0; i < 50_000; i++) {
      if (i % 100 === 0) time.ms += 1;
      limiter.take(`flood ${i}`);
    }
    expect(limiter.size).toBe(500);
    for (const key of limited) expect(limiter.take(key).allowed).toBe(false);
  });

  test('keys that have their whole quota again are forgotten before any other', () => {
    const { limiter, time } = setup({ quota: 2, windowSeconds: 10, maxKeys: 8 });
    for (let i = 0; i < 6; i++) limiter.take(`idle ${i}`);
    time.ms += 5_000;
    limiter.take('busy 1');
    limiter.take('busy 2');
    for (let i = 0; i < 6; i++) limiter.take(`new ${i}`);
    for (const key of ['busy 1', 'busy 2', 'new 0', 'new 5'])
      expect(limiter.peek(key).remaining, key).toBe(1);
    for (let i = 0; i < 6; i++) expect(limiter.peek(`idle ${i}`).remaining).toBe(2);
  });
});

describe('headers', () => {
  test('follow the draft', () => {
    const { limiter } = setup({ quota: 1200, windowSeconds: 60 });
    expect(rateLimitPolicyHeader('player', 1200, 60)).toBe('"player";q=1200;w=60');
    expect(rateLimitHeader('player', limiter.take('a'))).toBe('"player";r=1199;t=1');
    takes(limiter, 'a', 2000);
    expect(rateLimitHeader('player', limiter.peek('a'))).toBe('"player";r=0;t=1');
  });

  test.each(['', 'Player', 'a"b', 'a\r\nb', 'ü', '1a'])('refuse the policy name %j', (name) => {
    expect(() => rateLimitPolicyHeader(name, 1, 1)).toThrow(TypeError);
    expect(() => rateLimitHeader(name, { remaining: 1, resetSeconds: 1 })).toThrow(TypeError);
  });
});
