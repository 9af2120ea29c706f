import type { DedicatedConnection } from '../platform/db/dedicated-connection.js';
import { dateOf } from '../platform/lib/day.js';
import type { Exposure, RunKey } from './exposure-queries.js';

/** What is known of a player at the exposure, and so cannot follow from an arm. */
export const EXPLORED = ['country', 'platform', 'payer', 'new', 'segment'] as const;
export type Explored = (typeof EXPLORED)[number];

/** Epoch milliseconds; `before` is Infinity where it has not ended. */
export type TimeSpan = Readonly<{ since: number; before: number }>;

/** `spans`: when exposures say whether the player was in the segment. */
export type Grouping =
  | Readonly<{ by: Exclude<Explored, 'segment'> }>
  | Readonly<{ by: 'segment'; segmentId: string; spans: readonly TimeSpan[] }>;

type Run = Pick<RunKey, 'experimentId' | 'seed'>;

/** The group of each player, in the order of the exposures; null: not known. Of country and platform the last one up to the day of the exposure counts. */
export async function listGroups(
  connection: DedicatedConnection,
  { experimentId, seed }: Run,
  exposures: readonly Pick<Exposure, 'playerId' | 'exposedOn'>[],
  grouping: Grouping,
): Promise<(string | null)[]> {
  const { segmentId = null, spans = [] } = grouping.by === 'segment' ? grouping : {};
  const { rows } = await connection.query<{ place: number; value: string | null }>(
    `select x.place::int - 1 as place,
       case $3::text
         when 'country' then (
           select d.country from player_days d
           where d.player_id = x.player_id and d.day <= x.exposed and d.country is not null
           order by d.day desc
           limit 1
         )
         when 'platform' then (
           select d.platform from player_days d
           where d.player_id = x.player_id and d.day <= x.exposed and d.platform is not null
           order by d.day desc
           limit 1
         )
         when 'payer' then
           case when p.first_purchase_at < x.exposed::timestamp at time zone 'UTC' then 'yes' else 'no' end
         when 'new' then case when start_day(p.created_at, p.first_day) >= x.exposed then 'yes' else 'no' end
         when 'segment' then (
           select case when $6 = any(e.segments) then 'yes' else 'no' end from experiment_exposures e
           where e.player_id = x.player_id and e.experiment_id = $4 and e.seed = $5 and e.segments is not null
             and exists (
               select from unnest($7::timestamptz[], $8::timestamptz[]) as s (since, before)
               where e.exposed_at >= s.since and e.exposed_at < s.before
             )
         )
       end as value
     from unnest($1::bigint[], $2::date[]) with ordinality as x (player_id, exposed, place)
     cross join lateral (
       select created_at, first_day, first_purchase_at from players p where p.id = x.player_id offset 0
     ) p`,
    [
      exposures.map(({ playerId }) => playerId),
      exposures.map(({ exposedOn }) => dateOf(exposedOn)),
      ...[grouping.by, experimentId, seed, segmentId],
      spans.map(({ since }) => new Date(since)),
      spans.map(({ before }) => (Number.isFinite(before) ? new Date(before) : 'infinity')),
    ],
  );
  const groups = new Array<string | null>(exposures.length).fill(null);
  for (const { place, value } of rows) groups[place] = value;
  return groups;
}
