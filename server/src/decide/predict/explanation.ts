import type { PredictionName } from './artefact.js';
import type { ActivityStatistics, PayerStatistics } from './player-statistics.js';
import type { Prediction } from './score.js';

/** Why the predictions for a player are what they are. */
export type PredictionsExplanation = Readonly<{
  /** The sufficient statistics. */
  activity: ActivityStatistics;
  /** Null for a player who has not bought anything. */
  purchases: PayerStatistics | null;
  /** P(alive) by the model of activity and, for payers, by that of purchases; null where there is no model. */
  aliveByActivity: number | null;
  aliveByPurchases: number | null;
  predictions: Readonly<Record<PredictionName, PredictionExplanation>>;
}>;

export type PredictionExplanation = Prediction &
  Readonly<{
    sentence: string;
    /** Null where no logistic regression is used. */
    regression: Regression | null;
  }>;

/**
 * ln(p / (1−p)) = offset + slope · (intercept + the sum of the contributions), for the probability of one week. `offset` and
 * `slope` are the calibration.
 */
export type Regression = Readonly<{
  intercept: number;
  slope: number;
  offset: number;
  /** The largest first; features that play no part are left out. */
  contributions: readonly Contribution[];
}>;

export type Contribution = Readonly<{
  feature: string;
  label: string;
  /** For people: "9", "4 to 7". */
  told: string;
  coefficient: number;
  /** In standard deviations from the mean of the players that the model was trained with. */
  standardised: number;
  /** coefficient × standardised. */
  logOdds: number;
}>;
