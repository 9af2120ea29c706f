import { describe, expect, it } from 'vitest';
import { DrainRate } from '../../../src/platform/overload/drain-rate.js';

const INITIAL = 10;

function create() {
  let now = 0;
  const rate = new DrainRate(INITIAL, () => now);
  return {
    rate,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('the rate at which work is finished', () => {
  it('is the initial one until something has been measured', () => {
    const { rate, pass } = create();
    rate.begin(1_000_000);
    rate.finish(1_000_000);
    pass(10_000);
    expect(rate.perMs).toBe(INITIAL);
  });

  /** Something always runs, and this much is finished in each of 40 steps of 50 ms. */
  const work = ({ rate, pass }: ReturnType<typeof create>, weight: number, isSaturated = true) => {
    rate.begin(1);
    for (let n = 0; n < 40; n++) {
      rate.begin(weight);
      if (isSaturated) rate.saturate();
      pass(50);
      rate.finish(weight);
    }
    rate.finish(1);
  };

  it('comes to what is finished while something waits', () => {
    const created = create();
    work(created, 50 * 24);
    expect(created.rate.perMs).toBeCloseTo(24, 0);
    work(created, 50 * 3);
    expect(created.rate.perMs).toBeCloseTo(3, 0);
  });

  it('does not count what is finished while nothing waits: that is how much was asked for', () => {
    const created = create();
    work(created, 1, false);
    expect(created.rate.perMs).toBe(INITIAL);
  });

  it('does not count the time in which nothing runs', () => {
    const { rate, pass } = create();
    for (let n = 0; n < 100; n++) {
      rate.begin(50 * 24);
      rate.saturate();
      pass(50);
      rate.finish(50 * 24);
      pass(5_000);
    }
    expect(rate.perMs).toBeCloseTo(24, 0);
  });

  it('counts all that is finished at the same time, however little of it waited', () => {
    const { rate, pass } = create();
    for (let n = 0; n < 20; n++) {
      rate.saturate();
      // A group of 20.
      for (let item = 0; item < 20; item++) rate.begin(250);
      pass(250);
      for (let item = 0; item < 20; item++) rate.finish(250);
    }
    expect(rate.perMs).toBeCloseTo(20, 0);
  });

  it('falls the longer something waits and nothing is finished, and is there again soon after', () => {
    const created = create();
    const { rate, pass } = created;
    rate.begin(1_000);
    rate.saturate();
    pass(250);
    expect(rate.perMs).toBe(INITIAL);
    // Were it finished now, it would have taken a second.
    pass(750);
    expect(rate.perMs).toBe(1);
    pass(99_000);
    expect(rate.perMs).toBe(0.01);
    rate.finish(1_000);
    work(created, 50 * INITIAL);
    expect(rate.perMs).toBeGreaterThan(0.9 * INITIAL);
  });

  it('rises in steps: a group that happens to end in a window says little', () => {
    const { rate, pass } = create();
    rate.begin(1_000_000);
    rate.saturate();
    pass(250);
    rate.finish(1_000_000);
    expect(rate.perMs).toBeLessThanOrEqual(2 * INITIAL);
  });
});
