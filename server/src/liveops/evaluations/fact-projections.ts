import { FIRST_DAY_COLUMN } from '../../core/players/facts-queries.js';
import type { DaySource, PlayerFact } from '../../decide/attributes/fact-source.js';
import { BLANK_HISTORY } from '../../decide/attributes/player-history.js';
import { type RowFacts, type SummedDay, setCount } from './row-facts.js';

/**
 * Where the database holds each fact that attributes are computed from: constant SQL over `players p` and `player_days d`, and
 * the conversion to facts. A fact without a column does not compile.
 */

export type PlayerColumn = Readonly<{
  sql: string;
  /** Takes the value as the driver returns it, but never null. */
  put: (facts: RowFacts, value: unknown) => void;
}>;

export type DayColumn = Readonly<{
  sql: string;
  /** For a JSON column whose members are summed by key: the type of a member. */
  memberType?: 'bigint' | 'numeric';
  put: (day: SummedDay, sum: number, key: string) => void;
}>;

/** The column of each fact in the row of the player, and the fact that its value is put into. */
export const PLAYER_COLUMNS: Readonly<Record<PlayerFact, PlayerColumn>> = {
  purchaseCount: {
    sql: 'p.purchase_count',
    put: (facts, value) => {
      facts.purchaseCount = value as number;
    },
  },
  lastPurchaseAt: {
    sql: "date_part('epoch', p.last_purchase_at)",
    put: (facts, value) => {
      facts.lastPurchaseAt = epochMs(value as number);
    },
  },
  spend: {
    // Most players have none: null saves sending and parsing an empty value.
    sql: "nullif(p.spend, '{}')",
    put: (facts, value) => {
      facts.spend = value as Record<string, number>;
    },
  },
  createdAt: {
    sql: "date_part('epoch', p.created_at)",
    put: (facts, value) => {
      facts.createdAt = epochMs(value as number);
    },
  },
  firstDay: {
    sql: FIRST_DAY_COLUMN,
    // Where a rule also uses a prediction, the columns of the history come later and replace it.
    put: (facts, value) => {
      facts.history = { ...BLANK_HISTORY, firstDay: value as number };
    },
  },
  lastEventAt: {
    sql: "date_part('epoch', p.last_event_at)",
    put: (facts, value) => {
      facts.lastEventAt = epochMs(value as number);
    },
  },
  eventCount: {
    sql: 'p.event_count',
    put: (facts, value) => {
      facts.eventCount = Number(value);
    },
  },
};

/** The column of each fact that is summed over days. */
export const DAY_COLUMNS: Readonly<Record<DaySource, DayColumn>> = {
  events: {
    sql: 'd.events',
    put: (day, sum) => {
      day.events = sum;
    },
  },
  sessions: {
    sql: 'd.sessions',
    put: (day, sum) => {
      day.sessions = sum;
    },
  },
  adImpressions: {
    sql: 'd.ad_impressions',
    put: (day, sum) => {
      day.adImpressions = sum;
    },
  },
  storeViews: {
    sql: 'd.store_views',
    put: (day, sum) => {
      day.storeViews = sum;
    },
  },
  playMs: {
    sql: 'd.play_ms',
    put: (day, sum) => {
      day.playMs = sum;
    },
  },
  purchases: {
    sql: 'd.purchases',
    put: (day, sum) => {
      day.purchases = sum;
    },
  },
  eventCounts: {
    sql: 'd.event_counts',
    // Sums of integers are many times faster than sums of decimals.
    memberType: 'bigint',
    put: (day, sum, key) => setCount(day.eventCounts, key, sum),
  },
  revenue: {
    sql: 'd.revenue',
    // The exact sum. The nearest double equals the rounded sum of doubles that rules use.
    memberType: 'numeric',
    put: (day, sum, key) => setCount(day.revenue, key, sum),
  },
};

/**
 * Seconds to whole milliseconds, cut off as where single players are read. PostgreSQL counts microseconds, and a double is off by
 * less than half a microsecond: that much is added before the cut.
 */
function epochMs(seconds: number): number {
  return Math.floor(seconds * 1000 + 0.0005);
}
