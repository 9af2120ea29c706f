import { dayRanges } from '../decide/attributes/player-history.js';
import type { DayRange } from '../decide/predict/prediction-facts.js';
import { TimeSlice } from '../liveops/evaluations/time-slice.js';
import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';
import type { Pool } from '../platform/db/pool.js';
import { cell } from '../platform/lib/columns.js';
import { dateOf, dayNumber } from '../platform/lib/day.js';
import { numbersText } from '../platform/lib/numbers-text.js';
import type { Amounts } from '../studio/money/exchange-rates.js';
import type { FigureNeeds } from './figure-needs.js';
import { DAYS_BEFORE, type PlayerFigures } from './report/figures.js';
import {
  type DayColumns,
  type FiguredExposure,
  figuresOf,
  type PlayerHistory,
} from './report/player-history.js';

/** One for each player that there is. `places` says whose, here and below. */
type PlayerColumns = Readonly<{
  places: number[] | null;
  startDays: number[];
  activeDays: string[] | null;
}>;

/** One for each day of these players, those of a player together. */
type HistoryColumns = PlayerColumns &
  Omit<DayColumns, 'day' | 'revenue'> &
  Readonly<{
    dayPlaces: number[] | null;
    day: number[] | null;
    isActive: boolean[] | null;
    revenue: (Amounts | null)[] | null;
  }>;

export type FiguredPlayer = FiguredExposure & Readonly<{ playerId: number }>;

/** What players did since a day, each up to the end of `to`; undefined for a player who does not exist any more. */
export async function findFigures(
  db: DedicatedConnection | Pool,
  exposures: readonly FiguredPlayer[],
  to: string,
  needs: FigureNeeds,
): Promise<(PlayerFigures | undefined)[]> {
  const histories = await findHistories(db, exposures, to, needs);
  const last = dayNumber(to);
  const figures: (PlayerFigures | undefined)[] = [];
  const timeSlice = new TimeSlice(() => performance.now());
  for (const exposure of exposures) {
    const history = histories.get(exposure.playerId);
    figures.push(history && figuresOf(history, exposure, last, needs.retentionDays));
    if (timeSlice.isOver) await timeSlice.giveWay();
  }
  return figures;
}

/**
 * The days of players from 28 days before the first of their exposures to `to`, by player. Retention needs only the row of a player, conversion and revenue the
 * days of those who have bought something, anything else all days; these tell retention as well.
 */
export async function findHistories(
  db: DedicatedConnection | Pool,
  exposures: readonly FiguredPlayer[],
  to: string,
  { days, columns, retentionDays, eventTypes }: FigureNeeds,
): Promise<Map<number, PlayerHistory>> {
  const first = new Map<number, number>();
  for (const { playerId, exposedOn } of exposures) {
    const before = first.get(playerId);
    if (before === undefined || exposedOn < before) first.set(playerId, exposedOn);
  }
  const playerIds = [...first.keys()];
  const hasRetention = retentionDays.length > 0;
  const { rows } = await db.query<HistoryColumns>(
    `with known as materialized (
       select x.place - 1 as place, x.player_id, x.exposed - ${DAYS_BEFORE} as since,
         start_day(p.created_at, p.first_day) - date '1970-01-01' as start_day,
         case when $6 then (
           datemultirange(daterange(x.exposed, $3::date, '[]')) * case
             -- active_days are those of the last half year
             when upper(p.active_days) - 180 > x.exposed then p.active_days + coalesce((
               select range_agg(daterange(d.day, d.day, '[]')) from player_days d
               where d.player_id = x.player_id and d.day between x.exposed and upper(p.active_days) - 181 and d.events > 0
             ), '{}')
             else p.active_days
           end
         )::text end as active_days,
         $4 = 'all' or (
           $4 = 'purchases' and (
             p.purchase_days && daterange(x.exposed - ${DAYS_BEFORE}, $3::date, '[]')
             -- purchase_days are those of the last half year, too
             or upper(p.purchase_days) - 180 > x.exposed - ${DAYS_BEFORE}
           )
         ) as has_days
       from (
         select place, player_id, date '1970-01-01' + exposed_on as exposed
         from unnest($1::bigint[], $2::int[]) with ordinality as u (player_id, exposed_on, place)
       ) x
       cross join lateral (
         select created_at, first_day, active_days, purchase_days from players p where p.id = x.player_id offset 0
       ) p
     )
     select * from (
       select json_agg(k.place) as places, json_agg(k.start_day) as "startDays",
         case when $6 then json_agg(k.active_days) end as "activeDays"
       from known k
     ) k
     cross join (
       select json_agg(k.place) as "dayPlaces", json_agg(d.day - date '1970-01-01') as day,
         case when $8 then json_agg(d.events > 0) end as "isActive",
         case when 'sessions' = any($7::text[]) then json_agg(d.sessions) end as sessions,
         case when 'playMs' = any($7::text[]) then json_agg(d.play_ms) end as "playMs",
         case when 'adImpressions' = any($7::text[]) then json_agg(d.ad_impressions) end as "adImpressions",
         case when 'purchases' = any($7::text[]) then json_agg(d.purchases) end as purchases,
         case when 'revenue' = any($7::text[]) then json_agg(
           case when d.revenue <> '{}' then (select json_object_agg(key, value) from jsonb_each_text(d.revenue)) end
         ) end as revenue,
         case when 'eventCounts' = any($7::text[]) then json_agg((
           select json_object_agg(e.name, d.event_counts -> e.name) from unnest($5::text[]) e (name)
           where d.event_counts ? e.name
         )) end as "eventCounts"
       from known k
       cross join lateral (
         select * from player_days d where d.player_id = k.player_id and d.day between k.since and $3::date offset 0
       ) d
       where k.has_days
     ) d`,
    [
      numbersText(playerIds),
      numbersText([...first.values()]),
      to,
      days,
      eventTypes,
      hasRetention && days !== 'all',
      columns,
      hasRetention && days === 'all',
    ],
  );
  const [found] = rows;
  return found === undefined ? new Map() : historiesOf(playerIds, found);
}

function historiesOf(
  playerIds: readonly number[],
  { places, startDays, activeDays, dayPlaces, day, isActive, revenue, ...others }: HistoryColumns,
): Map<number, PlayerHistory> {
  const days: DayColumns = { day: day ?? [], revenue: datedRevenue(day, revenue), ...others };
  const histories = new Map<number, PlayerHistory>();
  let end = 0;
  for (const [row, place] of places?.entries() ?? []) {
    const first = end;
    while (dayPlaces?.[end] === place) end++;
    histories.set(cell(playerIds, place), {
      startDay: cell(startDays, row),
      activeDays:
        activeDays === null ? activeAmong(days.day, isActive, first, end) : dayRanges(cell(activeDays, row)),
      days,
      first,
      end,
    });
  }
  // PostgreSQL takes the players in turn, both times in the same order.
  if (end !== days.day.length) throw new Error('the days of players are not in the order of the players');
  return histories;
}

function activeAmong(
  day: readonly number[],
  isActive: HistoryColumns['isActive'],
  first: number,
  end: number,
): DayRange[] {
  const ranges: DayRange[] = [];
  if (isActive === null) return ranges;
  for (let row = first; row < end; row++) {
    if (isActive[row]) ranges.push([cell(day, row), cell(day, row) + 1]);
  }
  return ranges;
}

function datedRevenue(day: HistoryColumns['day'], revenue: HistoryColumns['revenue']): DayColumns['revenue'] {
  if (day === null || revenue === null) return null;
  return revenue.map((amounts, row) => amounts && { day: dateOf(cell(day, row)), amounts });
}
