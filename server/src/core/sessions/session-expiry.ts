import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { MAX_ACCESS_TTL_SECONDS } from '../../platform/settings/setting-rows.js';
import { CHECK_DAY } from './session-queries.js';

/** Rows a statement: a fraction of a second. */
const CHUNK = 5_000;

/**
 * Deletes expired sessions, in chunks of a transaction each, and returns how many. Only sessions whose day has come are read.
 * One that was refreshed meanwhile gets the day that follows from its new end; its refreshes never write that day, so that
 * they change no indexed column. Guards do not look at the end of a session, only at the token's: a session is kept until
 * its last access token has expired, too, however short-lived refresh tokens are.
 */
export async function deleteExpiredSessions(
  db: Pool | DedicatedConnection,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const before = new Date(nowMs - MAX_ACCESS_TTL_SECONDS * 1000);
  let deleted = 0;
  while (signal?.aborted !== true) {
    const { rows } = await db.query<{ due: number; deleted: number }>(CHECK_SESSIONS, [
      new Date(nowMs).toISOString().slice(0, 10),
      before,
      CHUNK,
    ]);
    deleted += rows[0]?.deleted ?? 0;
    if ((rows[0]?.due ?? 0) < CHUNK) break;
  }
  return deleted;
}

// By ctid: the rows are locked. A row that was refreshed between the read and the lock has another ctid, and is due again
// later.
export const CHECK_SESSIONS = `
  with due as (
    select ctid, expires_at <= $2 as is_over
    from sessions
    where check_on <= $1::date
    limit $3
    for update skip locked
  ), gone as (
    delete from sessions where ctid = any (array(select ctid from due where is_over)) returning id
  ), moved as (
    update sessions set check_on = ${CHECK_DAY} where ctid = any (array(select ctid from due where not is_over))
  )
  select (select count(*)::int from due) as due, (select count(*)::int from gone) as deleted`;
