import { describe, expect, it } from 'vitest';
import {
  randomOf,
  type SimulatedArm,
  simulateArrivals,
  simulateGrowth,
} from '../../bench/experiments/simulated-arms.mjs';
import { cappedMoments, findCap } from '../src/cap.js';
import { sequenceInterval } from '../src/confidence-sequence.js';
import { absoluteEffect, type Effect } from '../src/effect.js';
import { meanEstimate, shareEstimate } from '../src/estimate.js';
import { fixedP } from '../src/fixed-horizon.js';
import { sequenceSampleSize, variancesOfShare } from '../src/sample-size.js';
import { withSafeErrors } from '../src/unequal-arms.js';
import { bucketOfValue } from '../src/value-histogram.js';

/** A small part of `npm run bench -- experiments`. Seeds are fixed, so every run of it is the same. */
const RUNS = 100;
const bucketOf = bucketOfValue;

function conversionEffect(arms: readonly SimulatedArm[]): Effect {
  const [control, arm] = arms.map(({ payers, players }) => shareEstimate({ count: payers, players }));
  if (control === undefined || arm === undefined) throw new Error('two arms');
  return absoluteEffect(...withSafeErrors(control, arm));
}

function revenueEffect(arms: readonly SimulatedArm[]): Effect {
  const cap = findCap(arms.map(({ histogram }) => histogram));
  const [control, arm] = arms.map(({ players, histogram }) => {
    const values = cappedMoments(histogram, cap);
    const total = (of: 'sum' | 'squares') => values.reduce((sum, value) => sum + value[of], 0);
    return meanEstimate({ n: players, sum: total('sum'), squares: total('squares') });
  });
  if (control === undefined || arm === undefined) throw new Error('two arms');
  return absoluteEffect(...withSafeErrors(control, arm));
}

/** In how many runs some look was significant: by the confidence sequence, and by an interval for one look. */
function alarms(
  tunedTo: number,
  run: (random: () => number, onLook: (arms: SimulatedArm[]) => void) => void,
  effectOf: (arms: readonly SimulatedArm[]) => Effect,
) {
  let [proven, naive] = [0, 0];
  for (let seed = 1; seed <= RUNS; seed += 1) {
    let [isProven, isNaive] = [false, false];
    run(randomOf(seed), (arms) => {
      if (arms.some(({ payers }) => payers < 30)) return;
      const effect = effectOf(arms);
      const { low, high } = sequenceInterval(effect, { tunedTo });
      isProven ||= low > 0 || high < 0;
      isNaive ||= fixedP(effect) < 0.05;
    });
    proven += Number(isProven);
    naive += Number(isNaive);
  }
  return { proven, naive };
}

describe('without any effect', () => {
  it('conversion is hardly ever significant, and often with intervals for one look', () => {
    const arms = [1, 2].map(() => ({ perLook: 200, conversion: 0.15, spend: 1 }));
    const { proven, naive } = alarms(
      12_000,
      (random, onLook) => simulateArrivals({ random, looks: 30, arms, bucketOf, onLook }),
      conversionEffect,
    );
    expect(proven).toBeLessThanOrEqual(5);
    expect(naive).toBeGreaterThanOrEqual(15);
  });

  it('neither is revenue that goes on growing while the number of players stays', () => {
    const arms = [
      { players: 500, payers: 60 },
      { players: 1_500, payers: 180 },
    ];
    const { proven } = alarms(
      2_000,
      (random, onLook) => simulateGrowth({ random, looks: 30, arms, daily: 0.2, bucketOf, onLook }),
      revenueEffect,
    );
    expect(proven).toBeLessThanOrEqual(5);
  });
});

it('the planned effect is found at the planned size in about 80% of the runs', () => {
  const [conversion, effect] = [0.2, 0.06];
  const { control, total } = sequenceSampleSize({ ...variancesOfShare(conversion, effect), effect });
  const arms = [conversion, conversion + effect].map((share) => ({
    ...{ perLook: Math.ceil(control / 20), conversion: share, spend: 1 },
  }));
  const { proven } = alarms(
    total,
    (random, onLook) => simulateArrivals({ random, looks: 20, arms, bucketOf, onLook }),
    conversionEffect,
  );
  expect(proven).toBeGreaterThanOrEqual(80);
});
