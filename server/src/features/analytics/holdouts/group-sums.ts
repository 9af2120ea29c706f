import { bucketOf, HOLDOUT_SALT, isInShare, userIdBytes } from '../../../personalisation/compile/bucket.js';
import { type DatedAmounts, type RateTable, reportAmounts } from '../../reporting/exchange-rates.js';

/** What the players of a group spent in one currency. `squares` is the sum of the squares of what each player spent. */
export type Spent = { payers: number; sum: number; squares: number };

export type GroupSums = {
  players: number;
  payers: number;
  spent: Record<string, Spent>;
  /** The same of all currencies, in the reporting currency of the studio; left out if it has none. */
  reported?: Spent;
};

/** Players who are held out and get the untargeted store, and all others. */
export type HoldoutSums = {
  heldOut: GroupSums;
  targeted: GroupSums;
  /** Which rates the reported sums were made with, and in which currencies something is not in them. */
  rates?: { currency: string; version: number; missing: string[] };
};

/** A player who was active in the span, and what the player bought in it. */
export type ComparedPlayer = Readonly<{
  userId: string;
  purchases: number;
  revenue: Readonly<Record<string, number>>;
  /** The revenue once more, apart for the days on which the same exchange rates hold. */
  dated: readonly DatedAmounts[];
}>;

export function noSums(rates: RateTable | null): HoldoutSums {
  if (rates === null) return { heldOut: noGroup(), targeted: noGroup() };
  return {
    heldOut: { ...noGroup(), reported: nothing() },
    targeted: { ...noGroup(), reported: nothing() },
    rates: { currency: rates.currency, version: rates.version, missing: [] },
  };
}

function noGroup(): GroupSums {
  return { players: 0, payers: 0, spent: {} };
}

function nothing(): Spent {
  return { payers: 0, sum: 0, squares: 0 };
}

/** Adds players to the group that the store puts them into. */
export function addPlayers(
  sums: HoldoutSums,
  players: readonly ComparedPlayer[],
  holdoutPercent: number,
  rates: RateTable | null,
): void {
  for (const { userId, purchases, revenue, dated } of players) {
    const isHeldOut = isInShare(bucketOf(HOLDOUT_SALT, userIdBytes(userId)), holdoutPercent);
    const group = isHeldOut ? sums.heldOut : sums.targeted;
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

function addSpent(spent: Spent, amount: number): void {
  spent.payers++;
  spent.sum += amount;
  spent.squares += amount * amount;
}
