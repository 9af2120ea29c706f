import { type Cap, cappedMoments, findCap } from '../../../statistics/cap.js';
import { NO_PAIRS, type PairMoments, plus } from '../../../statistics/moments.js';
import { bucketOfValue, mergeHistograms } from '../../../statistics/value-histogram.js';
import type { MetricValue } from './figures.js';

/** Players are added in place: there may be a million. */
type Growing = { -readonly [Member in keyof PairMoments]: PairMoments[Member] };

/** The sums of one metric over players of one kind: those whose value is zero, and all others by the size of the value. */
export type StratumSums = { zeros: Growing; values: Record<number, Growing> };

/** Of an arm. Players who were new at the exposure have nothing before it, so they are a stratum of their own. */
export type MetricSums = { fresh: StratumSums; known: StratumSums };

export function noMetricSums(): MetricSums {
  return { fresh: noStratumSums(), known: noStratumSums() };
}

function noStratumSums(): StratumSums {
  return { zeros: { ...NO_PAIRS }, values: {} };
}

/** A refund may leave less than nothing of an amount: that counts as nothing. */
export function addValue(sums: MetricSums, isNew: boolean, of: MetricValue): void {
  const stratum = isNew ? sums.fresh : sums.known;
  const [value, other] = [Math.max(0, of.value), Math.max(0, of.other)];
  if (value === 0) {
    add(stratum.zeros, value, other);
    return;
  }
  const bucket = bucketOfValue(value);
  stratum.values[bucket] ??= { ...NO_PAIRS };
  add(stratum.values[bucket], value, other);
}

function add(moments: Growing, value: number, other: number): void {
  moments.n++;
  moments.sum += value;
  moments.squares += value * value;
  moments.otherSum += other;
  moments.otherSquares += other * other;
  moments.products += value * other;
}

export function mergeMetricSums(one: MetricSums, other: MetricSums): MetricSums {
  return { fresh: mergeStrata(one.fresh, other.fresh), known: mergeStrata(one.known, other.known) };
}

function mergeStrata(one: StratumSums, other: StratumSums): StratumSums {
  return { zeros: plus(one.zeros, other.zeros), values: mergeHistograms(one.values, other.values) };
}

/** Players who have a value, and those among them whose value is above zero. */
export function countsOf({ fresh, known }: MetricSums): { players: number; positive: number } {
  const positive = [fresh, known]
    .flatMap(({ values }) => Object.values(values))
    .reduce((sum, { n }) => sum + n, 0);
  return { players: positive + fresh.zeros.n + known.zeros.n, positive };
}

/** One cap for all arms and both kinds of players. */
export function capOf(arms: readonly MetricSums[]): Cap | undefined {
  return findCap(arms.flatMap(({ fresh, known }) => [fresh.values, known.values]));
}

export function stratumMoments({ zeros, values }: StratumSums, cap: Cap | undefined): PairMoments {
  return cappedMoments(values, cap).reduce((sum, moments) => plus(sum, moments), zeros);
}
