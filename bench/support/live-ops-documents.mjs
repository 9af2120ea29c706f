// What live operations add to a document: values, scheduled offers, experiments.
import { makeDocument } from './config-document.mjs';

const NO_DATES = { firstDate: null, lastDate: null, except: [] };
const SCHEDULES = [
  { days: { every: 'day' }, from: '18:00', to: '20:00', zone: 'player', ...NO_DATES },
  {
    days: { every: 'week', weekdays: [6, 7] },
    from: '00:00',
    lengthMinutes: 1440,
    zone: 'studio',
    ...NO_DATES,
  },
  { days: { every: 'month', day: 'last' }, from: '12:00', to: '12:00', zone: 'Europe/Berlin', ...NO_DATES },
  { days: { every: 'day' }, from: '06:00', lengthMinutes: 1200, zone: 'America/New_York', ...NO_DATES },
];
const VALUE_RULES = ['flags.isPayer', 'segment("segment_0")', 'country == "DE"', 'sessions.last7d >= 3'];

const value = (n, rules) => ({
  key: `value_${n}`,
  type: 'integer',
  defaultValue: n,
  description: '',
  visibleTo: 'clients',
  rules,
});
const valuesOf = (count, rulesOf) => Array.from({ length: count }, (_, n) => value(n, rulesOf(n)));

const experiment = (n, seed) => ({
  experimentId: `experiment_${n}`,
  name: `Experiment ${n}`,
  hypothesis: '',
  when: null,
  coveragePercent: 100,
  seed,
  variants: ['a', 'b'].map((variantId) => ({ variantId, name: variantId, weight: 1 })),
  metrics: { primary: { kind: 'share', of: 'converted' }, secondary: [], guardrails: [] },
  plan: null,
  state: 'running',
});

const PLAIN = makeDocument({ segments: 8, offers: 0 });

/** The same game without and with each of them. */
export const DOCUMENTS = {
  plain: PLAIN,
  liveOps: {
    ...PLAIN,
    values: valuesOf(50, (n) => [
      { when: VALUE_RULES[n % VALUE_RULES.length], sharePercent: 100, value: n + 1 },
    ]),
    offers: makeDocument({ segments: 8, offers: 50 }).offers.map((offer, n) => ({
      ...offer,
      schedule: SCHEDULES[n % SCHEDULES.length],
    })),
  },
  tenValues: { ...PLAIN, values: valuesOf(10, (n) => [{ when: null, sharePercent: 50, value: n + 1 }]) },
  tenExperiments: withExperiments(10, 'seed'),
};

/** A value for each experiment, by whose arm it is decided. */
export function withExperiments(count, seed) {
  return {
    ...PLAIN,
    values: valuesOf(count, (n) => [
      { when: `experiment("experiment_${n}") == "b"`, sharePercent: 100, value: n + 1 },
    ]),
    experiments: Array.from({ length: count }, (_, n) => experiment(n, seed)),
  };
}

/** A segment that every player with a score enters: with a stay that is recorded, and without. */
export function withSegment(segmentId, isRecorded) {
  const segment = { segmentId, name: segmentId, visibleToClients: true, priority: 0 };
  const churn = 'predictions.churn';
  return {
    ...PLAIN,
    segments: [
      isRecorded
        ? {
            ...segment,
            rule: 'true',
            thresholds: { prediction: 'churn', enterAbove: 0.0002, leaveBelow: 0.0001 },
          }
        : { ...segment, rule: `${churn}.state == "ready" && ${churn}.value > 0.0002` },
    ],
  };
}
