import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../../server/test/experiments/support/simulated-sums.js';
import { criticalValue, sequenceInterval, sequenceP } from '../src/confidence-sequence.js';
import { cupedEstimate, cupedSlope } from '../src/cuped.js';
import { absoluteEffect, type Effect, relativeEffect } from '../src/effect.js';
import { type Estimate, meanEstimate, shareEstimate, unadjusted } from '../src/estimate.js';
import { fixedInterval, fixedP, fixedPGreater } from '../src/fixed-horizon.js';
import { checkGuardrail } from '../src/guardrail.js';
import { momentsOf, pairMomentsOf } from '../src/moments.js';
import { playersUntilProven } from '../src/planning.js';
import { checkSampleRatio } from '../src/sample-ratio.js';
import { fixedSampleSize, sequenceSampleSize } from '../src/sample-size.js';

const effect = (value: number, standardError: number, players = 10_000): Effect => ({
  ...{ value, standardError, players, freedom: players - 2 },
});

describe('a confidence sequence', () => {
  it('is wider than an interval for one look, and tightest where it is tuned to', () => {
    const widthAt = (tunedTo: number) => criticalValue(10_000, { tunedTo });
    expect(widthAt(10_000)).toBeCloseTo(3.0352, 4);
    for (const tunedTo of [100, 1_000, 5_000, 20_000, 1e6]) {
      expect(widthAt(tunedTo)).toBeGreaterThan(widthAt(10_000));
    }
  });

  it('excludes zero exactly where its p-value is below alpha', () => {
    const numbers = fc.tuple(
      fc.double({ min: -6, max: 6, noNaN: true }),
      fc.integer({ min: 10, max: 1_000_000 }),
    );
    fc.assert(
      fc.property(numbers, ([z, players]) => {
        const own = effect(z, 1, players);
        const { low, high } = sequenceInterval(own, { tunedTo: 10_000 });
        const p = sequenceP(own, { tunedTo: 10_000 });
        // Within rounding of the bound either may be the case.
        fc.pre(Math.abs(p - 0.05) > 1e-9);
        expect(p < 0.05).toBe(low > 0 || high < 0);
      }),
    );
  });

  it('is a point where nothing varies', () => {
    expect(sequenceInterval(effect(0, 0), { tunedTo: 100 })).toEqual({ low: 0, high: 0 });
    expect([effect(0, 0), effect(1, 0)].map((own) => sequenceP(own, { tunedTo: 100 }))).toEqual([1, 0]);
    expect([effect(0, 0), effect(1, 0)].map(fixedP)).toEqual([1, 0]);
    expect([effect(0, 0), effect(1, 0)].map(fixedPGreater)).toEqual([1, 0]);
    expect(fixedInterval(effect(1, 0))).toEqual({ low: 1, high: 1 });
  });
});

describe('what rounding makes of zero', () => {
  const proven = (control: Estimate, arm: Estimate) => {
    const options = { tunedTo: 10_000 };
    return [absoluteEffect(control, arm), relativeEffect(control, arm)].map((own) =>
      own === undefined ? undefined : sequenceP(own, options) < 0.05,
    );
  };

  it('is no difference where the covariate explains everything', () => {
    for (const scale of [0.1, 3, 1e6]) {
      const arms = [7, 11].map((step) =>
        pairMomentsOf(
          Array.from({ length: 900 }, (_, n) => [scale * (1 + (n % step)), (1 + (n % step)) / 3]),
        ),
      );
      const slope = cupedSlope(arms);
      const [control, arm] = arms.map((moments) => cupedEstimate(moments, slope));
      if (control === undefined || arm === undefined) throw new Error('two arms');
      expect(proven(control, arm)).toEqual([false, false]);
    }
  });

  it('is no difference where all players have the same value', () => {
    const [control, arm] = [301, 1_703].map((n) =>
      meanEstimate(momentsOf(Array.from({ length: n }, () => 0.1))),
    );
    if (control === undefined || arm === undefined) throw new Error('two arms');
    expect(proven(control, arm)).toEqual([false, false]);
  });
});

describe('a relative change', () => {
  it('has none where the control is at zero', () => {
    expect(relativeEffect(shareEstimate({ count: 0, players: 10 }), unadjusted(10, 1, 1))).toBeUndefined();
  });

  it('is the same for values in cents and in dollars', () => {
    const inDollars = relativeEffect(unadjusted(100, 2, 9), unadjusted(100, 3, 16));
    const inCents = relativeEffect(unadjusted(100, 200, 90_000), unadjusted(100, 300, 160_000));
    expect(inCents?.value).toBeCloseTo(inDollars?.value ?? 0, 12);
    expect(inCents?.standardError).toBeCloseTo(inDollars?.standardError ?? 0, 12);
  });
});

