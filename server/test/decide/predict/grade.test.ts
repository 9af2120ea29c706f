import { describe, expect, it } from 'vitest';
import { healthAfter } from '../../../src/decide/predict/grade.js';
import { measureProbabilities, type ProbabilityMetrics } from '../../../src/decide/predict/metrics.js';

/** A model that says `predicted` of all, of whom it comes true for `observed`. */
function metrics(players: number, predicted: number, observed: number): ProbabilityMetrics {
  const found = measureProbabilities([{ predicted, players, positives: Math.round(players * observed) }]);
  if (found === undefined) throw new Error('there is nobody');
  return found;
}

describe('the health of a model', () => {
  it('stays green while a week is a little unlike the one before', () => {
    expect(healthAfter('green', metrics(10_000, 0.5, 0.548))).toBe('green');
    expect(healthAfter('green', metrics(10_000, 0.02, 0.026))).toBe('green');
  });

  it('turns red where rates are off, or totals of rare outcomes', () => {
    expect(healthAfter('green', metrics(10_000, 0.5, 0.57))).toBe('red');
    expect(healthAfter('green', metrics(10_000, 0.02, 0.04))).toBe('red');
    expect(healthAfter('green', metrics(10_000, 0.02, 0.01))).toBe('red');
  });

  it('turns red where nothing happens of what was predicted, or all of it', () => {
    expect(healthAfter('green', metrics(10_000, 0.02, 0))).toBe('red');
    expect(healthAfter('green', metrics(1_000, 0.2, 1))).toBe('red');
  });

  it('does not take chance for a reason', () => {
    expect(healthAfter('green', metrics(40, 0.5, 0.6))).toBe('green');
    expect(healthAfter('green', metrics(200, 0.02, 0))).toBe('green');
  });

  it('does not take one buyer for a reason where one is expected in 20 weeks', () => {
    for (const players of [1, 4, 10, 28, 300]) {
      const predicted = 0.05 / players;
      const buyers = (positives: number) => {
        const found = measureProbabilities([
          { predicted, players: players - positives, positives: 0 },
          { predicted, players: positives, positives },
        ]);
        if (found === undefined) throw new Error('there is nobody');
        return healthAfter('green', found);
      };
      expect(buyers(1), `one of ${players}`).toBe('green');
      // Expected in one of 50,000 weeks.
      if (players >= 10) expect(buyers(3), `three of ${players}`).toBe('red');
    }
  });

  it('turns green again only when it is clearly better, so that it does not flicker', () => {
    expect(healthAfter('red', metrics(10_000, 0.5, 0.548))).toBe('red');
    expect(healthAfter('red', metrics(10_000, 0.5, 0.51))).toBe('green');
    expect(healthAfter('red', metrics(10_000, 0.02, 0.028))).toBe('red');
    expect(healthAfter('red', metrics(10_000, 0.02, 0.021))).toBe('green');
  });
});

describe('the health of a model beside the average', () => {
  /** Half of the players return for certain as the model says it, or the other way round; the rate is that of all. */
  function split(players: number, low: number, high: number, observedLow: number, observedHigh: number) {
    const half = players / 2;
    const found = measureProbabilities([
      { predicted: low, players: half, positives: Math.round(half * observedLow) },
      { predicted: high, players: half, positives: Math.round(half * observedHigh) },
    ]);
    if (found === undefined) throw new Error('there is nobody');
    return found;
  }
  const right = split(300, 0.45, 0.55, 0.45, 0.55);
  /** The rates of the tenths are off by less than 5 points more than chance explains, and the total is right. */
  const turned = split(300, 0.4, 0.6, 0.54, 0.46);

  it('turns red where the average of the week before was certainly the better guess', () => {
    expect(turned.ece - turned.eceOfChance).toBeGreaterThan(0.05);
    expect(healthAfter('green', turned, right)).toBe('red');
    expect(healthAfter('green', right, turned)).toBe('green');
  });

  it('does not turn red because the average has changed', () => {
    expect(healthAfter('green', split(10_000, 0.3, 0.7, 0.34, 0.74), split(10_000, 0.3, 0.7, 0.3, 0.7))).toBe(
      'green',
    );
  });

  it('turns green again only where the model was nearer in both of the newest weeks', () => {
    expect(healthAfter('red', right, right)).toBe('green');
    expect(healthAfter('red', right, turned)).toBe('red');
    expect(healthAfter('red', split(300, 0.45, 0.55, 0.5, 0.5), right)).toBe('red');
  });
});
