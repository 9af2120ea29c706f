import { type Static, Type } from 'typebox';
import { canonicalJson } from '../../../platform/lib/canonical-json.js';
import { Currency, nullable, strict, text } from '../member-schemas.js';

/** What an experiment is measured by. Everything counts from the day of a player's exposure on, by the player's own days. */

const EventType = text(128);

/** Something that is added up for each player. */
const SumMeasure = Type.Union([
  /** In one currency, or in the reporting currency at its rates (null). Refunds count back. */
  Type.Object({ of: Type.Literal('revenue'), currency: nullable(Currency) }, strict),
  Type.Object({ of: Type.Literal('events'), eventType: EventType }, strict),
  Type.Object(
    {
      of: Type.Union([
        Type.Literal('minutes'),
        Type.Literal('adImpressions'),
        Type.Literal('sessions'),
        Type.Literal('purchases'),
        /** 1 for a player with a purchase: revenue per payer is a ratio with it. */
        Type.Literal('payers'),
      ]),
    },
    strict,
  ),
]);

export const Metric = Type.Union([
  /** The share of players with a purchase. */
  Type.Object({ kind: Type.Literal('share'), of: Type.Literal('converted') }, strict),
  /** The share of players with an event on day n after that of the exposure. */
  Type.Object(
    {
      kind: Type.Literal('share'),
      of: Type.Literal('retained'),
      day: Type.Union([
        Type.Literal(1),
        Type.Literal(3),
        Type.Literal(7),
        Type.Literal(14),
        Type.Literal(28),
      ]),
    },
    strict,
  ),
  /** The share of players with an event of a type. */
  Type.Object({ kind: Type.Literal('share'), of: Type.Literal('event'), eventType: EventType }, strict),
  /** A sum per player. */
  Type.Object({ kind: Type.Literal('sum'), sum: SumMeasure }, strict),
  /** A sum of all players of an arm, divided by another one of them. */
  Type.Object({ kind: Type.Literal('ratio'), sum: SumMeasure, per: SumMeasure }, strict),
]);

export const Guardrail = Type.Object(
  {
    metric: Metric,
    /** Which change would be a harm. */
    worse: Type.Union([Type.Literal('lower'), Type.Literal('higher')]),
    /** How much worse than the control an arm may be, in percent of the control. */
    marginPercent: Type.Number({ minimum: 0, maximum: 100 }),
  },
  strict,
);

export const Metrics = Type.Object(
  {
    /** The one that decides. */
    primary: Metric,
    secondary: Type.Array(Metric, { maxItems: 10 }),
    guardrails: Type.Array(Guardrail, { maxItems: 10 }),
  },
  strict,
);

export type SumMeasureEntry = Static<typeof SumMeasure>;
export type MetricEntry = Static<typeof Metric>;
export type GuardrailEntry = Static<typeof Guardrail>;
export type MetricsEntry = Static<typeof Metrics>;

/** All metrics of an experiment, the primary one first. */
export function metricsOf({ primary, secondary, guardrails }: MetricsEntry): MetricEntry[] {
  return [primary, ...secondary, ...guardrails.map(({ metric }) => metric)];
}

/** Equal metrics have equal keys, whatever the order of their members. */
export function metricKey(metric: MetricEntry): string {
  return canonicalJson(metric);
}
