import {
  absoluteEffect,
  type Cap,
  cappedMoments,
  checkSampleRatio,
  type Effect,
  type Estimate,
  findCap,
  type Interval,
  meanEstimate,
  sequenceInterval,
  shareEstimate,
  withSafeErrors,
} from '@savepoint/statistics';
import { rounded, shareOf } from '../../studio/money/ratios.js';
import type { GroupSums, HoldoutSums, Spent } from './group-sums.js';

/** What the players of fewer payers spend is far from normal, and an interval of fewer players is soon misread. */
export const FEWEST = { players: 100, payers: 30 };

/** A hold-out has no plan, so its intervals are tightest at a size that most games reach. Ten times as many players cost a fifteenth of width. */
const TUNED_TO = 10_000;

export type Difference = {
  /** Targeted less held out. */
  difference: number;
  /** 95% at all looks together; null where there is no verdict. */
  interval: Interval | null;
  state: 'higher' | 'lower' | 'no_difference_seen' | 'too_few' | 'sample_ratio_mismatch';
  /** How many players spent more than the cap, and count as the cap; null where no value is capped. */
  capped: { players: number; at: number } | null;
};

export type Group = {
  players: number;
  payers: number;
  conversion: number | null;
  conversionInterval: Interval | null;
  /** Mean by currency, not capped. */
  revenuePerPlayer: Record<string, number>;
};

export type Comparison = {
  heldOut: Group;
  targeted: Group;
  /** Whether both groups have as many players as the share says. */
  sampleRatio: { p: number; isMismatch: boolean };
  conversion: Difference;
  revenuePerPlayer: Record<string, Difference>;
  /** All currencies in one; null if the studio had no reporting currency when the players were read. */
  reported: ReportedComparison | null;
};

export type ReportedComparison = {
  currency: string;
  /** The version of the exchange rates. */
  ratesVersion: number;
  /** Revenue per player. */
  heldOut: number | null;
  targeted: number | null;
  difference: Difference;
  /** Currencies of which something is not in these numbers, because no rate held on the day. */
  missing: string[];
};

/** What targeting changes: the players who get targeted stores against those who are held out. */
export function compareGroups(sums: HoldoutSums, holdoutPercent: number): Comparison {
  const { heldOut, targeted, rates } = sums;
  const currencies = [...new Set([...Object.keys(targeted.spent), ...Object.keys(heldOut.spent)])].sort();
  const { p, isMismatch } = checkSampleRatio([
    { players: heldOut.players, weight: holdoutPercent },
    { players: targeted.players, weight: 100 - holdoutPercent },
  ]);
  const revenueOf = (spentOf: SpentOf) => revenueDifference(sums, spentOf, isMismatch);
  return {
    heldOut: groupOf(heldOut, currencies),
    targeted: groupOf(targeted, currencies),
    sampleRatio: { p: rounded(p), isMismatch },
    conversion: conversionDifference(sums, isMismatch),
    revenuePerPlayer: Object.fromEntries(
      currencies.map((currency) => [currency, revenueOf(inCurrency(currency))]),
    ),
    reported:
      rates === undefined
        ? null
        : {
            currency: rates.currency,
            ratesVersion: rates.version,
            missing: rates.missing,
            heldOut: heldOut.players === 0 ? null : rounded(meanOf(heldOut, inAll)),
            targeted: targeted.players === 0 ? null : rounded(meanOf(targeted, inAll)),
            difference: revenueOf(inAll),
          },
  };
}

/** What a group spent in one currency, or in all of them. */
type SpentOf = (group: GroupSums) => Spent | undefined;
const inCurrency =
  (currency: string): SpentOf =>
  ({ spent }) =>
    spent[currency];
const inAll: SpentOf = ({ reported }) => reported;

function groupOf(sums: GroupSums, currencies: readonly string[]): Group {
  const { players, payers } = sums;
  const means = currencies.map((currency) => [currency, rounded(meanOf(sums, inCurrency(currency)))]);
  return {
    players,
    payers,
    conversion: shareOf(payers, players),
    conversionInterval: isEnough(sums, payers) ? shareInterval(sums) : null,
    revenuePerPlayer: players === 0 ? {} : Object.fromEntries(means),
  };
}

function shareInterval({ payers, players }: GroupSums): Interval {
  const { mean, squaredError } = shareEstimate({ count: payers, players });
  const share = { value: mean, standardError: Math.sqrt(squaredError), players, freedom: players - 1 };
  const { low, high } = sequenceInterval(share, { tunedTo: TUNED_TO });
  return roundedInterval({ low: Math.max(0, low), high: Math.min(1, high) });
}

function meanOf(group: GroupSums, spentOf: SpentOf): number {
  return group.players === 0 ? 0 : (spentOf(group)?.sum ?? 0) / group.players;
}

function isEnough({ players }: GroupSums, payers: number): boolean {
  return players >= FEWEST.players && payers >= FEWEST.payers;
}

function conversionDifference({ heldOut, targeted }: HoldoutSums, isMismatch: boolean): Difference {
  const estimateOf = ({ payers, players }: GroupSums) => shareEstimate({ count: payers, players });
  const effect = effectOf(heldOut, targeted, estimateOf);
  return differenceOf(effect, {
    isMismatch,
    isEnough: [heldOut, targeted].every((group) => isEnough(group, group.payers)),
    cap: undefined,
  });
}

/** Players who bought nothing count as zeros. */
function revenueDifference(
  { heldOut, targeted }: HoldoutSums,
  spentOf: SpentOf,
  isMismatch: boolean,
): Difference {
  const groups = [heldOut, targeted];
  const cap = findCap(groups.map((group) => spentOf(group)?.values ?? {}));
  const estimateOf = (group: GroupSums) => {
    const values = cappedMoments(spentOf(group)?.values ?? {}, cap);
    const total = (of: 'sum' | 'squares') => values.reduce((sum, value) => sum + value[of], 0);
    return meanEstimate({ n: group.players, sum: total('sum'), squares: total('squares') });
  };
  return differenceOf(effectOf(heldOut, targeted, estimateOf), {
    isMismatch,
    isEnough: groups.every((group) => isEnough(group, spentOf(group)?.payers ?? 0)),
    cap,
  });
}

/** Undefined while a group is empty. */
function effectOf(
  heldOut: GroupSums,
  targeted: GroupSums,
  estimateOf: (group: GroupSums) => Estimate,
): Effect | undefined {
  if (heldOut.players === 0 || targeted.players === 0) return undefined;
  return absoluteEffect(...withSafeErrors(estimateOf(heldOut), estimateOf(targeted)));
}

type Gates = { isMismatch: boolean; isEnough: boolean; cap: Cap | undefined };

function differenceOf(effect: Effect | undefined, { isMismatch, isEnough, cap }: Gates): Difference {
  const isShown = effect !== undefined && isEnough && !isMismatch;
  const interval = isShown ? sequenceInterval(effect, { tunedTo: TUNED_TO }) : null;
  return {
    difference: rounded(effect?.value ?? 0),
    interval: interval && roundedInterval(interval),
    state: isMismatch ? 'sample_ratio_mismatch' : stateOf(interval),
    capped: cap === undefined ? null : { players: cap.capped, at: rounded(cap.value) },
  };
}

function stateOf(interval: Interval | null): Difference['state'] {
  if (interval === null) return 'too_few';
  if (interval.low > 0) return 'higher';
  return interval.high < 0 ? 'lower' : 'no_difference_seen';
}

function roundedInterval({ low, high }: Interval): Interval {
  return { low: rounded(low), high: rounded(high) };
}
