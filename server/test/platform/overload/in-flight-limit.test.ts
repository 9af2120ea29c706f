import { describe, expect, it } from 'vitest';
import { InFlightLimit } from '../../../src/platform/overload/in-flight-limit.js';

const OPTIONS = { minInFlight: 10, maxWaitMs: 100, initialRatePerMs: 1 };

function create(options: Partial<typeof OPTIONS> = {}) {
  let now = 0;
  const limit = new InFlightLimit({ ...OPTIONS, ...options, now: () => now });
  return {
    limit,
    pass: (ms: number) => {
      now += ms;
    },
    /** Enters until it is refused. */
    fill() {
      let entered = 0;
      while (entered < 10_000 && limit.tryEnter()) entered++;
      return entered;
    },
  };
}

describe('a limit of what is in flight', () => {
  it('is what is served in the time that a request may take', () => {
    const { limit, fill } = create();
    expect(fill()).toBe(101);
    limit.leave();
    expect(limit.tryEnter()).toBe(true);
    expect(limit.tryEnter()).toBe(false);
  });

  it('goes with the rate at which requests are served', () => {
    const { limit, fill, pass } = create();
    fill();
    // Twice as fast as it thought.
    for (let n = 0; n < 2_000; n++) {
      if (n % 2 === 0) pass(1);
      limit.leave();
      limit.tryEnter();
    }
    const more = fill();
    expect(more).toBeGreaterThan(50);
    for (let n = 0; n < 2_000; n++) {
      pass(10);
      limit.leave();
      limit.tryEnter();
    }
    expect(limit.tryEnter()).toBe(false);
  });

  it('always lets a few in, however slow they are', () => {
    const { limit, fill, pass } = create({ initialRatePerMs: 0.001 });
    expect(fill()).toBe(10);
    pass(60_000);
    expect(limit.tryEnter()).toBe(false);
    limit.leave();
    expect(limit.tryEnter()).toBe(true);
  });

  it('is smaller when requests take long to come to it', () => {
    let overheadMs = 50;
    const limit = new InFlightLimit({ ...OPTIONS, now: () => 0, overheadMs: () => overheadMs });
    let entered = 0;
    while (limit.tryEnter()) entered++;
    expect(entered).toBe(51);
    overheadMs = 0;
    expect(limit.tryEnter()).toBe(true);
  });

  it('does not take a quiet time for a slow one', () => {
    const { limit, fill, pass } = create();
    for (let n = 0; n < 100; n++) {
      limit.tryEnter();
      pass(1_000);
      limit.leave();
    }
    expect(fill()).toBe(101);
  });
});
