import { bucketOf, HOLDOUT_SALT, isInShare, userIdBytes } from '../../../personalisation/compile/bucket.js';

/** What the players of a group spent in one currency. `squares` is the sum of the squares of what each player spent. */
export type Spent = { payers: number; sum: number; squares: number };

export type GroupSums = { players: number; payers: number; spent: Record<string, Spent> };

/** Players who are held out and get the untargeted store, and all others. */
export type HoldoutSums = { heldOut: GroupSums; targeted: GroupSums };

/** A player who was active in the span, and what the player bought in it. */
export type ComparedPlayer = Readonly<{
  userId: string;
  purchases: number;
  revenue: Readonly<Record<string, number>>;
}>;

export function noSums(): HoldoutSums {
  return { heldOut: noGroup(), targeted: noGroup() };
}

function noGroup(): GroupSums {
  return { players: 0, payers: 0, spent: {} };
}

/** Adds players to the group that the store puts them into. */
export function addPlayers(
  sums: HoldoutSums,
  players: readonly ComparedPlayer[],
  holdoutPercent: number,
): void {
  for (const { userId, purchases, revenue } of players) {
    const isHeldOut = isInShare(bucketOf(HOLDOUT_SALT, userIdBytes(userId)), holdoutPercent);
    const group = isHeldOut ? sums.heldOut : sums.targeted;
    group.players++;
    if (purchases > 0) group.payers++;
    for (const [currency, amount] of Object.entries(revenue)) {
      group.spent[currency] ??= { payers: 0, sum: 0, squares: 0 };
      const spent = group.spent[currency];
      spent.payers++;
      spent.sum += amount;
      spent.squares += amount * amount;
    }
  }
}
