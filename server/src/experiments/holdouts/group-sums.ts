import { bucketOfValue, type Moments, NO_MOMENTS, plus } from '@savepoint/statistics';
import { bucketOf, HOLDOUT_SALT, isInShare, userIdBytes } from '../../decide/compile/bucket.js';
import { type DatedAmounts, type RateTable, reportAmounts } from '../../studio/money/exchange-rates.js';

/**
 * What the players of a group spent in one currency. `squares` is the sum of the squares of what each player spent. `values` are the same sums by
 * the size of what a player spent, so that they can be capped.
 */
export type Spent = { payers: number; sum: number; squares: number; values: Record<number, Moments> };

export type GroupSums = {
  players: number;
  payers: number;
  spent: Record<string, Spent>;
  /** The same of all currencies, in the reporting currency of the studio; left out if it has none. */
  reported?: Spent;
};

/** Players who are held out and get the untargeted store, and all others. */
export type HoldoutSums = {
  /** All players whom the game knows. Sums of older releases are of 28 days, or of players who were active; they are not read any more. */
  counts: 'known';
  heldOut: GroupSums;
  targeted: GroupSums;
  /** Which rates the reported sums were made with, and in which currencies something is not in them. */
  rates?: { currency: string; version: number; missing: string[] };
};

/** A player, and what the player bought in the span. */
export type BuyingPlayer = Readonly<{
  userId: string;
  purchases: number;
  revenue: Readonly<Record<string, number>>;
  /** The revenue once more, apart for the days on which the same exchange rates hold. */
  dated: readonly DatedAmounts[];
}>;

export function noSums(rates: RateTable | null): HoldoutSums {
  if (rates === null) return { counts: 'known', heldOut: noGroup(), targeted: noGroup() };
  return {
    counts: 'known',
    heldOut: { ...noGroup(), reported: nothing() },
    targeted: { ...noGroup(), reported: nothing() },
    rates: { currency: rates.currency, version: rates.version, missing: [] },
  };
}

function noGroup(): GroupSums {
  return { players: 0, payers: 0, spent: {} };
}

function nothing(): Spent {
  return { payers: 0, sum: 0, squares: 0, values: {} };
}

/**
 * Adds players to the group that the store puts them into. Nobody is left out for what happened after the draw, such as whether the player came: targeting may
 * change that, and the groups would not be alike any more.
 */
export function addPlayers(
  sums: HoldoutSums,
  { userIds, buying }: { userIds: readonly string[]; buying: readonly BuyingPlayer[] },
  holdoutPercent: number,
  rates: RateTable | null,
): void {
  const groupOf = (userId: string) =>
    isInShare(bucketOf(HOLDOUT_SALT, userIdBytes(userId)), holdoutPercent) ? sums.heldOut : sums.targeted;
  for (const userId of userIds) groupOf(userId).players++;
  for (const { userId, purchases, revenue, dated } of buying) {
    const group = groupOf(userId);
    group.players++;
    if (purchases > 0) group.payers++;
    for (const [currency, amount] of Object.entries(revenue)) {
      group.spent[currency] ??= nothing();
      addSpent(group.spent[currency], amount);
    }
    const reported = dated.length === 0 ? null : reportAmounts(rates, dated);
    if (reported === null || group.reported === undefined || sums.rates === undefined) continue;
    addSpent(group.reported, Number(reported.amount));
    sums.rates.missing = [...new Set([...sums.rates.missing, ...Object.keys(reported.missing)])].sort();
  }
}

/** A refund is taken back from the day of its purchase, so nobody has spent less than nothing. What was free is no payment. */
function addSpent(spent: Spent, amount: number): void {
  if (amount <= 0) return;
  spent.payers++;
  spent.sum += amount;
  spent.squares += amount * amount;
  const bucket = bucketOfValue(amount);
  const value = { n: 1, sum: amount, squares: amount * amount };
  spent.values[bucket] = plus(spent.values[bucket] ?? NO_MOMENTS, value);
}
