import {
  absoluteEffect,
  cappedMoments,
  criticalValue,
  findCap,
  fixedP,
  meanEstimate,
  shareEstimate,
  withSafeErrors,
} from '@savepoint/statistics';

/** Below these an arm gets no verdict. Who looks at intervals for one look does not wait for that. */
const FEWEST = { players: 100, payers: 30 };

/** What the engine says of two arms at one look. */
export function lookAt(arms, { metric, tunedTo }) {
  const isEnough = arms.every(({ players, payers }) => players >= FEWEST.players && payers >= FEWEST.payers);
  const estimates = estimatesOf(arms, metric);
  const effect = absoluteEffect(...withSafeErrors(...estimates));
  const halfWidth = effect.standardError * criticalValue(effect.players, { tunedTo });
  return {
    effect,
    halfWidth,
    isProven: isEnough && Math.abs(effect.value) > halfWidth,
    isNaive: effect.standardError > 0 && fixedP(absoluteEffect(...estimates)) < 0.05,
  };
}

/** Of `share`, `mean`, or `capped` revenue. */
export function estimatesOf(arms, metric) {
  if (metric === 'share') return arms.map(({ payers, players }) => shareEstimate({ count: payers, players }));
  const cap = metric === 'capped' ? findCap(arms.map(({ histogram }) => histogram)) : undefined;
  return arms.map(({ players, histogram }) => {
    let [sum, squares] = [0, 0];
    for (const moments of cappedMoments(histogram, cap)) {
      sum += moments.sum;
      squares += moments.squares;
    }
    return meanEstimate({ n: players, sum, squares });
  });
}
