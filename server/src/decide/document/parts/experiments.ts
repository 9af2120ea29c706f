import { type Static, Type } from 'typebox';
import { isCurrency } from '../../../platform/lib/currencies.js';
import { listPart, type Problems } from '../document-part.js';
import { currencyProblem, PATTERNS } from '../document-patterns.js';
import { nullable, Rule, SharePercent, strict, text } from '../member-schemas.js';
import { type MetricEntry, Metrics, type MetricsEntry, metricKey } from './experiment-metrics.js';

const VariantId = Type.String({ pattern: PATTERNS.variantId });

const Variant = Type.Object(
  {
    variantId: VariantId,
    name: text(200),
    /** Its part of the sum of all weights is its share of the players. */
    weight: Type.Integer({ minimum: 1, maximum: 10_000 }),
  },
  strict,
);

/**
 * Experiments of one layer never share a player: each has a slot of the layer's buckets. All that run in a layer have the same seed.
 */
const Layer = Type.Object(
  {
    layerId: Type.String({ pattern: PATTERNS.layerId }),
    /** From the first up to, and without, the second. */
    fromPercent: SharePercent,
    toPercent: SharePercent,
  },
  strict,
);

const Plan = Type.Object(
  {
    /** The smallest change of the primary metric worth having: relative to the control, or in points of a share. */
    smallestEffect: Type.Union([
      Type.Object({ percent: Type.Number({ exclusiveMinimum: 0, maximum: 1000 }) }, strict),
      Type.Object({ points: Type.Number({ exclusiveMinimum: 0, maximum: 100 }) }, strict),
    ]),
    /** In all arms together. */
    players: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    days: Type.Integer({ minimum: 1, maximum: 730 }),
  },
  strict,
);

const Experiment = Type.Object(
  {
    experimentId: Type.String({ pattern: PATTERNS.experimentId }),
    name: text(200),
    hypothesis: Type.String({ maxLength: 2000 }),
    /** Who may enter; null: everybody. Asked until the first exposure. It cannot read experiments. */
    when: nullable(Rule),
    /** The share of each arm that may enter. Raising it moves nobody. */
    coveragePercent: SharePercent,
    layer: Type.Optional(Layer),
    /** Another one draws all players anew. */
    seed: Type.String({ pattern: PATTERNS.experimentSeed }),
    /** Players count from the first event of this type after their exposure. Left out: from the exposure. */
    activation: Type.Optional(Type.Object({ eventType: text(128) }, strict)),
    /** The first one is the control. */
    variants: Type.Array(Variant, { minItems: 2, maxItems: 10 }),
    metrics: Metrics,
    /** Null: not planned. */
    plan: nullable(Plan),
    state: Type.Union([
      Type.Literal('planned'),
      Type.Literal('running'),
      Type.Literal('stopped'),
      Type.Literal('decided'),
    ]),
    /** The variant that everybody of `when` gets, once it is decided. */
    winner: Type.Optional(VariantId),
  },
  strict,
);

export type ExperimentEntry = Static<typeof Experiment>;
export type ExperimentState = ExperimentEntry['state'];

export const EXPERIMENTS = listPart({
  name: 'experiments',
  path: 'experiments',
  noun: 'experiment',
  title: 'Experiments',
  idMember: 'experimentId',
  limit: 100,
  entry: Experiment,
  rulesOf: ({ when }) => (when === null ? [] : [{ member: 'when', expression: when }]),
  check: (entry, pointer, problems) => {
    checkVariants(entry, pointer, problems);
    checkMetrics(entry, pointer, problems);
    checkCurrencies(entry, pointer, problems);
    const { layer, plan, metrics } = entry;
    if (layer !== undefined && layer.fromPercent >= layer.toPercent) {
      problems.add(`${pointer}/layer/toPercent`, 'The slot must end after its beginning.');
    }
    if (plan !== null && 'points' in plan.smallestEffect && metrics.primary.kind !== 'share') {
      problems.add(`${pointer}/plan/smallestEffect`, 'Only shares change by points: write it as a percent.');
    }
  },
});

function checkVariants({ variants, state, winner }: ExperimentEntry, pointer: string, problems: Problems) {
  const ids = variants.map(({ variantId }) => variantId);
  for (const [index, id] of ids.entries()) {
    if (ids.indexOf(id) === index) continue;
    problems.add(`${pointer}/variants/${index}/variantId`, `"${id}" is the id of another variant.`);
  }
  if (state === 'decided' && winner === undefined) {
    problems.add(`${pointer}/winner`, 'A decided experiment names the variant that everybody gets.');
  }
  if (winner === undefined) return;
  if (state !== 'decided') {
    problems.add(`${pointer}/winner`, 'Only a decided experiment has a winner.');
  } else if (!ids.includes(winner)) {
    problems.add(`${pointer}/winner`, `There is no variant "${winner}": write ${ids.join(' or ')}.`);
  }
}

/** A metric that is listed twice would be tested twice. */
function checkMetrics({ metrics }: ExperimentEntry, pointer: string, problems: Problems): void {
  const first = new Map<string, string>();
  for (const [member, metric] of placedMetrics(metrics)) {
    const key = metricKey(metric);
    const taken = first.get(key);
    if (taken === undefined) first.set(key, member);
    else problems.add(`${pointer}/metrics/${member}`, `The same metric is listed as ${taken}.`);
  }
}

/** The revenue in a currency that does not exist would be nothing, for every player. */
function checkCurrencies({ metrics }: ExperimentEntry, pointer: string, problems: Problems): void {
  for (const [member, metric] of placedMetrics(metrics)) {
    if (metric.kind === 'share') continue;
    const measures = metric.kind === 'sum' ? { sum: metric.sum } : { sum: metric.sum, per: metric.per };
    for (const [name, measure] of Object.entries(measures)) {
      if (measure.of !== 'revenue' || measure.currency === null || isCurrency(measure.currency)) continue;
      problems.add(`${pointer}/metrics/${member}/${name}/currency`, currencyProblem(measure.currency));
    }
  }
}

/** Each metric with its place in `metrics`. */
function placedMetrics({ primary, secondary, guardrails }: MetricsEntry): [member: string, MetricEntry][] {
  return [
    ['primary', primary],
    ...secondary.map((metric, at): [string, MetricEntry] => [`secondary/${at}`, metric]),
    ...guardrails.map(({ metric }, at): [string, MetricEntry] => [`guardrails/${at}/metric`, metric]),
  ];
}
