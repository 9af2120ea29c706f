import { MINUTE_MS } from '../../lib/day.js';
import { levelOf, WINDOW_DAYS } from './player-statistics.js';
import type { ActivityCell } from './training-data.js';

/** What training reads of a player: the days on which something happened, in columns and in any order. Days are counted from 1970. */
export type PlayerDays = Readonly<{
  firstDay: number;
  /** Null for a player who has not bought anything. */
  firstPurchaseDay: number | null;
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
}>;

export function createActivityCounter(origins: readonly number[]): ActivityCounter {
  const found = origins.map(() => new Map<number, Mutable<ActivityCell>>());
  return {
    add(player) {
      for (let at = 0; at < origins.length; at += 1) {
        const origin = origins[at] as number;
        if (player.firstDay <= origin) count(found[at] as Map<number, Mutable<ActivityCell>>, player, origin);
      }
    },
    cells: () => found.map((cells) => [...cells.values()]),
  };
}

/** The same statistics as those of `activityStatistics`, for a past day. A test compares the two. */
function count(cells: Map<number, Mutable<ActivityCell>>, player: PlayerDays, origin: number): void {
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
  const n = origin - start;
  const tx = last - start;
  const sessions7 = levelOf(sessions);
  const playMinutes7 = levelOf(playMs / MINUTE_MS);
  const adImpressions7 = levelOf(adImpressions);
  const storeViews7 = levelOf(storeViews);
  const purchases28 = levelOf(purchases);
  const isPayer = player.firstPurchaseDay !== null && player.firstPurchaseDay <= origin;
  // One number instead of a text of eleven: each has fewer values than its factor, and the product is below 2⁵³.
  const history = ((n * 181 + x) * 181 + tx) * 8 + active7;
  const levels = ((sessions7 * 11 + playMinutes7) * 11 + adImpressions7) * 11 + storeViews7;
  const key = ((history * 29 + active28) * 14_641 + levels) * 22 + purchases28 * 2 + (isPayer ? 1 : 0);
  const cell = cells.get(key);
  if (cell !== undefined) {
    cell.players += 1;
    cell.returned7 += returned;
    cell.spent7 += spent;
    return;
  }
  cells.set(key, {
    n,
    x,
    tx,
    active7,
    active28,
    sessions7,
    playMinutes7,
    adImpressions7,
    storeViews7,
    purchases28,
    isPayer,
    players: 1,
    returned7: returned,
    spent7: spent,
  });
}
