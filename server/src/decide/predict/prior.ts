import type { LogNormalPrior } from './fit.js';
import type { LogisticModel, LogisticPrior } from './logistic.js';

/**
 * What is known of games before their own players: a model that ships with the product (`scripts/make-prior.mjs`). A game without players is
 * predicted by it alone, and a game with many by its own players alone. In between, the two are weighed by how much the game's players say.
 */
export type ShippedPrior = Readonly<{
  bgBb: LogNormalPrior;
  mbgNbd: LogNormalPrior;
  /** Of amounts around 1. */
  gammaGamma: LogNormalPrior;
  churn: LogisticModel;
  conversion: LogisticModel;
  /** Of payers. */
  spend: LogisticModel;
}>;

/** Tried on games of 300 to 10,000 simulated players (docs/predictions.md); other values were not compared. */
const RIDGE = 10;
/** How often players leave or buy differs from game to game by more than what it depends on. */
const INTERCEPT_RIDGE = 1;

export function regressionPrior(model: LogisticModel): LogisticPrior {
  return { model, ridge: RIDGE, interceptRidge: INTERCEPT_RIDGE };
}
