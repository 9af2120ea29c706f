import type { Client } from '../../platform/db/pool.js';
import type { DatedAmounts } from '../../studio/money/exchange-rates.js';
import { datedRevenue } from '../../studio/money/rate-days.js';

/** What a player did on some UTC days. */
export type PlayerSums = {
  userId: string;
  isActive: boolean;
  purchases: number;
  /** Exact decimals, apart for the days on which the same exchange rates hold; null where nothing was bought. */
  dated: DatedAmounts[] | null;
};

/**
 * The days of each player are looked up by index, whatever the statistics of the table say. `changeDays`: when exchange rates
 * change.
 */
export async function listPlayerSums(
  client: Client,
  gameId: number,
  ids: readonly string[],
  { from, to }: { from: string; to: string },
  changeDays: readonly string[] = [],
): Promise<PlayerSums[]> {
  const { rows } = await client.query<PlayerSums>(
    `select p.user_id as "userId", s.is_active as "isActive", s.purchases, m.dated
     from players p
     cross join lateral (
       select coalesce(bool_or(d.events > 0), false) as is_active, coalesce(sum(d.purchases), 0)::int as purchases
       from player_days d
       where d.player_id = p.id and d.day >= $3::date and d.day <= $4::date
       offset 0
     ) s
     left join lateral (${DATED_REVENUE}
     ) m on s.purchases > 0
     where p.game_id = $1 and p.id = any($2::bigint[])`,
    [gameId, ids, from, to, changeDays],
  );
  return rows;
}

const DATED_REVENUE = datedRevenue('d.player_id = p.id and d.day >= $3::date and d.day <= $4::date', '$5');
