import {
  fitNbd,
  type NbdParameters,
  nbdAlive,
  nbdExpected,
  type PurchaseCell,
  type PurchaseHistory,
} from './beta-geometric-nbd.js';
import type { Fit } from './fit.js';

/**
 * BG/NBD: Fader, Hardie and Lee, "Counting Your Customers the Easy Way: An Alternative to the Pareto/NBD Model" (Marketing
 * Science 24, 2005). The formulas are in `beta-geometric-nbd.ts`, with k = 0. Everybody who has bought once is alive
 * for certain, so the service predicts with MBG/NBD. This one is the reference: its published numbers are the best known.
 */
export function fitBgNbd(cells: readonly PurchaseCell[]): Fit<NbdParameters> {
  return fitNbd(cells, 0);
}

export function bgNbdAlive(parameters: NbdParameters, history: PurchaseHistory): number {
  return nbdAlive(parameters, history, 0);
}

export function bgNbdExpected(parameters: NbdParameters, history: PurchaseHistory, horizon: number): number {
  return nbdExpected(parameters, history, horizon, 0);
}
