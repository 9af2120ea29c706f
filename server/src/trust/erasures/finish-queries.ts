import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';

export type FinishedErasure = {
  erasureId: string;
  gameId: number;
  playerHash: Buffer;
  tenant: string;
  game: string;
  requestedAt: number;
  startedAt: number;
  counts: Record<string, number>;
};

export async function listFinished(
  connection: DedicatedConnection,
  erasureIds: readonly string[],
): Promise<FinishedErasure[]> {
  const { rows } = await connection.query<FinishedErasure>(
    `select e.id as "erasureId", e.game_id as "gameId", e.player_hash as "playerHash", t.slug as tenant, g.slug as game,
       e.requested_at as "requestedAt", e.started_at as "startedAt", e.counts
     from erasures e
     join lateral (select * from games g where g.id = e.game_id offset 0) g on true
     join tenants t on t.id = g.tenant_id
     where e.id = any($1::uuid[]) and e.state = 'erasing'`,
    [erasureIds],
  );
  return rows;
}

/** From here on nothing in the database names the players. */
export async function updateErasuresDone(
  connection: DedicatedConnection,
  receipts: readonly Readonly<{ erasureId: string; receipt: string }>[],
  nowMs: number,
): Promise<void> {
  await connection.query(
    `update erasures e set state = 'done', finished_at = $3, receipt = r.receipt, player_id = null, user_id = null,
       first_block_at = null, last_block_at = null
     from unnest($1::uuid[], $2::text[]) as r(id, receipt)
     where e.id = any($1::uuid[]) and e.id = r.id and e.state = 'erasing'`,
    [receipts.map(({ erasureId }) => erasureId), receipts.map(({ receipt }) => receipt), new Date(nowMs)],
  );
}
