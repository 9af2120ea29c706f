import { beforeAll, describe, expect, it } from 'vitest';
import {
  type NbdParameters,
  NEW_CUSTOMER,
  type PurchaseCell,
} from '../../../src/decide/predict/beta-geometric-nbd.js';
import {
  type ActivityCount,
  type BgBbParameters,
  bgBbExpected,
  fitBgBb,
} from '../../../src/decide/predict/bg-bb.js';
import { bgNbdExpected, fitBgNbd } from '../../../src/decide/predict/bg-nbd.js';
import type { Fit } from '../../../src/decide/predict/fit.js';
import { fitGammaGamma } from '../../../src/decide/predict/gamma-gamma.js';
import { fitMbgNbd } from '../../../src/decide/predict/mbg-nbd.js';
import { NEEDS_PUBLISHED_DATA, PUBLISHED_DATA } from '../../support/published-data-folder.js';
import { readCdnow, readCdnowSpending, readDonations } from './published-data.js';

/** The numbers that the authors of the models have published for these data, each with its tolerance. */
describe.skipIf(PUBLISHED_DATA === undefined)(`published numbers${NEEDS_PUBLISHED_DATA}`, () => {
  describe('BG/NBD on CDNOW, 39 weeks', () => {
    let cells: PurchaseCell[];
    let parameters: NbdParameters;
    let logLikelihood: number;
    beforeAll(() => {
      cells = readCdnow('1997-09-30');
      ({ parameters, logLikelihood } = fitted(fitBgNbd(cells)));
    });

    it('has the parameters of the paper', () => {
      expectRelative(parameters.r, 0.2425945, 1e-3);
      expectRelative(parameters.alpha, 4.4136019, 1e-3);
      expectRelative(parameters.a, 0.7929199, 1e-3);
      expectRelative(parameters.b, 2.4258881, 1e-3);
    });

    it('has the log-likelihood of the paper', () => {
      expectWithin(logLikelihood, -9582.429, 0.01);
    });

    it('counts the customers by number of repeat purchases', () => {
      expect(byRepeats(cells, () => 1).map(({ players }) => players)).toEqual([
        1411, 439, 214, 100, 62, 38, 29, 64,
      ]);
    });

    it('expects the purchases of the next 39 weeks by number of repeat purchases', () => {
      const published = [0.22509, 0.52314, 1.04413, 1.52026, 2.16382, 2.65379, 3.50396, 6.15704];
      const expected = byRepeats(cells, (cell) => bgNbdExpected(parameters, cell, 39));
      expect(expected).toHaveLength(published.length);
      for (const [index, { mean }] of expected.entries()) expectWithin(mean, published[index] ?? 0, 5e-4);
    });

    it('expects the purchases of a new customer and of the customer of the worked example', () => {
      expectWithin(bgNbdExpected(parameters, NEW_CUSTOMER, 52), 1.444004, 1e-3);
      expectWithin(bgNbdExpected(parameters, { x: 2, tx: 30.43, t: 38.86 }, 39), 1.226, 1e-3);
    });
  });

  it('MBG/NBD on CDNOW has the published parameters', () => {
    const { parameters } = fitted(fitMbgNbd(readCdnow('1997-09-30')));
    expectWithin(parameters.r, 0.525, 1e-3);
    expectWithin(parameters.alpha, 6.183, 1e-3);
    expectWithin(parameters.a, 0.891, 1e-3);
    expectWithin(parameters.b, 1.614, 1e-3);
  });

  it('Gamma-Gamma on the CDNOW summary has the published parameters and log-likelihood', () => {
    const { parameters, logLikelihood } = fitted(fitGammaGamma(readCdnowSpending()));
    expectWithin(parameters.p, 6.25, 0.01);
    expectWithin(parameters.q, 3.74, 0.01);
    expectWithin(parameters.v, 15.44, 0.01);
    expectWithin(logLikelihood, -4055.918, 0.01);
  });

  describe('BG/BB on donations', () => {
    let cells: ActivityCount[];
    let parameters: BgBbParameters;
    let logLikelihood: number;
    beforeAll(() => {
      cells = readDonations();
      ({ parameters, logLikelihood } = fitted(fitBgBb(cells)));
    });

    it('has the parameters and the log-likelihood of the paper', () => {
      expectWithin(parameters.alpha, 1.204, 2e-3);
      expectWithin(parameters.beta, 0.75, 2e-3);
      expectWithin(parameters.gamma, 0.657, 2e-3);
      expectWithin(parameters.delta, 2.783, 2e-3);
      expectWithin(logLikelihood, -33225.58, 0.1);
    });

    it('expects the donations of the next 5 periods', () => {
      const total = cells.reduce((sum, cell) => sum + cell.players * bgBbExpected(parameters, cell, 5), 0);
      expectWithin(total, 12884.2, 0.5);
    });
  });
});

function fitted<Parameters>(fit: Fit<Parameters>): { parameters: Parameters; logLikelihood: number } {
  if (!fit.fitted) throw new Error(fit.reason);
  return fit;
}

/** Customers with 0 to 6 and with 7 or more repeat purchases: how many, and their mean of something. */
function byRepeats<Cell extends { x: number; players: number }>(
  cells: readonly Cell[],
  of: (cell: Cell) => number,
): { players: number; mean: number }[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((repeats) => {
    const group = cells.filter(({ x }) => Math.min(x, 7) === repeats);
    const players = group.reduce((sum, cell) => sum + cell.players, 0);
    return { players, mean: group.reduce((sum, cell) => sum + cell.players * of(cell), 0) / players };
  });
}

function expectWithin(value: number, published: number, tolerance: number): void {
  expect(Math.abs(value - published), `${value} against ${published}`).toBeLessThanOrEqual(tolerance);
}

function expectRelative(value: number, published: number, tolerance: number): void {
  expectWithin(value, published, tolerance * published);
}
