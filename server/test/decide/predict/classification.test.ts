import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrate, countFactor, fitPlatt, UNCALIBRATED } from '../../../src/decide/predict/calibration.js';
import {
  contribution,
  fitLogistic,
  type LabelledCell,
  logisticLogOdds,
  logOddsOf,
  probabilityOf,
} from '../../../src/decide/predict/logistic.js';
import { measureProbabilities } from '../../../src/decide/predict/metrics.js';
import { seeded } from './simulate.js';

describe('logistic regression', () => {
  const truth = { intercept: -1, slopes: [0.8, -0.5, 0] };
  const random = seeded(21);
  const cells: LabelledCell[] = Array.from({ length: 4_000 }, () => {
    const features = [Math.floor(random() * 8), random() < 0.3 ? 1 : 0, Math.floor(random() * 5), 7];
    const odds = truth.slopes.reduce((sum, slope, at) => sum + slope * (features[at] ?? 0), truth.intercept);
    const positives = Array.from({ length: 10 }, () => random() < probabilityOf(odds)).filter(Boolean).length;
    return { features, players: 10, positives };
  });
  const model = fitLogistic(cells);
  if (model === undefined) throw new Error('there is a model');

  it('finds the coefficients that the labels were drawn with', () => {
    const slopes = truth.slopes.map((_, at) => (model.coefficients[at] ?? 0) / (model.deviations[at] ?? 1));
    for (const [at, slope] of truth.slopes.entries())
      expect(Math.abs((slopes[at] ?? 0) - slope)).toBeLessThan(0.06);
    expect(Math.abs(logisticLogOdds(model, [0, 0, 0, 7]) - truth.intercept)).toBeLessThan(0.1);
  });

  it('leaves out a feature without variance', () => {
    expect(model.coefficients[3]).toBe(0);
    expect(contribution(model, [1, 1, 1, 1e9], 3)).toBe(0);
  });

  it('predicts as many positives as there were', () => {
    const predicted = cells.reduce(
      (sum, cell) => sum + cell.players * probabilityOf(logisticLogOdds(model, cell.features)),
      0,
    );
    expect(predicted / cells.reduce((sum, cell) => sum + cell.positives, 0)).toBeCloseTo(1, 6);
  });

  it('is the sum of its intercept and the contributions', () => {
    const features = [3, 1, 4, 7];
    const sum = features.reduce((total, _, at) => total + contribution(model, features, at), model.intercept);
    expect(sum).toBeCloseTo(logisticLogOdds(model, features), 12);
  });

  it('does not depend on how players are grouped', () => {
    const split = cells
      .slice(0, 200)
      .flatMap(({ features, players, positives }) => [
        ...Array.from({ length: positives }, () => ({ features, players: 1, positives: 1 })),
        ...Array.from({ length: players - positives }, () => ({ features, players: 1, positives: 0 })),
      ]);
    const grouped = fitLogistic(cells.slice(0, 200));
    for (const [at, coefficient] of fitLogistic(split)?.coefficients.entries() ?? []) {
      expect(coefficient).toBeCloseTo(grouped?.coefficients[at] ?? Number.NaN, 7);
    }
  });

  it('stays finite where a feature tells the label for certain', () => {
    const certain = fitLogistic([
      { features: [0], players: 500, positives: 0 },
      { features: [1], players: 500, positives: 500 },
    ]);
    expect(Number.isFinite(certain?.coefficients[0])).toBe(true);
    expect(certain?.coefficients[0]).toBeGreaterThan(1);
  });

  it('does not exist without a positive, a negative or a player', () => {
    expect(fitLogistic([])).toBeUndefined();
    expect(fitLogistic([{ features: [1], players: 9, positives: 0 }])).toBeUndefined();
    expect(fitLogistic([{ features: [1], players: 9, positives: 9 }])).toBeUndefined();
  });
});

