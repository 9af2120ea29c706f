import { MINUTE_MS } from '../../platform/lib/day.js';
import type { PurchaseHistory } from './beta-geometric-nbd.js';
import { levelOf, WINDOW_DAYS } from './player-statistics.js';
import type { ActivityCell, BuyerCell } from './training-data.js';

/** What training reads of a player: the days on which something happened, in columns and in any order. Days are counted from 1970. */
export type PlayerDays = Readonly<{
  firstDay: number;
  /** Null for a player who has not bought anything. */
  firstPurchaseDay: number | null;
  /** The days with a purchase before the first of `days`, and the last of them. */
  earlierPurchases: Readonly<{ days: number; lastDay: number | null }>;
  days: readonly number[];
  /** 1 for a day with an event, 0 for a day with nothing but a purchase. */
  active: readonly number[];
  sessions: readonly number[];
  playMs: readonly number[];
  adImpressions: readonly number[];
  storeViews: readonly number[];
  purchases: readonly number[];
}>;

/** How far after an origin the outcomes of an `ActivityCell` lie. */
export const OUTCOME_DAYS = 7;

type Mutable<Cell> = { -readonly [Name in keyof Cell]: Cell[Name] };

/** Counts players by their statistics at the end of some days ("origins"), one player after the other. */
export type ActivityCounter = Readonly<{
  add: (player: PlayerDays) => void;
  /** By origin. */
  cells: () => ActivityCell[][];
  /** By origin: the payers, also by their purchases. */
  buyers: () => BuyerCell[][];
}>;

export function createActivityCounter(origins: readonly number[]): ActivityCounter {
  const found = origins.map(() => ({
    cells: new Map<number, Mutable<ActivityCell>>(),
    buyers: new Map<string, Mutable<BuyerCell>>(),
  }));
  return {
    add(player) {
      for (const [at, { cells, buyers }] of found.entries()) {
        const origin = origins[at] as number;
        if (player.firstDay > origin) continue;
        const one = playerAt(player, origin);
        const key = keyOf(one);
        const cell = cells.get(key);
        if (cell === undefined) cells.set(key, { ...one });
        else {
          cell.players += 1;
          cell.returned7 += one.returned7;
          cell.spent7 += one.spent7;
        }
        if (one.isPayer) addBuyer(buyers, key, one, purchaseHistory(player, origin));
      }
    },
    cells: () => found.map(({ cells }) => [...cells.values()]),
    buyers: () => found.map(({ buyers }) => [...buyers.values()]),
  };
}

function addBuyer(
  buyers: Map<string, Mutable<BuyerCell>>,
  activityKey: number,
  { players, returned7: _, spent7, ...activity }: ActivityCell,
  history: PurchaseHistory,
): void {
  // A refund since the sample was taken may have left a payer without a purchase until then.
  if (history.x < 0) return;
  const key = `${activityKey},${history.x},${history.tx},${history.t}`;
  const cell = buyers.get(key);
  if (cell === undefined) buyers.set(key, { activity, history, players, spent7 });
  else {
    cell.players += players;
    cell.spent7 += spent7;
  }
}

/** The same as that of `payerStatistics`, for a past day. */
function purchaseHistory(player: PlayerDays, origin: number): PurchaseHistory {
  const first = player.firstPurchaseDay ?? origin;
  let x = player.earlierPurchases.days - 1;
  let last = player.earlierPurchases.lastDay ?? first;
  for (const [at, day] of player.days.entries()) {
    if (day > origin || !((player.purchases[at] as number) > 0)) continue;
    x += 1;
    if (day > last) last = day;
  }
  return { x, tx: last - first, t: origin - first };
}

/** The same statistics as those of `activityStatistics`, for a past day. A test compares the two. */
function playerAt(player: PlayerDays, origin: number): ActivityCell {
  const { days, active } = player;
  const start = Math.max(player.firstDay, origin - WINDOW_DAYS);
  let last = start;
  let x = 0;
  let active7 = 0;
  let active28 = 0;
  let sessions = 0;
  let playMs = 0;
  let adImpressions = 0;
  let storeViews = 0;
  let purchases = 0;
  let returned = 0;
  let spent = 0;
  for (let at = 0; at < days.length; at += 1) {
    const day = days[at] as number;
    const ago = origin - day;
    if (ago >= WINDOW_DAYS || ago < -OUTCOME_DAYS) continue;
    const isActive = active[at] === 1;
    if (ago < 0) {
      if (isActive) returned = 1;
      if ((player.purchases[at] as number) > 0) spent = 1;
      continue;
    }
    if (isActive) {
      if (day > start) x += 1;
      if (day > last) last = day;
    }
    if (ago >= 28) continue;
    if (isActive) active28 += 1;
    purchases += player.purchases[at] as number;
    if (ago >= 7) continue;
    if (isActive) active7 += 1;
    sessions += player.sessions[at] as number;
    playMs += player.playMs[at] as number;
    adImpressions += player.adImpressions[at] as number;
    storeViews += player.storeViews[at] as number;
  }
  return {
    n: origin - start,
    x,
    tx: last - start,
    active7,
    active28,
    sessions7: levelOf(sessions),
    playMinutes7: levelOf(playMs / MINUTE_MS),
    adImpressions7: levelOf(adImpressions),
    storeViews7: levelOf(storeViews),
    purchases28: levelOf(purchases),
    isPayer: player.firstPurchaseDay !== null && player.firstPurchaseDay <= origin,
    players: 1,
    returned7: returned,
    spent7: spent,
  };
}

/** One number instead of a text of eleven: each has fewer values than its factor, and the product is below 2⁵³. */
function keyOf(cell: ActivityCell): number {
  const { n, x, tx, active7, active28, sessions7, playMinutes7, adImpressions7, storeViews7 } = cell;
  const history = ((n * 181 + x) * 181 + tx) * 8 + active7;
  const levels = ((sessions7 * 11 + playMinutes7) * 11 + adImpressions7) * 11 + storeViews7;
  return ((history * 29 + active28) * 14_641 + levels) * 22 + cell.purchases28 * 2 + (cell.isPayer ? 1 : 0);
}
