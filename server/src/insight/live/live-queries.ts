import { type Pool, query } from '../../platform/db/pool.js';

/** A block that has arrived, without its events. */
export type LiveBlock = { id: string; receivedMs: number; count: number };

/** The newest blocks of a game that were received since an instant, newest first. */
export async function listNewestBlocks(
  pool: Pool,
  gameId: number,
  sinceMs: number,
  limit: number,
): Promise<LiveBlock[]> {
  return query<LiveBlock>(
    pool,
    {
      name: 'list_newest_blocks',
      text: `select id, floor(extract(epoch from received_at) * 1000)::float8 as "receivedMs", event_count as count
             from event_blocks where game_id = $1 and received_at >= $2
             order by received_at desc, id desc
             limit $3`,
    },
    [gameId, new Date(sinceMs), limit],
  );
}

/** An event with its position in its block. */
export type LiveRow = {
  blockId: string;
  place: number;
  receivedMs: number;
  userId: string;
  eventType: string;
  timestampText: string | null;
  occurredMs: number;
  payload: Record<string, unknown>;
  metadata: Record<string, unknown>;
};

/** The last events of some blocks, in the order of their receipt. */
export async function listLiveEvents(
  pool: Pool,
  gameId: number,
  blocks: readonly LiveBlock[],
  limit: number,
): Promise<LiveRow[]> {
  const times = blocks.map(({ receivedMs }) => receivedMs);
  const rows = await query<LiveRow>(
    pool,
    {
      name: 'list_live_events',
      text: `select b.id as "blockId", e.place::int as place, floor(extract(epoch from b.received_at) * 1000)::float8 as "receivedMs",
               (select user_id from players p where p.id = b.player_id) as "userId", e.event_type as "eventType",
               e.timestamp_text as "timestampText", floor(extract(epoch from e.occurred_at) * 1000)::float8 as "occurredMs",
               e.payload, e.metadata
             from (
               select * from event_blocks
               where game_id = $1 and received_at >= $2 and received_at < $3 and id = any($4::bigint[])
               offset 0
             ) b
             cross join lateral event_rows(b.events) e
             order by b.received_at desc, b.id desc, e.place desc
             limit $5`,
    },
    [
      gameId,
      new Date(Math.min(...times)),
      new Date(Math.max(...times) + 1),
      blocks.map(({ id }) => id),
      limit,
    ],
  );
  return rows.reverse();
}
