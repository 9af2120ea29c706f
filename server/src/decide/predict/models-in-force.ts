import { ARTEFACT_FORMAT, type Artefact, type MissingModel } from './artefact.js';
import { FEATURE_NAMES, FEATURES_HASH } from './features.js';
import { ALL_TRUSTED, type DistrustedModels } from './score.js';

/** What the predictions of a game are made with at a moment. */
export type ModelsInForce = Readonly<{
  artefact: Artefact;
  distrusted: DistrustedModels;
  /** Since when, in epoch milliseconds: a store that depends on predictions may have changed then. */
  since: number;
}>;

const MISSING: MissingModel = {
  state: 'cold_start',
  reason: 'less than two weeks of history whose outcome is known',
};
const NO_PURCHASES = { players: 0, purchases: 0, revenue: 0, revenue90: 0 } as const;

/**
 * Nothing has been trained yet: players get the averages that every game begins with. It is what a training without data gives,
 * written down so that who serves predictions need not load the trainer; a test compares the two.
 */
export const UNTRAINED: Artefact = {
  format: ARTEFACT_FORMAT,
  version: 0,
  trainedDay: 0,
  currency: null,
  features: FEATURE_NAMES,
  featuresHash: FEATURES_HASH,
  baseRates: {
    churn: 0.6,
    isQuarterExtrapolated: true,
    payers: { ...NO_PURCHASES, spend: 0.2 },
    nonPayers: { ...NO_PURCHASES, spend: 1 / 51 },
  },
  models: { activity: MISSING, purchases: MISSING, conversion: MISSING },
  scales: { churn: null, spend: null, purchases: null, revenue: null, revenue90: null, payerAlive: null },
};

export const UNTRAINED_MODELS: ModelsInForce = Object.freeze({
  artefact: UNTRAINED,
  distrusted: ALL_TRUSTED,
  since: Number.NEGATIVE_INFINITY,
});
