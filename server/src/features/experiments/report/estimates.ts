import type { MetricEntry } from '../../../personalisation/document/parts/experiment-metrics.js';
import type { Cap } from '../../../statistics/cap.js';
import { cupedEstimate, cupedSlope } from '../../../statistics/cuped.js';
import { type Estimate, meanEstimate, ratioEstimate } from '../../../statistics/estimate.js';
import { NO_PAIRS, type PairMoments, plus } from '../../../statistics/moments.js';
import { joinStrata, stratumShares } from '../../../statistics/strata.js';
import { capOf, countsOf, type MetricSums, stratumMoments } from './metric-sums.js';

/** What each arm shows of a metric, in the order of the arms; null for an arm without players. */
export type ArmEstimates = Readonly<{ estimates: readonly (Estimate | null)[]; cap: Cap | undefined }>;

/** A variance needs two. */
const FEWEST_IN_STRATUM = 2;

export function estimateArms(metric: MetricEntry, arms: readonly MetricSums[]): ArmEstimates {
  const cap = isCapped(metric) ? capOf(arms) : undefined;
  const strata = arms.map(({ fresh, known }) => [stratumMoments(fresh, cap), stratumMoments(known, cap)]);
  const estimates = metric.kind === 'ratio' ? strata.map(ratioOf) : withCovariate(strata, arms.map(countsOf));
  return { estimates, cap };
}

function isCapped(metric: MetricEntry): boolean {
  return metric.kind !== 'share' && metric.sum.of !== 'payers';
}

function ratioOf(strata: readonly PairMoments[]): Estimate | null {
  const all = joined(strata);
  return all.n < FEWEST_IN_STRATUM || all.otherSum === 0 ? null : ratioEstimate(all);
}

function withCovariate(
  arms: readonly (readonly PairMoments[])[],
  counts: readonly { players: number }[],
): (Estimate | null)[] {
  const present = arms.filter((_, index) => (counts[index]?.players ?? 0) >= FEWEST_IN_STRATUM);
  const used = [0, 1].filter((stratum) => present.some((arm) => (arm[stratum]?.n ?? 0) > 0));
  // An arm that has no player of a stratum cannot be compared by it: then nothing is taken out.
  const isStratified = used.every((stratum) => present.every((arm) => has(arm[stratum])));
  const slopes = used.map((stratum) => cupedSlope(present.map((arm) => arm[stratum] ?? joined([]))));
  const shares = stratumShares(present.map((arm) => used.map((stratum) => arm[stratum]?.n ?? 0)));
  return arms.map((arm) => {
    if (!present.includes(arm)) return null;
    if (!isStratified) return meanEstimate(joined(arm));
    return joinStrata(
      used.map((stratum, index) => ({
        estimate: cupedEstimate(arm[stratum] ?? joined([]), slopes[index] ?? 0),
        share: shares[index] ?? 0,
      })),
    );
  });
}

function has(moments: PairMoments | undefined): boolean {
  return moments !== undefined && moments.n >= FEWEST_IN_STRATUM;
}

function joined(strata: readonly PairMoments[]): PairMoments {
  return strata.reduce((sum, moments) => plus(sum, moments), NO_PAIRS);
}
