import {
  fitNbd,
  type NbdParameters,
  nbdAlive,
  nbdAnyPurchase,
  nbdExpected,
  type PurchaseCell,
  type PurchaseHistory,
} from './beta-geometric-nbd.js';
import type { Fit, LogNormalPrior } from './fit.js';

/**
 * MBG/NBD: Batislam, Denizel and Filiztekin, "Empirical validation and comparison of models for customer base analysis"
 * (International Journal of Research in Marketing 24, 2007). The formulas are in `beta-geometric-nbd.ts`, with k = 1: a
 * player may leave right after the first purchase, so P(alive) of a one-time buyer falls as time goes by.
 */
export function fitMbgNbd(
  cells: readonly PurchaseCell[],
  start?: NbdParameters,
  prior?: LogNormalPrior,
): Fit<NbdParameters> {
  return fitNbd(cells, 1, start, prior);
}

export function mbgNbdAlive(parameters: NbdParameters, history: PurchaseHistory): number {
  return nbdAlive(parameters, history, 1);
}

export function mbgNbdExpected(parameters: NbdParameters, history: PurchaseHistory, horizon: number): number {
  return nbdExpected(parameters, history, horizon, 1);
}

export function mbgNbdAnyPurchase(
  parameters: NbdParameters,
  history: PurchaseHistory,
  horizon: number,
): number {
  return nbdAnyPurchase(parameters, history, horizon, 1);
}
