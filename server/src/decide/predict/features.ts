import { murmurHash3 } from '../../platform/lib/murmur-hash-3.js';
import { type BgBbParameters, bgBbAnyActivity } from './bg-bb.js';
import { logOddsOf } from './logistic.js';
import { type ActivityStatistics, levelText } from './player-statistics.js';

/**
 * What the logistic regressions look at. A model is only valid for the very features that it was trained with, so an artefact
 * carries their hash: a change of a name, of a meaning or of the order needs a new `REVISION` or a new name.
 */
export type Feature = Readonly<{
  name: string;
  /** For people: "days since the last active day". */
  label: string;
  of: (statistics: ActivityStatistics, bgBb: BgBbParameters) => number;
  /** What stands behind the number, for people: "9", "4 to 7". */
  tell: (statistics: ActivityStatistics) => string;
}>;

export const CHURN_HORIZON_DAYS = 7;
/** A longer absence says no more: hardly anybody returns, and the models are trained on players who were here since. */
const MAX_ABSENCE_DAYS = 28;
const REVISION = 1;

export const FEATURES: readonly Feature[] = [
  {
    name: 'returnLogOdds',
    label: 'the rhythm of active days',
    of: (statistics, bgBb) => logOddsOf(bgBbAnyActivity(bgBb, statistics, CHURN_HORIZON_DAYS)),
    tell: ({ n, x }) => `${x} of ${n}`,
  },
  {
    name: 'absence',
    label: 'days since the last active day',
    of: ({ n, tx }) => Math.log1p(Math.min(n - tx, MAX_ABSENCE_DAYS)),
    tell: ({ n, tx }) => `${n - tx}`,
  },
  {
    name: 'age',
    label: 'days since the first day',
    of: ({ n }) => Math.log1p(n),
    tell: ({ n }) => `${n}`,
  },
  {
    name: 'firstWeek',
    label: 'being in the first week',
    of: ({ n }) => (n < 7 ? 1 : 0),
    tell: ({ n }) => (n < 7 ? 'yes' : 'no'),
  },
  {
    name: 'active7',
    label: 'active days of the last 7',
    of: ({ active7 }) => active7,
    tell: ({ active7 }) => `${active7}`,
  },
  {
    name: 'active28',
    label: 'active days of the last 28',
    of: ({ active28 }) => active28,
    tell: ({ active28 }) => `${active28}`,
  },
  {
    name: 'sessions7',
    label: 'sessions of the last 7 days',
    of: ({ sessions7 }) => sessions7,
    tell: ({ sessions7 }) => levelText(sessions7),
  },
  {
    name: 'playMinutes7',
    label: 'minutes played in the last 7 days',
    of: ({ playMinutes7 }) => playMinutes7,
    tell: ({ playMinutes7 }) => levelText(playMinutes7),
  },
  {
    name: 'adImpressions7',
    label: 'ads seen in the last 7 days',
    of: ({ adImpressions7 }) => adImpressions7,
    tell: ({ adImpressions7 }) => levelText(adImpressions7),
  },
  {
    name: 'storeViews7',
    label: 'store visits of the last 7 days',
    of: ({ storeViews7 }) => storeViews7,
    tell: ({ storeViews7 }) => levelText(storeViews7),
  },
  {
    name: 'purchases28',
    label: 'purchases of the last 28 days',
    of: ({ purchases28 }) => purchases28,
    tell: ({ purchases28 }) => levelText(purchases28),
  },
  {
    name: 'isPayer',
    label: 'having bought before',
    of: ({ isPayer }) => (isPayer ? 1 : 0),
    tell: ({ isPayer }) => (isPayer ? 'yes' : 'no'),
  },
];

export const FEATURE_NAMES: readonly string[] = FEATURES.map(({ name }) => name);
export const FEATURES_HASH = hashOf(`${REVISION}:${FEATURE_NAMES.join()}`);

export function featuresOf(statistics: ActivityStatistics, bgBb: BgBbParameters): number[] {
  return FEATURES.map(({ of }) => of(statistics, bgBb));
}

/** The same into an array that is there already: a training has millions of them. */
export function writeFeatures(
  statistics: ActivityStatistics,
  bgBb: BgBbParameters,
  into: Float64Array,
  from: number,
): void {
  for (let at = 0; at < FEATURES.length; at += 1)
    into[from + at] = (FEATURES[at] as Feature).of(statistics, bgBb);
}

/** Whether churn is asked about: whoever is away longer has left, and would only make a model look good. */
export function isPresent({ n, tx }: ActivityStatistics): boolean {
  return n - tx <= MAX_ABSENCE_DAYS;
}

function hashOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return murmurHash3(bytes).toString(16).padStart(8, '0');
}
