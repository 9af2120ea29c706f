import type { DedicatedConnection } from '../../db/dedicated-connection.js';
import type { Pool } from '../../db/pool.js';
import type { DatedAmounts } from '../reporting/exchange-rates.js';
import type { FigureNeeds } from './figure-needs.js';
import { DAYS_BEFORE, type PlayerFigures } from './report/figures.js';

type FigureRow = Readonly<{
  place: number;
  isNew: boolean;
  lastDay: number;
  activeOn: number[];
  sessions: number | null;
  sessionsBefore: number | null;
  playMs: number | null;
  playMsBefore: number | null;
  adImpressions: number | null;
  adImpressionsBefore: number | null;
  purchases: number | null;
  purchasesBefore: number | null;
  revenue: DatedAmounts[] | null;
  revenueBefore: DatedAmounts[] | null;
  counts: [eventType: string, since: number | null, before: number | null][] | null;
}>;

/** The same column of the days from day 0 on, and of those before the exposure. */
const both = (value: string, name: string) =>
  `${value} filter (where d.day >= x.day)::float8 as "${name}", ${value} filter (where d.day < x.exposed)::float8 as "${name}Before"`;
const SUMS = [
  both('sum(d.sessions)', 'sessions'),
  both('sum(d.play_ms)', 'playMs'),
  both('sum(d.ad_impressions)', 'adImpressions'),
  both('sum(d.purchases)', 'purchases'),
].join(', ');
const DATED = `jsonb_agg(jsonb_build_object('day', d.day, 'amounts', (select jsonb_object_agg(key, value) from jsonb_each_text(d.revenue))))`;
const DAYS_OF_PLAYER = `d.player_id = x.player_id and d.day between x.exposed - ${DAYS_BEFORE} and $3::date`;

/** `day`: day 0, that of the exposure or of the activation. */
export type FiguredPlayer = Readonly<{ playerId: string; day: string; exposedOn: string }>;

/**
 * What players did since a day, each up to the end of `to`. Retention needs only the row of a player, conversion and revenue the days of those who
 * have bought something, anything else all days. A player who does not exist any more is left out.
 */
export async function findFigures(
  db: DedicatedConnection | Pool,
  exposures: readonly FiguredPlayer[],
  to: string,
  { days, retentionDays, eventTypes }: FigureNeeds,
): Promise<(PlayerFigures | undefined)[]> {
  const { rows } = await db.query<FigureRow>(
    `select x.place::int - 1 as place, start_day(p.created_at, p.first_day) >= x.exposed as "isNew", $3::date - x.day as "lastDay",
       array(
         select n from unnest($5::int[]) n
         where p.active_days @> x.day + n
           -- active_days are those of the last half year
           or (upper(p.active_days) - 180 > x.day + n and exists (
             select from player_days d where d.player_id = x.player_id and d.day = x.day + n and d.events > 0 offset 0
           ))
       ) as "activeOn",
       s.*, c.counts
     from unnest($1::bigint[], $2::date[], $7::date[]) with ordinality as x (player_id, day, exposed, place)
     cross join lateral (
       select created_at, first_day, active_days, purchase_days from players p where p.id = x.player_id offset 0
     ) p
     left join lateral (
       select ${SUMS},
         ${DATED} filter (where d.day >= x.day and d.revenue <> '{}') as revenue,
         ${DATED} filter (where d.day < x.exposed and d.revenue <> '{}') as "revenueBefore"
       from player_days d
       where ${DAYS_OF_PLAYER}
         and ($4 = 'all' or ($4 = 'purchases' and p.purchase_days && daterange(x.exposed - ${DAYS_BEFORE}, $3::date, '[]')))
     ) s on true
     left join lateral (
       select jsonb_agg(jsonb_build_array(t.name, t.since, t.before)) as counts
       from (
         select e.name, sum((d.event_counts ->> e.name)::bigint) filter (where d.day >= x.day) as since,
           sum((d.event_counts ->> e.name)::bigint) filter (where d.day < x.exposed) as before
         from player_days d cross join unnest($6::text[]) e (name)
         where ${DAYS_OF_PLAYER}
         group by e.name
       ) t
       where cardinality($6::text[]) > 0
     ) c on true`,
    [
      exposures.map(({ playerId }) => playerId),
      exposures.map(({ day }) => day),
      ...[to, days, retentionDays, eventTypes],
      exposures.map(({ exposedOn }) => exposedOn),
    ],
  );
  const figures = new Array<PlayerFigures | undefined>(exposures.length);
  for (const row of rows) figures[row.place] = figuresOf(row);
  return figures;
}

function figuresOf(row: FigureRow): PlayerFigures {
  const counts = row.counts ?? [];
  const countsAt = (at: 1 | 2) => Object.fromEntries(counts.map((count) => [count[0], count[at] ?? 0]));
  return {
    isNew: row.isNew,
    lastDay: row.lastDay,
    activeOn: row.activeOn,
    since: {
      sessions: row.sessions ?? 0,
      playMs: row.playMs ?? 0,
      adImpressions: row.adImpressions ?? 0,
      purchases: row.purchases ?? 0,
      revenue: row.revenue ?? [],
      eventCounts: countsAt(1),
    },
    before: {
      sessions: row.sessionsBefore ?? 0,
      playMs: row.playMsBefore ?? 0,
      adImpressions: row.adImpressionsBefore ?? 0,
      purchases: row.purchasesBefore ?? 0,
      revenue: row.revenueBefore ?? [],
      eventCounts: countsAt(2),
    },
  };
}
