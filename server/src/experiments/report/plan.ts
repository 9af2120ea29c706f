import { sequenceSampleSize, variancesOfShare } from '@savepoint/statistics';
import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import type { ExperimentEntry } from '../../decide/document/parts/experiments.js';
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
  const today = { mean, variance };
  const needed = playersNeeded(input, today, wanted);
  const needsDays = daysNeeded(needed, input) + daysUntilKnown(metric);
  const isMeasurable = needsDays <= LONGEST_DAYS;
  const inReach = effectWithin(input, today);
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

/** What the players of the game show today, and so the control. */
type Today = Readonly<{ mean: number; variance: number }>;

/** Of the arm that needs most of them, with alpha shared by all arms. */
function playersNeeded({ metric, variants }: PlanInput, today: Today, effect: number): number {
  const [control = { weight: 1 }, ...arms] = variants;
  const weights = variants.reduce((sum, { weight }) => sum + weight, 0);
  const alpha = ALPHA / Math.max(1, arms.length);
  const { variance } = today;
  const armVariance = variance * varianceGrowth(metric, today, effect);
  const totals = arms.map(({ weight }) => {
    const ratio = weight / control.weight;
    const size = sequenceSampleSize({ variance, armVariance, effect, alpha, ratio });
    return Math.ceil((size.control * weights) / control.weight);
  });
  return Math.max(...totals);
}

/** An effect changes the variance of the arm, too: that of a share is p (1 − p), and values that all grow by a tenth vary by a tenth more. */
function varianceGrowth(metric: MetricEntry, { mean }: Today, effect: number): number {
  if (metric.kind !== 'share') return (1 + effect / mean) ** 2;
  const { variance, armVariance } = variancesOfShare(mean, effect);
  return variance > 0 ? armVariance / variance : 1;
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

/** More than a thousand times as much is no effect that anybody plans. */
const LARGEST_GROWTH = 1_000;

/** The smallest difference that is found within LONGEST_DAYS; Infinity if none is. */
function effectWithin(input: PlanInput, today: Today): number {
  const { metric, arrivals, coveragePercent } = input;
  const daysLeft = LONGEST_DAYS - daysUntilKnown(metric);
  const players = (arrivals.atStart + arrivals.perDay * daysLeft) * (coveragePercent / 100);
  const isFound = (effect: number) => playersNeeded(input, today, effect) <= players;
  let [low, high] = [0, metric.kind === 'share' ? 1 - today.mean : today.mean * LARGEST_GROWTH];
  if (!isFound(high)) return Number.POSITIVE_INFINITY;
  // Each step halves the range: fifty reach the last digit.
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    if (isFound(middle)) high = middle;
    else low = middle;
  }
  return high;
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
