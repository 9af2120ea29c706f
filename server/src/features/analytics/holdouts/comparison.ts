import { rounded, shareOf } from '../ratios.js';
import { type Interval, meanDifference, shareDifference, wilsonInterval } from './confidence.js';
import type { GroupSums, HoldoutSums, Spent } from './group-sums.js';

/**
 * With fewer players, or fewer payers, an interval says little and is soon misread. What players spend is far from a normal
 * distribution: its mean needs some dozens of payers before Welch's interval covers what it claims to.
 */
export const FEWEST = { players: 100, payers: 30 };

export type Difference = {
  /** Targeted less held out. */
  difference: number;
  /** 95%; null where there are too few players or payers. */
  interval: Interval | null;
  state: 'higher' | 'lower' | 'no_difference_seen' | 'too_few';
};

export type Group = {
  players: number;
  payers: number;
  conversion: number | null;
  conversionInterval: Interval | null;
  /** Mean by currency. */
  revenuePerPlayer: Record<string, number>;
};

export type Comparison = {
  heldOut: Group;
  targeted: Group;
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
export function compareGroups({ heldOut, targeted, rates }: HoldoutSums): Comparison {
  const currencies = [...new Set([...Object.keys(targeted.spent), ...Object.keys(heldOut.spent)])].sort();
  return {
    heldOut: groupOf(heldOut, currencies),
    targeted: groupOf(targeted, currencies),
    conversion: conversionOf(targeted, heldOut),
    revenuePerPlayer: Object.fromEntries(
      currencies.map((currency) => [currency, revenueOf(targeted, heldOut, inCurrency(currency))]),
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
            difference: revenueOf(targeted, heldOut, inAll),
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
    conversionInterval: players === 0 ? null : roundedInterval(wilsonInterval(payers, players)),
    revenuePerPlayer: players === 0 ? {} : Object.fromEntries(means),
  };
}

function meanOf(group: GroupSums, spentOf: SpentOf): number {
  return group.players === 0 ? 0 : (spentOf(group)?.sum ?? 0) / group.players;
}

function conversionOf(targeted: GroupSums, heldOut: GroupSums): Difference {
  const difference =
    (shareOf(targeted.payers, targeted.players) ?? 0) - (shareOf(heldOut.payers, heldOut.players) ?? 0);
  const isEnough = hasPlayers(targeted) && hasPlayers(heldOut);
  const interval = isEnough
    ? shareDifference(
        { count: targeted.payers, total: targeted.players },
        { count: heldOut.payers, total: heldOut.players },
      )
    : null;
  return differenceOf(difference, interval);
}

function revenueOf(targeted: GroupSums, heldOut: GroupSums, spentOf: SpentOf): Difference {
  const difference = meanOf(targeted, spentOf) - meanOf(heldOut, spentOf);
  const isEnough = [targeted, heldOut].every(
    (group) => hasPlayers(group) && (spentOf(group)?.payers ?? 0) >= FEWEST.payers,
  );
  const interval = isEnough
    ? meanDifference(momentsOf(targeted, spentOf), momentsOf(heldOut, spentOf))
    : null;
  return differenceOf(difference, interval);
}

function hasPlayers({ players }: GroupSums): boolean {
  return players >= FEWEST.players;
}

/** Players who bought nothing count as zeros. */
function momentsOf(group: GroupSums, spentOf: SpentOf) {
  const spent = spentOf(group);
  return { n: group.players, sum: spent?.sum ?? 0, squares: spent?.squares ?? 0 };
}

function differenceOf(difference: number, interval: Interval | null): Difference {
  return {
    difference: rounded(difference),
    interval: interval && roundedInterval(interval),
    state: stateOf(interval),
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
