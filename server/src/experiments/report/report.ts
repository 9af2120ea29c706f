import { checkSampleRatio } from '@savepoint/statistics';
import {
  type GuardrailEntry,
  type MetricEntry,
  metricKey,
} from '../../decide/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../../decide/document/parts/experiments.js';
import { type Comparison, compareFamily, fixedComparison } from './compare-arms.js';
import { estimateArms } from './estimates.js';
import { type ArmSums, armOf, type ExperimentSums, noArmSums, RECENT_DAYS } from './experiment-sums.js';
import { checkGates, type GateInput } from './gates.js';
import { guardrailOf } from './guardrails.js';
import { countsOf, type MetricSums, noMetricSums } from './metric-sums.js';
import { narrowingOf } from './narrowing.js';
import type { ArmComparison, MetricReport, Report, ReportArm } from './report-types.js';
import { roundedInterval, significant } from './rounding.js';
import { armSentence, tooFewGates, verdictOf, wouldChange } from './verdict.js';
import { metricTitle } from './words.js';

export type ReportInput = Readonly<{
  experiment: ExperimentEntry;
  /** The UTC day of the start, and the last one that is counted. */
  from: string;
  to: string;
  days: number;
  sums: ExperimentSums;
  /** The sums of the day on which the plan ended; undefined before. */
  plannedEnd: ExperimentSums | undefined;
  armChanges: GateInput['armChanges'];
  erasedLeftOut?: GateInput['erasedLeftOut'];
}>;

/** All that is said about an experiment, from its sums. */
export function reportOf(input: ReportInput): Report {
  const { experiment, from, to, days, armChanges } = input;
  const arms = armsOf(experiment, input.sums);
  const gates = checkGates({ arms, armChanges, erasedLeftOut: input.erasedLeftOut });
  const isStopped = gates.some(({ isStopping }) => isStopping);
  const playersPerDay = arms.reduce((sum, arm) => sum + arm.recentPlayers, 0) / Math.min(RECENT_DAYS, days);
  const { primary, secondary, guardrails } = experiment.metrics;
  const context = { input, arms, isStopped, playersPerDay };
  const metrics = [
    ...familyReports(context, 'primary', [primary]),
    ...familyReports(context, 'secondary', secondary),
    ...guardrails.flatMap((guardrail) => familyReports(context, 'guardrail', [guardrail.metric], guardrail)),
  ];
  const { p, isMismatch } = checkSampleRatio(arms);
  const told = { gates, metrics, arms, playersPerDay };
  return {
    ...{ from, to, days },
    arms: arms.map(({ variantId, name, weight, players, erased }) => ({
      ...{ variantId, name, weight, players, erasedPlayers: erased },
    })),
    playersPerDay: Math.round(playersPerDay),
    sampleRatio: { p: significant(p), isMismatch },
    gates: [...gates, ...(isStopped ? [] : tooFewGates(metrics[0]))],
    verdict: verdictOf(told),
    wouldChange: wouldChange(told),
    metrics,
  };
}

function armsOf({ variants }: ExperimentEntry, sums: ExperimentSums): ReportArm[] {
  return variants.map(({ variantId, name, weight }) => ({
    ...(armOf(sums, variantId) ?? noArmSums()),
    ...{ variantId, name, weight },
  }));
}

type Context = Readonly<{
  input: ReportInput;
  arms: readonly ReportArm[];
  isStopped: boolean;
  playersPerDay: number;
}>;

function sumsOf(metric: MetricEntry, arms: readonly Pick<ArmSums, 'metrics'>[]): MetricSums[] {
  return arms.map(({ metrics }) => metrics[metricKey(metric)] ?? noMetricSums());
}

/** The metrics of a family share alpha. */
function familyReports(
  context: Context,
  role: MetricReport['role'],
  metrics: readonly MetricEntry[],
  guardrail?: GuardrailEntry,
): MetricReport[] {
  const { arms, input, isStopped } = context;
  const family = metrics.map((metric) => ({ metric, arms: sumsOf(metric, arms) }));
  const comparisons = compareFamily(family, arms, input.experiment.plan?.players);
  return family.map(({ metric, arms: sums }) => {
    const found = estimateArms(metric, sums);
    const { estimates, cap } = found;
    const players = sums.reduce((sum, arm) => sum + countsOf(arm).players, 0);
    return {
      ...{ metric, role, title: metricTitle(metric) },
      capped: isStopped || cap === undefined ? null : { players: cap.capped, at: significant(cap.value) },
      narrowing: isStopped ? null : narrowingOf(metric, found, players),
      arms: arms.map(({ variantId }, index) => {
        const compared = comparisons.find((one) => one.metric === metric && one.variantId === variantId);
        const mean = estimates[index]?.mean;
        return {
          ...{ variantId, ...countsOf(sums[index] ?? noMetricSums()) },
          mean: isStopped || mean === undefined || !Number.isFinite(mean) ? null : significant(mean),
          comparison: compared === undefined ? null : comparisonOf(context, compared, index, guardrail),
        };
      }),
    };
  });
}

const HIDDEN = {
  state: 'sample_ratio_mismatch',
  ...{ difference: null, interval: null, relative: null, relativeInterval: null, p: null },
  ...{ guardrail: null, plannedEndInterval: null, daysUntilProven: null },
  sentence: 'No result: the arms do not have the players that their weights say.',
} as const;

function comparisonOf(
  context: Context,
  comparison: Comparison,
  index: number,
  guardrail: GuardrailEntry | undefined,
): ArmComparison {
  if (context.isStopped) return HIDDEN;
  const { arms, input, playersPerDay } = context;
  const { metric, state, effect, relative, interval, relativeInterval, p, playersMissing } = comparison;
  const { variants, plan } = input.experiment;
  const arm = arms[index];
  const isCompared = state !== 'too_few';
  const checked =
    guardrail === undefined || !isCompared || relative === null || arm === undefined
      ? null
      : guardrailOf(guardrail, relative, { variants, weight: arm.weight, plannedPlayers: plan?.players });
  const daysUntilProven = daysOf(playersMissing, playersPerDay * shareOf(arms, index));
  const atEnd = input.plannedEnd && sumsOf(metric, armsOf(input.experiment, input.plannedEnd));
  const fixed = atEnd === undefined ? null : fixedComparison(atEnd, metric, index);
  const told = { metric, state, interval, relativeInterval, daysUntilProven, guardrail: checked };
  return {
    state,
    difference: isCompared && effect !== null ? significant(effect.value) : null,
    interval: interval && roundedInterval(interval),
    relative: isCompared && relative !== null ? significant(relative.value) : null,
    relativeInterval: relativeInterval && roundedInterval(relativeInterval),
    p: p === null ? null : significant(p),
    guardrail: checked,
    plannedEndInterval: fixed && roundedInterval(fixed),
    daysUntilProven,
    sentence: armSentence(arm?.name ?? '', told),
  };
}

/** The part of the players that goes to this arm and the control. */
function shareOf(arms: readonly ReportArm[], index: number): number {
  const weights = arms.reduce((sum, { weight }) => sum + weight, 0);
  return ((arms[0]?.weight ?? 0) + (arms[index]?.weight ?? 0)) / weights;
}

function daysOf(playersMissing: number | null, playersPerDay: number): number | null {
  return playersMissing === null || playersPerDay === 0 ? null : Math.ceil(playersMissing / playersPerDay);
}
