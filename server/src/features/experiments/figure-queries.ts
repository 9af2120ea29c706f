import type { DedicatedConnection } from '../../db/dedicated-connection.js';
import type { Pool } from '../../db/pool.js';
import { dayRanges } from '../../personalisation/attributes/player-history.js';
import { TimeSlice } from '../evaluations/time-slice.js';
import type { FigureNeeds } from './figure-needs.js';
import { DAYS_BEFORE, type PlayerFigures } from './report/figures.js';
import {
  type FiguredExposure,
  figuresOf,
  type HistoryDay,
  type PlayerHistory,
} from './report/player-history.js';

type HistoryRow = Readonly<{
  playerId: string;
  startDay: number;
  activeDays: string | null;
  days: HistoryDay[] | null;
}>;

/** A `HistoryDay`. */
const DAY = `json_build_array(d.day - date '1970-01-01', d.sessions, d.play_ms, d.ad_impressions, d.purchases,
           case when d.revenue <> '{}' then (select json_object_agg(key, value) from jsonb_each_text(d.revenue)) end,
           case when cardinality($5::text[]) > 0 then (
             select json_object_agg(e.name, d.event_counts -> e.name) from unnest($5::text[]) e (name)
             where d.event_counts ? e.name
           ) end)`;
const SPAN = `daterange(x.exposed - ${DAYS_BEFORE}, $3::date, '[]')`;

export type FiguredPlayer = FiguredExposure & Readonly<{ playerId: string }>;

/** What players did since a day, each up to the end of `to`; undefined for a player who does not exist any more. */
export async function findFigures(
  db: DedicatedConnection | Pool,
  exposures: readonly FiguredPlayer[],
  to: string,
  needs: FigureNeeds,
): Promise<(PlayerFigures | undefined)[]> {
  const histories = await findHistories(db, exposures, to, needs);
  const figures: (PlayerFigures | undefined)[] = [];
  const timeSlice = new TimeSlice(() => performance.now());
  for (const exposure of exposures) {
    const history = histories.get(exposure.playerId);
    figures.push(history && figuresOf(history, exposure, to, needs.retentionDays));
    if (timeSlice.isOver) await timeSlice.giveWay();
  }
  return figures;
}

/**
 * The days of players from 28 days before the first of their exposures to `to`, by player. Retention needs only the row of a player, conversion and revenue the
 * days of those who have bought something, anything else all days.
 */
export async function findHistories(
  db: DedicatedConnection | Pool,
  exposures: readonly FiguredPlayer[],
  to: string,
  { days, retentionDays, eventTypes }: FigureNeeds,
): Promise<Map<string, PlayerHistory>> {
  const first = new Map<string, string>();
  for (const { playerId, exposedOn } of exposures) {
    const before = first.get(playerId);
    if (before === undefined || exposedOn < before) first.set(playerId, exposedOn);
  }
  const { rows } = await db.query<HistoryRow>(
    `select x.player_id as "playerId", start_day(p.created_at, p.first_day) - date '1970-01-01' as "startDay",
       case when $6 then (
         datemultirange(${SPAN}) * case
           -- active_days are those of the last half year
           when upper(p.active_days) - 180 > x.exposed then p.active_days + coalesce((
             select range_agg(daterange(d.day, d.day, '[]')) from player_days d
             where d.player_id = x.player_id and d.day between x.exposed and upper(p.active_days) - 181 and d.events > 0
           ), '{}')
           else p.active_days
         end
       )::text end as "activeDays", s.days
     from unnest($1::bigint[], $2::date[]) as x (player_id, exposed)
     cross join lateral (
       select created_at, first_day, active_days, purchase_days from players p where p.id = x.player_id offset 0
     ) p
     left join lateral (
       select json_agg(${DAY}) as days from player_days d
       where d.player_id = x.player_id and d.day between x.exposed - ${DAYS_BEFORE} and $3::date
         and ($4 = 'all' or ($4 = 'purchases' and p.purchase_days && ${SPAN}))
     ) s on true`,
    [[...first.keys()], [...first.values()], to, days, eventTypes, retentionDays.length > 0],
  );
  return new Map(
    rows.map(({ playerId, startDay, activeDays, days: read }) => [
      playerId,
      { startDay, activeDays: dayRanges(activeDays ?? '{}'), days: read ?? [] },
    ]),
  );
}
