import type { MetricEntry } from '../../../personalisation/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../../../personalisation/document/parts/experiments.js';
import { smallestEffect } from '../../../statistics/planning.js';
import { sequenceSampleSize } from '../../../statistics/sample-size.js';
import { ALPHA, type ArmWeights, FEWEST } from './compare-arms.js';
import { estimateArms } from './estimates.js';
import { countsOf, type MetricSums } from './metric-sums.js';
import { significant } from './rounding.js';
import { count, days, metricTitle, percent, points, titleInSentence } from './words.js';

export type SmallestEffect = NonNullable<ExperimentEntry['plan']>['smallestEffect'];

/** Players that an experiment may get: those who play already and come in the first days, and new ones each day. */
export type Arrivals = Readonly<{ atStart: number; perDay: number }>;

export type PlanInput = Readonly<{
  metric: MetricEntry;
  effect: SmallestEffect;
  /** What players of the game did, as if they had been exposed. */
  sums: MetricSums;
  arrivals: Arrivals;
  coveragePercent: number;
  variants: ArmWeights;
}>;

/** `too_few`: the game has too few players of whom the metric is known. */
export type Plan = Readonly<{
  title: string;
  state: 'measurable' | 'not_measurable' | 'too_few';
  mean: number | null;
  /** In all arms together; null if it cannot be said. */
  players: number | null;
  days: number | null;
  /** What LONGEST_DAYS would show: points of a share, else relative; null if it cannot be said. */
  measurableEffect: number | null;
  sentence: string;
}>;

/** Nobody waits longer for a verdict, and the players are others by then. */
export const LONGEST_DAYS = 180;

export function planOf(input: PlanInput): Plan {
  const { metric, effect, sums } = input;
  const title = metricTitle(metric);
  const estimate = estimateArms(metric, [sums]).estimates[0] ?? null;
  const { players, positive } = countsOf(sums);
  if (estimate === null || players < FEWEST.players || positive < FEWEST.positive) {
    const sentence = `Too few players to plan ${titleInSentence(metric)}: it is known of ${count(players)} players, and ${count(positive)} of them count. ${FEWEST.players} and ${FEWEST.positive} are needed.`;
    return {
      ...{ title, sentence },
      state: 'too_few',
      mean: null,
      players: null,
      days: null,
      measurableEffect: null,
    };
  }
  const { mean } = estimate;
  const variance = estimate.adjusted.squaredError * estimate.players;
  const wanted = 'points' in effect ? effect.points / 100 : (mean * effect.percent) / 100;
  const needed = playersNeeded(input, { variance, effect: wanted });
  const needsDays = daysNeeded(needed, input) + daysUntilKnown(metric);
  const isMeasurable = needsDays <= LONGEST_DAYS;
  const inReach = effectWithin(input, variance);
  const measurableEffect = metric.kind === 'share' ? inReach : inReach / mean;
  const reach = 'points' in effect ? points(inReach) : percent(inReach / mean);
  const told = { ...input, needed, needsDays, reach: Number.isFinite(measurableEffect) ? reach : null };
  return {
    title,
    state: isMeasurable ? 'measurable' : 'not_measurable',
    mean: significant(mean),
    players: needed,
    days: isMeasurable ? needsDays : null,
    measurableEffect: Number.isFinite(measurableEffect) ? significant(measurableEffect) : null,
    sentence: isMeasurable ? measurableSentence(told) : notMeasurableSentence(told),
  };
}

/** Of the arm that needs most of them, with alpha shared by all arms. */
function playersNeeded(
  { variants }: PlanInput,
  { variance, effect }: { variance: number; effect: number },
): number {
  const [control = { weight: 1 }, ...arms] = variants;
  const weights = variants.reduce((sum, { weight }) => sum + weight, 0);
  const alpha = ALPHA / Math.max(1, arms.length);
  const totals = arms.map(({ weight }) => {
    const ratio = weight / control.weight;
    const size = sequenceSampleSize({ variance, effect, alpha, ratio });
    return Math.ceil((size.control * weights) / control.weight);
  });
  return Math.max(...totals);
}

function daysNeeded(players: number, { arrivals, coveragePercent }: PlanInput): number {
  const share = coveragePercent / 100;
  const missing = players / share - arrivals.atStart;
  return missing <= 0 ? 1 : Math.ceil(missing / arrivals.perDay);
}

/** A player's day 7 is over a week later. */
function daysUntilKnown(metric: MetricEntry): number {
  return metric.kind === 'share' && metric.of === 'retained' ? metric.day : 0;
}

/** The smallest difference that is found within LONGEST_DAYS. */
function effectWithin({ metric, arrivals, coveragePercent, variants }: PlanInput, variance: number): number {
  const [control = { weight: 1 }, ...arms] = variants;
  const weights = variants.reduce((sum, { weight }) => sum + weight, 0);
  const daysLeft = LONGEST_DAYS - daysUntilKnown(metric);
  const players = (arrivals.atStart + arrivals.perDay * daysLeft) * (coveragePercent / 100);
  const alpha = ALPHA / Math.max(1, arms.length);
  const smallest = arms.map(({ weight }) =>
    smallestEffect({
      ...{ variance, alpha },
      control: (players * control.weight) / weights,
      arm: (players * weight) / weights,
    }),
  );
  return Math.max(...smallest);
}

/** `reach`: what LONGEST_DAYS would show, in the unit of the effect. */
type Told = PlanInput & Readonly<{ needed: number; needsDays: number; reach: string | null }>;

function measurableSentence({ arrivals, metric, effect, needed, needsDays }: Told): string {
  return `With ${arrivalWords(arrivals)} you need ${days(needsDays)} (${count(needed)} players) to see ${effectWords(effect)} of ${titleInSentence(metric)}.`;
}

function notMeasurableSentence({ arrivals, metric, effect, reach }: Told): string {
  const shown = reach === null ? '' : ` In ${days(LONGEST_DAYS)} it would show +${reach}.`;
  return `You cannot measure ${effectWords(effect)} of ${titleInSentence(metric)} with this game: it has ${arrivalWords(arrivals)}.${shown}`;
}

function effectWords(effect: SmallestEffect): string {
  return 'points' in effect ? `+${points(effect.points / 100)}` : `+${percent(effect.percent / 100)}`;
}

function arrivalWords({ atStart, perDay }: Arrivals): string {
  const arriving = `${count(Math.round(perDay))} new players a day`;
  return atStart === 0 ? arriving : `${count(atStart)} players of the last week and ${arriving}`;
}