describe('calibration', () => {
  it('corrects probabilities that were bent', () => {
    const cells = [0.1, 0.25, 0.4, 0.55, 0.7, 0.85].map((p) => ({
      predicted: probabilityOf((logOddsOf(p) - 0.7) / 1.6),
      players: 1e6,
      positives: 1e6 * p,
    }));
    const platt = fitPlatt(cells);
    for (const { predicted, players, positives } of cells) {
      expect(calibrate(platt, predicted)).toBeCloseTo(positives / players, 4);
    }
  });

  it('moves one probability for all to the rate that was observed', () => {
    const platt = fitPlatt([{ predicted: 0.5, players: 100_000, positives: 10_000 }]);
    expect(calibrate(platt, 0.5)).toBeCloseTo(0.1, 3);
  });

  it('keeps the order, and does nothing without players', () => {
    const turned = [
      { predicted: 0.2, players: 1000, positives: 800 },
      { predicted: 0.8, players: 1000, positives: 200 },
    ];
    expect(fitPlatt(turned)).toEqual(UNCALIBRATED);
    expect(fitPlatt([])).toEqual(UNCALIBRATED);
  });

  it('believes a week of few outcomes a little, and keeps the slope where there is only one probability', () => {
    const { slope, offset } = fitPlatt([{ predicted: 0.02, players: 250, positives: 1 }]);
    expect(slope).toBeCloseTo(1, 9);
    // The week alone says ln(0.004 / 0.02) ≈ −1.6.
    expect(offset).toBeLessThan(-0.1);
    expect(offset).toBeGreaterThan(-0.5);
    const never = fitPlatt([{ predicted: 0.02, players: 250, positives: 0 }]);
    expect(never.offset).toBeLessThan(offset);
    expect(never.offset).toBeGreaterThan(-1);
  });

  it('gives a probability for every probability', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.record({
          slope: fc.double({ min: 0, max: 10, noNaN: true }),
          offset: fc.double({ min: -20, max: 20, noNaN: true }),
        }),
        (p, platt) => {
          const calibrated = calibrate(platt, p);
          expect(calibrated >= 0 && calibrated <= 1).toBe(true);
        },
      ),
    );
  });

  it('believes counts between half and double', () => {
    expect([countFactor(110, 100), countFactor(900, 100), countFactor(0, 100), countFactor(5, 0)]).toEqual([
      1.1, 2, 0.5, 1,
    ]);
  });
});

describe('metrics', () => {
  it('are those of a worked example', () => {
    const metrics = measureProbabilities([
      { predicted: 0.2, players: 4, positives: 1 },
      { predicted: 0.8, players: 4, positives: 3 },
    ]);
    expect(metrics).toMatchObject({ players: 8, baseRate: 0.5 });
    // Of 16 pairs, 9 are in order, 6 are ties and 1 is not in order.
    expect(metrics?.auc).toBeCloseTo((9 + 3) / 16, 12);
    expect(metrics?.brierSkill).toBeCloseTo(1 - (6 * 0.04 + 2 * 0.64) / 8 / 0.25, 12);
    expect(metrics?.ece).toBeCloseTo(0.05, 12);
    expect(metrics?.logLoss).toBeCloseTo(-(6 * Math.log(0.8) + 2 * Math.log(0.2)) / 8, 12);
    expect(metrics?.totalRatio).toBeCloseTo(1, 12);
  });

  it('find nothing wrong with true probabilities beyond chance, and with wrong ones more', () => {
    const random = seeded(22);
    const players = Array.from({ length: 20_000 }, () => {
      const p = random();
      return { predicted: p, players: 1, positives: random() < p ? 1 : 0 };
    });
    const honest = measureProbabilities(players);
    expect(honest?.ece).toBeLessThan(2 * (honest?.eceOfChance ?? 0));
    expect(honest?.eceOfChance).toBeLessThan(0.01);
    const bold = measureProbabilities(
      players.map((cell) => ({ ...cell, predicted: calibrate({ slope: 3, offset: 0 }, cell.predicted) })),
    );
    expect(bold?.ece).toBeGreaterThan(0.05);
    expect(bold?.auc).toBeCloseTo(honest?.auc ?? 0, 6);
    expect(bold?.logLoss).toBeGreaterThan(honest?.logLoss ?? 1);
  });

  it('have no AUC and no skill where all players had the same outcome, and nothing without players', () => {
    const metrics = measureProbabilities([{ predicted: 0, players: 10, positives: 0 }]);
    expect(metrics).toMatchObject({ auc: null, brierSkill: null, totalRatio: null, ece: 0 });
    expect(Number.isFinite(metrics?.logLoss)).toBe(true);
    expect(measureProbabilities([])).toBeUndefined();
  });

  it('stay between 0 and 1 for a single player', () => {
    const metrics = measureProbabilities([{ predicted: 0.5, players: 1, positives: 1 }]);
    expect(metrics).toMatchObject({ ece: 0.5, eceOfChance: 1 });
  });

  it('do not depend on how players are grouped', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            predicted: fc.constantFrom(0.1, 0.3, 0.5, 0.9),
            positives: fc.nat(1),
            players: fc.constant(1),
          }),
          { minLength: 1, maxLength: 60 },
        ),
        (players) => {
          const cells = [0.1, 0.3, 0.5, 0.9].map((predicted) => {
            const group = players.filter((player) => player.predicted === predicted);
            return {
              predicted,
              players: group.length,
              positives: group.filter(({ positives }) => positives).length,
            };
          });
          const [alone, grouped] = [measureProbabilities(players), measureProbabilities(cells)];
          expect(alone?.auc ?? 0).toBeCloseTo(grouped?.auc ?? 0, 10);
          expect(alone?.logLoss).toBeCloseTo(grouped?.logLoss ?? 0, 10);
          expect(alone?.brierSkill ?? 0).toBeCloseTo(grouped?.brierSkill ?? 0, 10);
        },
      ),
    );
  });
});
