import {
  type Cap,
  cupedEstimate,
  cupedSlope,
  type Estimate,
  joinStrata,
  meanEstimate,
  NO_PAIRS,
  NO_TRIPLES,
  type PairMoments,
  plus,
  ratioEstimate,
  stratumShares,
  type TripleMoments,
  twoCupedEstimate,
  twoSlopes,
  withThird,
} from '@savepoint/statistics';
import type { MetricEntry } from '../../decide/document/parts/experiment-metrics.js';
import {
  capOf,
  type ForecastSums,
  type MetricSums,
  type StratumSums,
  strataOf,
  stratumMoments,
} from './metric-sums.js';

/** What each arm shows of a metric, in the order of the arms; null for an arm without players. */
export type ArmEstimates = Readonly<{
  estimates: readonly (Estimate | null)[];
  cap: Cap | undefined;
  /** Whether anything known at the exposure is taken out. */
  isAdjusted: boolean;
  /** Of all arms, those of whom a forecast is taken out. */
  forecastPlayers: number;
  /** The squared errors of all arms together, with nothing taken out and as they are. */
  errors: Readonly<{ plain: number; adjusted: number }>;
}>;

/** A variance needs two. */
const FEWEST_IN_STRATUM = 2;
/** In each arm. The slopes of two covariates are those of these players: of fewer they would follow the noise, and the interval would be too narrow. */
export const FEWEST_WITH_FORECAST = 50;

export function estimateArms(metric: MetricEntry, arms: readonly MetricSums[]): ArmEstimates {
  const cap = isCapped(metric) ? capOf(arms) : undefined;
  if (metric.kind !== 'ratio') return { ...withCovariates(arms, cap), cap };
  const estimates = arms.map((sums) => ratioOf(allOf(sums, cap)));
  return { estimates, cap, isAdjusted: false, forecastPlayers: 0, errors: { plain: 0, adjusted: 0 } };
}

function isCapped(metric: MetricEntry): boolean {
  return metric.kind !== 'share' && metric.sum.of !== 'payers';
}

function allOf(sums: MetricSums, cap: Cap | undefined): PairMoments {
  return strataOf(sums).reduce((all, stratum) => plus(all, stratumMoments(stratum, cap)), NO_PAIRS);
}

function ratioOf(all: PairMoments): Estimate | null {
  return all.n < FEWEST_IN_STRATUM || all.otherSum === 0 ? null : ratioEstimate(all);
}

function withCovariates(arms: readonly MetricSums[], cap: Cap | undefined): Omit<ArmEstimates, 'cap'> {
  const present = arms.filter((sums) => allOf(sums, cap).n >= FEWEST_IN_STRATUM);
  const strata = comparedStrata(present, cap).filter(({ players }) => players.some((n) => n > 0));
  // An arm that has no player of a stratum cannot be compared by it: then nothing is taken out.
  const isAdjusted =
    strata.length > 0 && strata.every(({ players }) => players.every((n) => n >= FEWEST_IN_STRATUM));
  const shares = stratumShares(present.map((_, arm) => strata.map(({ players }) => players[arm] ?? 0)));
  const estimates = arms.map((sums) => {
    const arm = present.indexOf(sums);
    if (arm < 0) return null;
    if (!isAdjusted) return meanEstimate(allOf(sums, cap));
    return joinStrata(
      strata.map(({ estimateOf }, index) => ({ estimate: estimateOf(arm), share: shares[index] ?? 0 })),
    );
  });
  const forecastPlayers = isAdjusted ? total(strata.map(({ withForecast }) => withForecast)) : 0;
  const plain = present.map((sums) => meanEstimate(allOf(sums, cap)).squaredError);
  const adjusted = estimates.map((estimate) => estimate?.adjusted.squaredError ?? 0);
  return {
    estimates,
    isAdjusted,
    forecastPlayers,
    errors: { plain: total(plain), adjusted: total(adjusted) },
  };
}

/** Players of one kind in each arm, with what is known of them taken out. */
type Stratum = Readonly<{
  /** How many of all arms have a forecast that is taken out. */
  withForecast: number;
  players: readonly number[];
  estimateOf: (arm: number) => Estimate;
}>;

function comparedStrata(arms: readonly MetricSums[], cap: Cap | undefined): Stratum[] {
  return [
    ...strataOfKind(
      arms.map(({ fresh, freshForecast }) => [fresh, freshForecast]),
      cap,
    ),
    ...strataOfKind(
      arms.map(({ known, knownForecast }) => [known, knownForecast]),
      cap,
    ),
  ];
}

type Kind = readonly [without: StratumSums, forecast: ForecastSums | undefined];

/**
 * Players with a forecast apart from the others, where every arm has enough of both. Where some arm has a single one of the others, they all count as if the mean had been
 * expected of them. With too few forecasts all are together, without them. That depends on nothing but how many there are, which no arm can change.
 */
function strataOfKind(arms: readonly Kind[], cap: Cap | undefined): Stratum[] {
  const without = arms.map(([stratum]) => stratumMoments(stratum, cap));
  const forecast = arms.map(([, stratum]) =>
    stratum === undefined ? NO_TRIPLES : stratumMoments(stratum, cap),
  );
  if (!forecast.every(({ n }) => n >= FEWEST_WITH_FORECAST))
    return [pairStratum(without.map((moments, arm) => plus(moments, forecast[arm] ?? NO_PAIRS)))];
  const withForecast = total(forecast.map(({ n }) => n));
  const areOthersEnough =
    without.every(({ n }) => n === 0) || without.every(({ n }) => n >= FEWEST_IN_STRATUM);
  if (areOthersEnough) return [pairStratum(without), tripleStratum(forecast, withForecast)];
  // The same number in all arms, so a difference cannot come from it.
  const mean = total(forecast.map(({ thirdSum }) => thirdSum)) / withForecast;
  const joined = forecast.map((triples, arm) => plus(triples, withThird(without[arm] ?? NO_PAIRS, mean)));
  return [tripleStratum(joined, withForecast)];
}

function tripleStratum(moments: readonly TripleMoments[], withForecast: number): Stratum {
  const slopes = twoSlopes(moments);
  return {
    withForecast,
    players: moments.map(({ n }) => n),
    estimateOf: (arm) => twoCupedEstimate(moments[arm] ?? NO_TRIPLES, slopes),
  };
}

function pairStratum(moments: readonly PairMoments[]): Stratum {
  const slope = cupedSlope(moments);
  return {
    withForecast: 0,
    players: moments.map(({ n }) => n),
    estimateOf: (arm) => cupedEstimate(moments[arm] ?? NO_PAIRS, slope),
  };
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
