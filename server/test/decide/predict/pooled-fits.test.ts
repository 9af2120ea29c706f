import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitBgBb } from '../../../src/decide/predict/bg-bb.js';
import { FEATURES } from '../../../src/decide/predict/features.js';
import { gainOver, meanGain } from '../../../src/decide/predict/log-loss-gain.js';
import {
  fitLogistic,
  fitPooledLogistic,
  type LogisticModel,
  type LogisticPrior,
  logisticLogOdds,
  probabilityOf,
  tableOf,
} from '../../../src/decide/predict/logistic.js';
import { fitMbgNbd } from '../../../src/decide/predict/mbg-nbd.js';
import { sourceOf, sourceText } from '../../../src/decide/predict/model-source.js';
import { PAYER_FEATURES } from '../../../src/decide/predict/payer-features.js';
import { SHIPPED_PRIOR } from '../../../src/decide/predict/shipped-prior.gen.js';
import { drawActivity, seeded, toCells } from './simulate.js';

const TRUTH: LogisticModel = { intercept: -1, coefficients: [1.5], means: [0], deviations: [1] };
const PRIOR: LogisticPrior = {
  model: { intercept: 0, coefficients: [-0.5], means: [0], deviations: [1] },
  ridge: 10,
  interceptRidge: 1,
};

/** Exactly what is probable happens to so many players. */
function expectedCells(players: number) {
  return [-1, 0, 1].map((feature) => ({
    features: [feature],
    players: players / 3,
    positives: (players / 3) * probabilityOf(logisticLogOdds(TRUTH, [feature])),
  }));
}

describe('a regression that is drawn to a prior', () => {
  it('is the prior without players, and what the players do with many', () => {
    expect(fitPooledLogistic(tableOf([]), PRIOR)).toEqual({ model: PRIOR.model, ownShare: 0 });
    const { model, ownShare } = fitPooledLogistic(tableOf(expectedCells(1e7)), PRIOR);
    expect(ownShare).toBeGreaterThan(0.999);
    for (const feature of [-1, 0, 1]) {
      expect(logisticLogOdds(model, [feature])).toBeCloseTo(logisticLogOdds(TRUTH, [feature]), 3);
    }
  });

  it('lies between the two, nearer to the players the more there are', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e5, noNaN: true }), (players) => {
        const slopeOf = (count: number) => {
          const { model, ownShare } = fitPooledLogistic(tableOf(expectedCells(count)), PRIOR);
          return { slope: logisticLogOdds(model, [1]) - logisticLogOdds(model, [0]), ownShare };
        };
        const [few, more] = [slopeOf(players), slopeOf(2 * players)];
        expect(few.slope).toBeGreaterThan(-0.5);
        expect(few.slope).toBeLessThan(1.5);
        expect(more.slope).toBeGreaterThan(few.slope);
        expect(more.ownShare).toBeGreaterThan(few.ownShare);
      }),
    );
  });

  it('is the same wherever the search begins', () => {
    const table = tableOf(expectedCells(500));
    const start = { intercept: 3, coefficients: [-4], means: [2], deviations: [0.1] };
    const [one, other] = [fitPooledLogistic(table, PRIOR), fitPooledLogistic(table, PRIOR, start)];
    expect(other.model.intercept).toBeCloseTo(one.model.intercept, 6);
    expect(other.model.coefficients[0]).toBeCloseTo(one.model.coefficients[0] ?? Number.NaN, 6);
  });

  it('keeps what the prior knows of a feature that does not vary yet', () => {
    const cells = [{ features: [2], players: 200, positives: 40 }];
    const { model } = fitPooledLogistic(tableOf(cells), PRIOR);
    expect(logisticLogOdds(model, [3]) - logisticLogOdds(model, [2])).toBeCloseTo(-0.5, 9);
  });

  it('exists where all players had the same outcome', () => {
    const cells = expectedCells(300).map((cell) => ({ ...cell, positives: 0 }));
    expect(fitLogistic(cells)).toBeUndefined();
    const { model } = fitPooledLogistic(tableOf(cells), PRIOR);
    expect(probabilityOf(logisticLogOdds(model, [0]))).toBeLessThan(0.05);
    expect(Number.isFinite(model.intercept)).toBe(true);
  });
});

describe('positive parameters with a prior', () => {
  it('are the medians of the prior without players', () => {
    const { bgBb, mbgNbd } = SHIPPED_PRIOR;
    for (const [fit, { medians }] of [
      [fitBgBb([], undefined, bgBb), bgBb],
      [fitMbgNbd([], undefined, mbgNbd), mbgNbd],
    ] as const) {
      const values = fit.fitted ? Object.values(fit.parameters) : [];
      expect(values.map((value, at) => value / (medians[at] ?? 0))).toEqual(
        medians.map(() => expect.closeTo(1, 4)),
      );
    }
  });

  it('are nearer to those of the players the more there are', () => {
    const random = seeded(5);
    const truth = { alpha: 0.8, beta: 3, gamma: 0.3, delta: 6 };
    const histories = Array.from({ length: 20_000 }, () => drawActivity(random, truth, 30));
    const distance = (players: number) => {
      const fit = fitBgBb(toCells(histories.slice(0, players)), undefined, SHIPPED_PRIOR.bgBb);
      return fit.fitted ? Math.abs(Math.log(fit.parameters.beta / truth.beta)) : Number.NaN;
    };
    expect(distance(20_000)).toBeLessThan(0.1);
    expect(distance(30)).toBeGreaterThan(distance(20_000));
    expect(distance(30)).toBeLessThan(Math.abs(Math.log((SHIPPED_PRIOR.bgBb.medians[1] ?? 0) / truth.beta)));
  });
});

describe('the gain over the average', () => {
  it('is the mean difference of log-losses, with its standard error', () => {
    const cells = [
      { predicted: 0.8, players: 2, positives: 2 },
      { predicted: 0.2, players: 2, positives: 1 },
    ];
    const gains = [Math.log(1.6), Math.log(1.6), Math.log(0.4), Math.log(1.6)];
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / 4;
    const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / 4;
    const found = meanGain(gainOver(0.5, cells));
    expect(found.mean).toBeCloseTo(mean, 12);
    expect(found.error).toBeCloseTo(Math.sqrt(variance / 3), 12);
  });

  it('is nothing where the model says the average, and finite where it is certain', () => {
    expect(meanGain(gainOver(0.3, [{ predicted: 0.3, players: 50, positives: 20 }]))).toEqual({
      mean: expect.closeTo(0, 12),
      error: expect.closeTo(0, 6),
    });
    expect(meanGain(gainOver(0.3, [{ predicted: 0, players: 50, positives: 1 }])).mean).toBeLessThan(0);
  });
});

describe('the shipped prior', () => {
  it('has a coefficient for each feature', () => {
    const { churn, conversion, spend } = SHIPPED_PRIOR;
    for (const { coefficients, means, deviations } of [churn, conversion]) {
      for (const list of [coefficients, means, deviations]) expect(list).toHaveLength(FEATURES.length);
    }
    for (const list of [spend.coefficients, spend.means, spend.deviations]) {
      expect(list).toHaveLength(PAYER_FEATURES.length);
    }
  });

  it('is named as the source of a model until the players decide', () => {
    expect(sourceText(sourceOf(false, 0))).toBe('other games, adjusted to the rates of this one');
    expect(sourceText(sourceOf(true, 0.42))).toBe('other games and this one, whose players decide 42%');
    expect(sourceText(sourceOf(true, 0.95))).toBe('the players of this game');
  });
});
