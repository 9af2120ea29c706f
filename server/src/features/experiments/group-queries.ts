import type { DedicatedConnection } from '../../db/dedicated-connection.js';
import { dateOf } from '../../lib/day.js';
import type { Exposure } from './exposure-queries.js';

/** What is known of a player at the exposure, and so cannot follow from an arm. */
export const EXPLORED = ['country', 'platform', 'payer', 'new'] as const;
export type Explored = (typeof EXPLORED)[number];

/** The group of each player, in the order of the exposures; null: not known. Of country and platform the last one up to the day of the exposure counts. */
export async function listGroups(
  connection: DedicatedConnection,
  exposures: readonly Pick<Exposure, 'playerId' | 'exposedOn'>[],
  by: Explored,
): Promise<(string | null)[]> {
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
       end as value
     from unnest($1::bigint[], $2::date[]) with ordinality as x (player_id, exposed, place)
     cross join lateral (
       select created_at, first_day, first_purchase_at from players p where p.id = x.player_id offset 0
     ) p`,
    [exposures.map(({ playerId }) => playerId), exposures.map(({ exposedOn }) => dateOf(exposedOn)), by],
  );
  const groups = new Array<string | null>(exposures.length).fill(null);
  for (const { place, value } of rows) groups[place] = value;
  return groups;
}
