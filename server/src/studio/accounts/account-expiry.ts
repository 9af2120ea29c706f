import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';

/** Rows per statement. A statement takes a fraction of a second. */
const CHUNK = 5_000;

const DELETE_EXPIRED = [
  `delete from account_sessions where token_hash = any (array(
     select token_hash from account_sessions where expires_at <= $1 order by expires_at limit $2))`,
  `delete from sign_in_links where token_hash = any (array(
     select token_hash from sign_in_links where expires_at <= $1 order by expires_at limit $2))`,
  `delete from invitations where id = any (array(
     select id from invitations where expires_at <= $1 order by expires_at limit $2))`,
  `delete from draft_editors where (game_id, account_id, window_id) in (
     select game_id, account_id, window_id from draft_editors where expires_at <= $1 order by expires_at limit $2)`,
];

/** Deletes expired account sessions, sign-in links, invitations and windows with an open draft, in chunks. Returns how many rows were deleted. */
export async function deleteExpiredAccess(
  db: Pool | DedicatedConnection,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (const statement of DELETE_EXPIRED) {
    let last = CHUNK;
    while (last === CHUNK && signal?.aborted !== true) {
      const { rowCount } = await db.query(statement, [new Date(nowMs), CHUNK]);
      last = rowCount ?? 0;
      deleted += last;
    }
  }
  return deleted;
}
