import { rounded, shareOf } from '../ratios.js';
import { type Interval, meanDifference, shareDifference, wilsonInterval } from './confidence.js';
import type { GroupSums, HoldoutSums } from './group-sums.js';

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
};

/** What targeting changes: the players who get targeted stores against those who are held out. */
export function compareGroups({ heldOut, targeted }: HoldoutSums): Comparison {
  const currencies = [...new Set([...Object.keys(targeted.spent), ...Object.keys(heldOut.spent)])].sort();
  return {
    heldOut: groupOf(heldOut, currencies),
    targeted: groupOf(targeted, currencies),
    conversion: conversionOf(targeted, heldOut),
    revenuePerPlayer: Object.fromEntries(
      currencies.map((currency) => [currency, revenueOf(targeted, heldOut, currency)]),
    ),
  };
}

function groupOf(sums: GroupSums, currencies: readonly string[]): Group {
  const { players, payers } = sums;
  const means = currencies.map((currency) => [currency, rounded(meanOf(sums, currency))]);
  return {
    players,
    payers,
    conversion: shareOf(payers, players),
    conversionInterval: players === 0 ? null : roundedInterval(wilsonInterval(payers, players)),
    revenuePerPlayer: players === 0 ? {} : Object.fromEntries(means),
  };
}

function meanOf({ players, spent }: GroupSums, currency: string): number {
  return players === 0 ? 0 : (spent[currency]?.sum ?? 0) / players;
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

function revenueOf(targeted: GroupSums, heldOut: GroupSums, currency: string): Difference {
  const difference = meanOf(targeted, currency) - meanOf(heldOut, currency);
  const isEnough = [targeted, heldOut].every(
    (group) => hasPlayers(group) && (group.spent[currency]?.payers ?? 0) >= FEWEST.payers,
  );
  const interval = isEnough
    ? meanDifference(momentsOf(targeted, currency), momentsOf(heldOut, currency))
    : null;
  return differenceOf(difference, interval);
}

function hasPlayers({ players }: GroupSums): boolean {
  return players >= FEWEST.players;
}

/** Players who bought nothing count as zeros. */
function momentsOf({ players, spent }: GroupSums, currency: string) {
  return { n: players, sum: spent[currency]?.sum ?? 0, squares: spent[currency]?.squares ?? 0 };
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
