import type { Client } from '../../db/pool.js';

/** What a player did on some UTC days. */
export type PlayerSums = {
  userId: string;
  isActive: boolean;
  purchases: number;
  /** Exact decimals by currency; null where nothing was bought. */
  revenue: Record<string, string> | null;
};

/** The days of each player are looked up by index, whatever the statistics of the table say. */
export async function listPlayerSums(
  client: Client,
  gameId: number,
  ids: readonly string[],
  { from, to }: { from: string; to: string },
): Promise<PlayerSums[]> {
  const { rows } = await client.query<PlayerSums>(
    `select p.user_id as "userId", s.is_active as "isActive", s.purchases, m.revenue
     from players p
     cross join lateral (
       select coalesce(bool_or(d.events > 0), false) as is_active, coalesce(sum(d.purchases), 0)::int as purchases
       from player_days d
       where d.player_id = p.id and d.day >= $3::date and d.day <= $4::date
       offset 0
     ) s
     left join lateral (
       select jsonb_object_agg(c.currency, c.amount::text) as revenue
       from (
         select r.key as currency, sum(r.value::numeric) as amount
         from player_days d cross join lateral jsonb_each_text(d.revenue) r
         where d.player_id = p.id and d.day >= $3::date and d.day <= $4::date
         group by r.key
         offset 0
       ) c
     ) m on s.purchases > 0
     where p.game_id = $1 and p.id = any($2::bigint[])`,
    [gameId, ids, from, to],
  );
  return rows;
}
