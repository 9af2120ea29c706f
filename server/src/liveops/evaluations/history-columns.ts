import {
  EARLIER_PURCHASE_DAYS_COLUMN,
  FIRST_DAY_COLUMN,
  FIRST_PURCHASE_DAY_COLUMN,
} from '../../core/players/facts-queries.js';
import type { PlayerColumn } from './fact-projections.js';
import type { RowFacts } from './row-facts.js';

/**
 * The columns that predictions are computed from. Predictions use the 7 and 28 days until today, or until yesterday for a player
 * without an event today. The windows of rules differ, so these sums are computed separately.
 */

/** The subquery after `left join lateral`. TODAY stands for the parameter. */
export const HISTORY_DAYS = `(
    select e.day as last_day, sum(d.sessions) filter (where d.day > e.day - 7) as sessions,
      sum(d.ad_impressions) filter (where d.day > e.day - 7) as ad_impressions,
      sum(d.store_views) filter (where d.day > e.day - 7) as store_views,
      sum(d.play_ms) filter (where d.day > e.day - 7) as play_ms, sum(d.purchases) as purchases
    from (select case when p.active_days @> TODAY then TODAY else TODAY - 1 end as day) e
    left join player_days d on d.player_id = p.id and d.day > e.day - 28 and d.day <= e.day
    group by e.day
  ) h on true`;

export const HISTORY_COLUMNS: readonly PlayerColumn[] = [
  // First, because the other columns put their values into what it lays out.
  { sql: "h.last_day - date '1970-01-01'", put: (facts, value) => facts.layOutHistory(value as number) },
  {
    sql: FIRST_DAY_COLUMN,
    put: ({ history }, value) => {
      history.firstDay = value as number;
    },
  },
  {
    sql: 'p.active_days::text',
    put: ({ history }, value) => {
      history.activeDays = value as string;
    },
  },
  {
    sql: 'p.purchase_days::text',
    put: ({ history }, value) => {
      history.purchaseDays = value as string;
    },
  },
  {
    sql: FIRST_PURCHASE_DAY_COLUMN,
    put: ({ history }, value) => {
      history.firstPurchaseDay = value as number;
    },
  },
  {
    sql: EARLIER_PURCHASE_DAYS_COLUMN,
    put: ({ history }, value) => {
      history.earlierPurchaseDays = value as number;
    },
  },
  {
    sql: "nullif(p.repeat_spend, '{}')",
    put: ({ history }, value) => {
      history.repeatSpend = value as Record<string, number>;
    },
  },
  sumOfWeek('h.sessions', 'sessions'),
  sumOfWeek('h.ad_impressions', 'adImpressions'),
  sumOfWeek('h.store_views', 'storeViews'),
  sumOfWeek('h.play_ms', 'playMs'),
  {
    sql: 'h.purchases',
    put: ({ monthOfHistory }, value) => {
      monthOfHistory.purchases = Number(value);
    },
  },
];

function sumOfWeek(
  sql: string,
  member: 'sessions' | 'adImpressions' | 'storeViews' | 'playMs',
): PlayerColumn {
  return {
    sql,
    put: ({ weekOfHistory }: RowFacts, value) => {
      weekOfHistory[member] = Number(value);
    },
  };
}
