import { describe, expect, it } from 'vitest';
import { type NbdParameters, nbdLikelihood } from '../../../src/decide/predict/beta-geometric-nbd.js';
import { bgBbLikelihood, fitBgBb } from '../../../src/decide/predict/bg-bb.js';
import type { Fit } from '../../../src/decide/predict/fit.js';
import { fitGammaGamma, gammaGammaLikelihood } from '../../../src/decide/predict/gamma-gamma.js';
import { fitMbgNbd, mbgNbdAlive, mbgNbdExpected } from '../../../src/decide/predict/mbg-nbd.js';
import {
  drawActivity,
  drawDaysOfPurchase,
  drawPurchaseDays,
  drawPurchases,
  drawSpending,
  seeded,
  toCells,
} from './simulate.js';
import { standardErrors } from './standard-errors.js';

/** Players are simulated from known parameters; a fit must find these again, as far as so many players can tell. */
describe('parameters that players were simulated with are found again', () => {
  it('by BG/BB', () => {
    const truth = { alpha: 1.1, beta: 2.4, gamma: 0.6, delta: 9 };
    const random = seeded(11);
    const cells = toCells(
      Array.from({ length: 20_000 }, () => drawActivity(random, truth, 10 * (1 + Math.floor(random() * 3)))),
    );
    const likelihood = bgBbLikelihood(cells);
    const errors = standardErrors((values) => likelihood(values).value, Object.values(truth));
    expectFound(fitBgBb(cells), truth, errors);
  });

  it('by MBG/NBD, with the share of players that are alive', () => {
    const truth = { r: 0.7, alpha: 12, a: 0.9, b: 2.2 };
    const random = seeded(12);
    const players = Array.from({ length: 6_000 }, () => {
      const { x, tx, t, isAlive } = drawPurchases(random, truth, 60 * (1 + Math.floor(random() * 3)));
      // As the service sees them: in whole days. Several purchases of a day are one here, rarely enough.
      return { x, tx: Math.min(t, Math.round(tx)), t, isAlive };
    });
    const cells = toCells(players.map(({ x, tx, t }) => ({ x, tx, t })));
    const likelihood = nbdLikelihood(cells, 1);
    const errors = standardErrors((values) => likelihood(values).value, Object.values(truth));
    expectFound(fitMbgNbd(cells), truth, errors);
    const alive = players.filter(({ isAlive }) => isAlive).length;
    const expected = players.reduce((sum, player) => sum + mbgNbdAlive(truth, player), 0);
    expect(Math.abs(expected / alive - 1)).toBeLessThan(0.03);
  });

  it('by MBG/NBD, of slow buyers who are watched for long enough, in whole days', () => {
    const truth = { r: 0.9, alpha: 200, a: 0.8, b: 2.5 };
    const random = seeded(15);
    const cells = toCells(
      Array.from({ length: 20_000 }, () =>
        drawDaysOfPurchase(random, truth, 200 * (1 + Math.floor(random() * 3))),
      ),
    );
    const likelihood = nbdLikelihood(cells, 1);
    const errors = standardErrors((values) => likelihood(values).value, Object.values(truth));
    expectFound(fitMbgNbd(cells), truth, errors);
  });

  it('by MBG/NBD, of slow buyers who are watched for some weeks, where several purchases of one day are one', () => {
    const truth = { r: 0.9, alpha: 200, a: 0.8, b: 2.5 };
    const random = seeded(14);
    const cells = toCells(
      Array.from({ length: 20_000 }, () =>
        drawPurchaseDays(random, truth, 60 * (1 + Math.floor(random() * 3))),
      ),
    );
    const fit = fitMbgNbd(cells);
    if (!fit.fitted) throw new Error(fit.reason);
    // Most of them buy once or twice while they are watched, so that quite different a and b explain it equally well, and their
    // standard errors say little. All four together must explain it about as well as the true ones.
    const likelihood = nbdLikelihood(cells, 1);
    const logLikelihood = ({ r, alpha, a, b }: NbdParameters) => likelihood([r, alpha, a, b]).value;
    const gain = 2 * (logLikelihood(fit.parameters) - logLikelihood(truth));
    expect(gain).toBeGreaterThanOrEqual(0);
    expect(gain).toBeLessThan(CHI_SQUARE_4);
    // What predictions are made of: it is told by the data, however uncertain each parameter is.
    const expected = (parameters: NbdParameters) =>
      cells.reduce((sum, cell) => sum + cell.players * mbgNbdExpected(parameters, cell, 28), 0);
    expect(expected(fit.parameters) / expected(truth)).toBeCloseTo(1, 1);
    for (const wrong of [
      { ...fit.parameters, alpha: 1.25 * fit.parameters.alpha },
      { ...fit.parameters, r: 0.8 * fit.parameters.r },
    ]) {
      const loss = 2 * (logLikelihood(fit.parameters) - logLikelihood(wrong));
      expect(loss, 'so many players tell them apart').toBeGreaterThan(CHI_SQUARE_4);
    }
  });

  it('by Gamma-Gamma', () => {
    const truth = { p: 4, q: 3.5, v: 12 };
    const random = seeded(13);
    const cells = Array.from({ length: 3_000 }, () => ({
      ...drawSpending(random, truth, 1 + Math.floor(random() * 8)),
      players: 1,
    }));
    const likelihood = gammaGammaLikelihood(cells);
    const errors = standardErrors((values) => likelihood(values).value, Object.values(truth));
    expectFound(fitGammaGamma(cells), truth, errors);
  });
});

/** What twice the difference of log-likelihoods exceeds by chance in one of a thousand cases, with four parameters. */
const CHI_SQUARE_4 = 18.47;

/** No further off than two and a half standard errors. */
function expectFound<Parameters extends Record<string, number>>(
  fit: Fit<Parameters>,
  truth: Parameters,
  errors: readonly number[],
): void {
  if (!fit.fitted) throw new Error(fit.reason);
  for (const [index, [name, value]] of Object.entries(truth).entries()) {
    const error = errors[index] ?? 0;
    const distance = Math.abs(Math.log((fit.parameters[name] ?? 0) / value));
    expect(error, `the standard error of ${name}`).toBeGreaterThan(0);
    expect(error, `the standard error of ${name}`).toBeLessThan(0.3);
    expect(distance / error, `${name} is ${fit.parameters[name]}, not ${value}`).toBeLessThan(2.5);
  }
}
