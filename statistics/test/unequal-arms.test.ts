import { describe, expect, it } from 'vitest';
import { randomOf, type SimulatedArm } from '../../bench/experiments/simulated-arms.mjs';
import { playGame, type UnequalGame } from '../../bench/experiments/unequal-games.mjs';
import { compareGroups } from '../../server/src/experiments/holdouts/comparison.js';
import { compareFamily, pairOf } from '../../server/src/experiments/report/compare-arms.js';
import { estimateArms } from '../../server/src/experiments/report/estimates.js';
import { guardrailOf } from '../../server/src/experiments/report/guardrails.js';
import type { MetricSums } from '../../server/src/experiments/report/metric-sums.js';
import { absoluteEffect, relativeEffect } from '../src/effect.js';
import { unadjusted } from '../src/estimate.js';
import { NO_PAIRS } from '../src/moments.js';
import { safeRelativeEffect, withSafeErrors } from '../src/unequal-arms.js';
import { bucketOfValue } from '../src/value-histogram.js';

describe('the errors of unequal arms', () => {
  const errorOf = (...pair: readonly [ReturnType<typeof unadjusted>, ReturnType<typeof unadjusted>]) =>
    absoluteEffect(...pair).standardError;

  it('are those of no effect where the small arm varies less', () => {
    const [large, small] = [unadjusted(9_000, 2, 100), unadjusted(1_000, 1, 10)];
    expect(errorOf(large, small)).toBeCloseTo(Math.sqrt(100 / 9_000 + 10 / 1_000), 6);
    // A pooled variance: (9,000 × 100 + 1,000 × 10) / 10,000 is 91.
    const pooled = Math.sqrt(91 / 9_000 + 91 / 1_000);
    expect(errorOf(...withSafeErrors(large, small))).toBeCloseTo(pooled, 6);
    expect(errorOf(...withSafeErrors(small, large))).toBeCloseTo(pooled, 6);
  });

  it('are their own where the small arm varies more, and where the arms are equal', () => {
    const pairs = [
      [unadjusted(9_000, 1, 10), unadjusted(1_000, 2, 100)],
      [unadjusted(5_000, 1, 10), unadjusted(5_000, 2, 100)],
      [unadjusted(5_000, 1, 0), unadjusted(1_000, 1, 0)],
    ] as const;
    for (const pair of pairs) expect(withSafeErrors(...pair)).toEqual(pair);
  });

  it('are never below their own', () => {
    const random = randomOf(1);
    for (let pair = 0; pair < 200; pair += 1) {
      const [control, arm] = [0, 1].map(() =>
        unadjusted(Math.ceil(2 + 1_000 * random()), random(), 10 * random()),
      );
      if (control === undefined || arm === undefined) throw new Error('two arms');
      expect(errorOf(...withSafeErrors(control, arm))).toBeGreaterThanOrEqual(errorOf(control, arm));
    }
  });

  it('of a relative change are larger by the same factor', () => {
    const pair = [unadjusted(1_000, 1, 10), unadjusted(9_000, 1.2, 100)] as const;
    const safe = withSafeErrors(...pair);
    const factorOf = (of: typeof absoluteEffect | typeof relativeEffect) =>
      (of(...safe)?.standardError ?? 0) / (of(...pair)?.standardError ?? 1);
    expect(factorOf(relativeEffect)).toBeCloseTo(factorOf(absoluteEffect), 6);
    expect(factorOf(relativeEffect)).toBeGreaterThan(2);
  });

  it('of a relative change are never below those of the difference', () => {
    const [high, low] = [unadjusted(5_000, 2, 100), unadjusted(5_000, 1, 10)];
    expect(relativeEffect(high, low)?.standardError).toBeLessThan(errorOf(high, low) / 2);
    expect(safeRelativeEffect(high, low)?.standardError).toBeCloseTo(errorOf(high, low) / 2, 6);
    expect(safeRelativeEffect(low, high)).toEqual(relativeEffect(low, high));
    expect(safeRelativeEffect(unadjusted(10, 0, 0), low)).toBeUndefined();
  });
});

/** A small part of `npm run bench -- unequal-arms`. The seeds are fixed: in these games the arms' own errors proved a difference. */
describe('revenue without any effect', () => {
  const GAME: UnequalGame = { share: 0.1, players: 4_000, perDay: 60, whales: 0.02, isHoldout: true };
  const SEEDS = [1, 4, 9, 10, 13, 14, 16, 17, 23, 24, 30, 37];
  const METRIC = { kind: 'sum', sum: { of: 'revenue', currency: 'USD' } } as const;

  type Arms = [small: SimulatedArm, large: SimulatedArm];

  function provenIn(isProven: (arms: Arms) => boolean, { seeds = SEEDS, game = GAME } = {}) {
    return seeds.filter((seed) => {
      let isSeen = false;
      const onLook = (arms: Arms, day: number) => {
        if (day % 5 === 0) isSeen ||= isProven(arms);
        return isSeen;
      };
      playGame({ game, seed, days: 100, bucketOf: bucketOfValue, onLook });
      return isSeen;
    });
  }

  function sumsOf({ players, payers, histogram }: SimulatedArm): MetricSums {
    const values = Object.fromEntries(
      Object.entries(histogram).map(([bucket, moments]) => [bucket, { ...NO_PAIRS, ...moments }]),
    );
    return {
      fresh: { zeros: { ...NO_PAIRS, n: players - payers }, values },
      known: { zeros: NO_PAIRS, values: {} },
    };
  }

  const variantsOf = (...weights: number[]) => weights.map((weight, at) => ({ variantId: `v${at}`, weight }));

  it('is not proven by a hold-out', () => {
    const groupOf = ({ players, payers, histogram }: SimulatedArm) => ({
      ...{ players, payers },
      spent: { USD: { payers, sum: 0, squares: 0, values: histogram } },
    });
    const isProven = ([heldOut, targeted]: Arms) => {
      const sums = { counts: 'known', heldOut: groupOf(heldOut), targeted: groupOf(targeted) } as const;
      const { state } = compareGroups(sums, 10).revenuePerPlayer.USD ?? {};
      return state === 'higher' || state === 'lower';
    };
    expect(provenIn(isProven)).toEqual([]);
  });

  it('is not proven by an experiment', () => {
    const isProven = ([small, large]: Arms) => {
      const family = [{ metric: METRIC, arms: [large, small].map(sumsOf) }];
      const [comparison] = compareFamily(family, variantsOf(9, 1), undefined);
      return comparison?.state === 'higher' || comparison?.state === 'lower';
    };
    expect(provenIn(isProven)).toEqual([]);
  });

  it('breaches no guardrail, also in halves', () => {
    const isBreached = (arms: Arms) => {
      const sums = arms.map(sumsOf);
      const { relative } = pairOf(estimateArms(METRIC, sums), sums, 1);
      if (relative === null) return false;
      const guardrail = { metric: METRIC, worse: 'lower', marginPercent: 0 } as const;
      return guardrailOf(guardrail, relative, { variants: variantsOf(1, 1), weight: 1 }).state === 'breached';
    };
    const game = { ...GAME, share: 0.5 };
    expect(provenIn(isBreached, { seeds: [1, 2, 26], game })).toEqual([]);
  });
});
