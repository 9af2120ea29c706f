import type { Estimate } from './estimate.js';

/**
 * Joins estimates of one arm in several strata, such as players who were new at exposure (they have no covariate) and all others. Each
 * stratum counts by its share of the players of all arms together, so that an arm that drew more new players by chance is not
 * compared by that (post-stratification: Miratrix, Sekhon and Yu 2013). Shares that were drawn add an error of the order 1/n², which is left out.
 */
export function joinStrata(strata: readonly Readonly<{ estimate: Estimate; share: number }>[]): Estimate {
  const total = (value: (estimate: Estimate) => number, weight: (share: number) => number) =>
    strata.reduce((sum, { estimate, share }) => sum + weight(share) * value(estimate), 0);
  const once = (share: number) => share;
  const squared = (share: number) => share * share;
  return {
    players: total(
      ({ players }) => players,
      () => 1,
    ),
    mean: total(({ mean }) => mean, once),
    squaredError: total(({ squaredError }) => squaredError, squared),
    adjusted: {
      mean: total(({ adjusted }) => adjusted.mean, once),
      squaredError: total(({ adjusted }) => adjusted.squaredError, squared),
      covariance: total(({ adjusted }) => adjusted.covariance, squared),
    },
  };
}

/** The share of each stratum, from the players of every arm in it. */
export function stratumShares(playersByArm: readonly (readonly number[])[]): number[] {
  const strata = playersByArm[0]?.length ?? 0;
  const sums = Array.from({ length: strata }, (_, stratum) =>
    playersByArm.reduce((sum, arm) => sum + (arm[stratum] ?? 0), 0),
  );
  const all = sums.reduce((sum, players) => sum + players, 0);
  return sums.map((players) => players / all);
}