describe('a guardrail', () => {
  const options = { tunedTo: 10_000, margin: 0.05 };

  it('is safe, breached or not proven', () => {
    const stateOf = (value: number, worse: 'lower' | 'higher') =>
      checkGuardrail(effect(value, 0.01), { ...options, worse }).state;
    expect([0, -0.04, -0.06, -0.2].map((value) => stateOf(value, 'lower'))).toEqual([
      'safe',
      'not_proven',
      'not_proven',
      'breached',
    ]);
    expect([0, 0.04, 0.2].map((value) => stateOf(value, 'higher'))).toEqual([
      'safe',
      'not_proven',
      'breached',
    ]);
  });

  it('needs less than a two-sided question does', () => {
    const { above } = checkGuardrail(effect(0, 1), { ...options, worse: 'lower' });
    expect(above).toBeGreaterThan(sequenceInterval(effect(0, 1), options).low);
  });
});

describe('the sample ratio', () => {
  const arms = (percent: number, ...players: [number, number]) => [
    { players: players[0], weight: percent },
    { players: players[1], weight: 100 - percent },
  ];

  it('is told from the weights', () => {
    expect(checkSampleRatio(arms(5, 500, 9_500))).toEqual({ p: 1, isMismatch: false });
    expect(checkSampleRatio(arms(5, 400, 9_600)).isMismatch).toBe(true);
    expect(checkSampleRatio([...arms(5, 500, 9_500), { players: 0, weight: 0 }]).p).toBe(1);
    expect(checkSampleRatio(arms(5, 0, 0))).toEqual({ p: 1, isMismatch: false });
  });

  it('is found to be wrong with hundreds of players as with millions', () => {
    expect(checkSampleRatio(arms(50, 140, 60)).isMismatch).toBe(true);
    expect(checkSampleRatio(arms(50, 51_000, 49_000)).isMismatch).toBe(true);
    expect(checkSampleRatio(arms(50, 5_005_000, 4_995_000)).isMismatch).toBe(false);
    expect(checkSampleRatio(arms(50, 5_012_000, 4_988_000)).isMismatch).toBe(true);
  });

  it('is not wrong because one of a few players is in a small arm', () => {
    const { p, isMismatch } = checkSampleRatio(arms(1, 1, 4));
    expect(p).toBeLessThan(0.001);
    expect(isMismatch).toBe(false);
  });

  it.each([
    { percent: 50, playersADay: 100 },
    { percent: 5, playersADay: 5 },
    { percent: 1, playersADay: 5 },
  ])(
    'is hardly ever called wrong in 100 daily looks ($percent%, $playersADay a day)',
    ({ percent, playersADay }) => {
      const random = randomNumbers(percent);
      let [alarms, ofOneLook] = [0, 0];
      for (let experiment = 0; experiment < 1_000; experiment++) {
        const players: [number, number] = [0, 0];
        const looks = Array.from({ length: 100 }, () => {
          for (let player = 0; player < playersADay; player++) players[random() * 100 < percent ? 0 : 1]++;
          return checkSampleRatio(arms(percent, ...players));
        });
        if (looks.some(({ isMismatch }) => isMismatch)) alarms++;
        if (looks.some(({ p }) => p < 0.001)) ofOneLook++;
      }
      expect(alarms).toBeLessThanOrEqual(3);
      expect(ofOneLook).toBeGreaterThan(5);
    },
  );
});

describe('a plan', () => {
  const options = { variance: 0.04 * 0.96, effect: 0.01 };

  it('asks for 1.9 times the players of a single look', () => {
    const ratio = sequenceSampleSize(options).total / fixedSampleSize(options).total;
    expect(ratio).toBeCloseTo(1.915, 3);
  });

  it('shares its players as the arms do', () => {
    const { control, arm } = sequenceSampleSize({ ...options, ratio: 0.25 });
    expect(arm / control).toBeCloseTo(0.25, 3);
  });

  it('says with how many players the effect of today would be proven', () => {
    const options = { tunedTo: 10_000 };
    const today = effect(0.02, 0.01);
    const players = playersUntilProven(today, options) ?? 0;
    expect(players).toBeGreaterThan(20_000);
    const later = { ...today, players, standardError: 0.01 * Math.sqrt(10_000 / players) };
    expect(sequenceInterval(later, options).low).toBeGreaterThan(0);
    const before = {
      ...later,
      players: players - 1,
      standardError: 0.01 * Math.sqrt(10_000 / (players - 1)),
    };
    expect(sequenceInterval(before, options).low).toBeLessThanOrEqual(0);
    expect(playersUntilProven(effect(0.1, 0.01), options)).toBeUndefined();
    expect(playersUntilProven(effect(0.0001, 0.01), options)).toBeUndefined();
  });
});
