import { describe, expect, it } from 'vitest';
import {
  type ArmMetric,
  axisOf,
  changeInWords,
  drawnIntervals,
  formerInWords,
  type MetricReport,
  placeOf,
  runInWords,
} from '../src/lib/experiment.js';

const COMPARISON: NonNullable<ArmMetric['comparison']> = {
  ...{ state: 'higher', difference: 0.02, interval: { low: 0.01, high: 0.03 }, p: 0.01, sentence: '' },
  ...{ relative: 0.5, relativeInterval: { low: 0.2, high: 0.8 } },
  ...{ guardrail: null, plannedEndInterval: null, daysUntilProven: null },
};

function report(metric: MetricReport['metric'], comparison: ArmMetric['comparison']): MetricReport {
  const arm = { players: 100, positive: 30, mean: 1 };
  return {
    ...{ metric, role: 'primary', title: '', capped: null },
    arms: [
      { ...arm, variantId: 'a', comparison: null },
      { ...arm, variantId: 'b', comparison },
    ],
  };
}

const SHARE = { kind: 'share', of: 'converted' } as const;
const SUM = { kind: 'sum', sum: { of: 'sessions' } } as const;

describe('intervals of an experiment', () => {
  it('are points of a share, and relative otherwise', () => {
    expect(drawnIntervals(report(SHARE, COMPARISON))).toEqual([
      { name: 'b', low: 0.01, high: 0.03, value: 0.02 },
    ]);
    expect(drawnIntervals(report(SUM, COMPARISON))).toEqual([{ name: 'b', low: 0.2, high: 0.8, value: 0.5 }]);
  });

  it('are not drawn without a verdict', () => {
    expect(drawnIntervals(report(SHARE, { ...COMPARISON, state: 'too_few', interval: null }))).toEqual([]);
  });

  it('share an axis that has zero and all of them on it', () => {
    const axis = axisOf([{ name: 'b', low: 0.2, high: 0.8, value: 0.5 }]);
    for (const value of [0, 0.2, 0.8]) {
      expect(placeOf(value, axis)).toBeGreaterThan(0);
      expect(placeOf(value, axis)).toBeLessThan(100);
    }
    expect(placeOf(0.2, axis)).toBeLessThan(placeOf(0.8, axis));
  });

  it('are said with a sign', () => {
    expect(changeInWords(0.012, true)).toBe('+1.2 points');
    expect(changeInWords(-0.3, false)).toBe('−30%');
    // As the sentence beside it, which says 13.5 points and 0.042%.
    expect(changeInWords(-0.13527, true)).toBe('−13.5 points');
    expect(changeInWords(0.00042, false)).toBe('+0.042%');
  });
});

describe('a former run', () => {
  it('is told from the one that the published version has', () => {
    const experiment = { seed: '1' };
    expect(formerInWords({ experiment, publishedSeed: null })).toMatch(/^Not in the published version/);
    expect(formerInWords({ experiment, publishedSeed: '2' })).toBe(
      'The run with seed 1: the published version has this experiment with seed 2.',
    );
  });

  it('is listed with its seed, which is the percent of a hold-out', () => {
    expect(runInWords({ experimentId: 'price', seed: '2' })).toBe('price, seed 2');
    expect(runInWords({ experimentId: 'offer:sale', seed: '20' })).toBe('offer:sale, 20% held out');
  });
});
