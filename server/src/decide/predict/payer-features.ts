import type { NbdParameters, PurchaseHistory } from './beta-geometric-nbd.js';
import type { BgBbParameters } from './bg-bb.js';
import { FEATURES } from './features.js';
import { logOddsOf } from './logistic.js';
import { mbgNbdAnyPurchase } from './mbg-nbd.js';
import type { ActivityStatistics } from './player-statistics.js';

/**
 * What the regression of payers looks at: the rhythm of their purchases, and all that the other regressions look at. Who has stopped playing
 * does not buy, whatever the rhythm of purchases says.
 */
export type PayerFeature = Readonly<{
  name: string;
  label: string;
  of: (payer: Payer, parameters: PayerParameters) => number;
  tell: (payer: Payer) => string;
}>;

export type Payer = Readonly<{ activity: ActivityStatistics; history: PurchaseHistory }>;
export type PayerParameters = Readonly<{ bgBb: BgBbParameters; mbgNbd: NbdParameters }>;

export const SPEND_HORIZON_DAYS = 7;

export const PAYER_FEATURES: readonly PayerFeature[] = [
  {
    name: 'purchaseLogOdds',
    label: 'the rhythm of purchases',
    of: ({ history }, { mbgNbd }) => logOddsOf(mbgNbdAnyPurchase(mbgNbd, history, SPEND_HORIZON_DAYS)),
    tell: ({ history }) => `${history.x + 1} in ${history.t + 1} days`,
  },
  {
    name: 'purchaseAbsence',
    label: 'days since the last purchase',
    of: ({ history }) => Math.log1p(history.t - history.tx),
    tell: ({ history }) => `${history.t - history.tx}`,
  },
  ...FEATURES.filter(({ name }) => name !== 'isPayer').map(
    ({ name, label, of, tell }): PayerFeature => ({
      name,
      label,
      of: ({ activity }, { bgBb }) => of(activity, bgBb),
      tell: ({ activity }) => tell(activity),
    }),
  ),
];

export function payerFeaturesOf(payer: Payer, parameters: PayerParameters): number[] {
  return PAYER_FEATURES.map(({ of }) => of(payer, parameters));
}
