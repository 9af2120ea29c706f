import {
  absoluteEffect,
  type Effect,
  type Estimate,
  fixedInterval,
  holm,
  type Interval,
  playersUntilProven,
  type SequenceOptions,
  safeRelativeEffect,
  sequenceInterval,
  sequenceP,
  withSafeErrors,
} from '@savepoint/statistics';
import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import { type ArmEstimates, estimateArms } from './estimates.js';
import { countsOf, type MetricSums } from './metric-sums.js';

/** What the players of fewer payers do is far from normal, and an interval of fewer players is soon misread. */
export const FEWEST = { players: 100, positive: 30 };

export const ALPHA = 0.05;

/** Above or below the control with proof; not proven; too few players in an arm. */
export type ComparisonState = 'higher' | 'lower' | 'not_proven' | 'too_few';

/** An arm against the control, by one metric. */
export type Comparison = Readonly<{
  metric: MetricEntry;
  variantId: string;
  state: ComparisonState;
  /** Null while an arm has no value. */
  effect: Effect | null;
  relative: Effect | null;
  /** They hold at all looks and for all comparisons of the family together; null without a verdict. */
  interval: Interval | null;
  relativeInterval: Interval | null;
  /** Adjusted by Holm over the family. */
  p: number | null;
  /** More players of both arms until today's difference would be proven; null if it is, or would not be. */
  playersMissing: number | null;
}>;

/** The metrics that are tested together, such as all secondary ones. */
export type Family = readonly Readonly<{ metric: MetricEntry; arms: readonly MetricSums[] }>[];

export type ArmWeights = readonly Readonly<{ variantId: string; weight: number }>[];

/** Without a plan the intervals are tightest at a size that most games reach. */
const UNPLANNED_PLAYERS = 10_000;

/**
 * Compares each arm with the first one. The family shares alpha: intervals are those of Bonferroni, verdicts those of Holm. Where only Holm
 * proves a difference, its interval ends at zero (Guilbaud 2008, "Simultaneous confidence regions corresponding to Holm’s step-down procedure").
 */
export function compareFamily(
  family: Family,
  variants: ArmWeights,
  plannedPlayers: number | undefined,
): Comparison[] {
  const raw = family.flatMap(({ metric, arms }) => {
    const estimates = estimateArms(metric, arms);
    return variants
      .slice(1)
      .map((variant, index) => ({ metric, variant, ...pairOf(estimates, arms, index + 1) }));
  });
  const alpha = ALPHA / Math.max(1, raw.length);
  const optionsOf = ({ weight }: { weight: number }) => ({
    alpha,
    tunedTo: tunedTo(variants, weight, plannedPlayers),
  });
  const pValues = raw.map(({ effect, isEnough, variant }) =>
    effect === null || !isEnough ? 1 : sequenceP(effect, optionsOf(variant)),
  );
  const adjusted = holm(pValues);
  return raw.map(({ metric, variant, effect, relative, isEnough }, index) => {
    const { variantId } = variant;
    const none = { metric, variantId, effect, relative, interval: null, relativeInterval: null };
    if (effect === null || !isEnough) return { ...none, state: 'too_few', p: null, playersMissing: null };
    const p = adjusted[index] ?? 1;
    const options = optionsOf(variant);
    const state = p >= ALPHA ? 'not_proven' : effect.value > 0 ? 'higher' : 'lower';
    return {
      ...none,
      ...{ state, p },
      interval: agreeing(sequenceInterval(effect, options), state),
      relativeInterval: relative === null ? null : agreeing(sequenceInterval(relative, options), state),
      playersMissing: state === 'not_proven' ? playersMissing(effect, options) : null,
    };
  });
}

function playersMissing(effect: Effect, options: SequenceOptions): number | null {
  const players = playersUntilProven(effect, options);
  return players === undefined ? null : players - effect.players;
}

/** Players of this arm and the control, of all that are planned. */
export function tunedTo(variants: ArmWeights, weight: number, plannedPlayers = UNPLANNED_PLAYERS): number {
  const all = variants.reduce((sum, variant) => sum + variant.weight, 0);
  return Math.max(1, Math.round((plannedPlayers * ((variants[0]?.weight ?? 0) + weight)) / all));
}

/** At one look, for the day on which the plan ends. */
export function fixedComparison(
  arms: readonly MetricSums[],
  metric: MetricEntry,
  index: number,
): Interval | null {
  const { effect, relative, isEnough } = pairOf(estimateArms(metric, arms), arms, index);
  const shown = metric.kind === 'share' ? effect : relative;
  return isEnough && shown !== null ? fixedInterval(shown) : null;
}

/** An arm and the control. */
export function pairOf(
  { estimates }: ArmEstimates,
  arms: readonly MetricSums[],
  index: number,
): { effect: Effect | null; relative: Effect | null; isEnough: boolean } {
  const [control, arm] = [estimates[0] ?? null, estimates[index] ?? null];
  if (control === null || arm === null) return { effect: null, relative: null, isEnough: false };
  return {
    effect: absoluteEffect(...withSafeErrors(control, arm)),
    relative: safeRelativeEffect(control, arm) ?? null,
    isEnough: [0, index].every((each) => isEnough(arms[each])) && areNumbers(control, arm),
  };
}

function isEnough(sums: MetricSums | undefined): boolean {
  if (sums === undefined) return false;
  const { players, positive } = countsOf(sums);
  return players >= FEWEST.players && positive >= FEWEST.positive;
}

function areNumbers(...estimates: readonly Estimate[]): boolean {
  return estimates.every(({ adjusted }) => Number.isFinite(adjusted.mean + adjusted.squaredError));
}

/** The interval of a relative change comes from another error, and that of a family may be wider than the verdict: they never contradict it. */
function agreeing({ low, high }: Interval, state: ComparisonState): Interval {
  if (state === 'higher') return { low: Math.max(0, low), high };
  if (state === 'lower') return { low, high: Math.min(0, high) };
  return { low: Math.min(0, low), high: Math.max(0, high) };
}
