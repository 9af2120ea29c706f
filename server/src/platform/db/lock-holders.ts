import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** A session that others wait for. What a role may not see of it is null. */
export type LockHolder = Readonly<{
  pid: number;
  application: string | null;
  state: string | null;
  /** Of its transaction and of its last statement, as text in UTC. */
  begunAt: string | null;
  askedAt: string | null;
}>;

/** What else is known of a holder, from `pg_stat_activity a`. */
export const SESSION_COLUMNS = `nullif(a.application_name, '') as application, a.state,
       to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as "begunAt",
       to_char(a.query_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as "askedAt"`;

/** The sessions that keep another one waiting at this moment. */
async function listLockHolders(watcher: pg.Client, waitingPid: number): Promise<LockHolder[]> {
  const { rows } = await watcher.query<LockHolder>(
    `select b.pid, ${SESSION_COLUMNS}
     from unnest(pg_blocking_pids($1)) b(pid)
     left join pg_stat_activity a on a.pid = b.pid
     order by a.xact_start`,
    [waitingPid],
  );
  return rows;
}

/**
 * Checks now and then, until the work of a session is over, which sessions keep it waiting. Calls `onLook` with them, or with
 * an empty list. Never rejects.
 */
export async function watchLockHolders(
  watcher: pg.Client,
  waitingPid: number,
  work: Promise<unknown>,
  everyMs: number,
  onLook: (holders: readonly LockHolder[]) => Promise<void> | void,
): Promise<void> {
  const over = new AbortController();
  const stop = () => over.abort();
  work.then(stop, stop);
  while (!over.signal.aborted) {
    await sleep(everyMs, undefined, { signal: over.signal }).catch(() => {});
    if (over.signal.aborted) return;
    try {
      const holders = await listLockHolders(watcher, waitingPid);
      if (!over.signal.aborted) await onLook(holders);
    } catch {
      // The next check may succeed. The caller learns from the work itself what has become of the database.
    }
  }
}

/** For an operator who has to find them: `session 4711 ("psql", idle in transaction since 2026-11-15 12:03:11 UTC, …)`. */
export function describeLockHolders(holders: readonly LockHolder[]): string {
  if (holders.length === 0) return 'a session that was gone before it could be seen';
  return holders.map(describe).join(' and ');
}

function describe({ pid, application, state, begunAt, askedAt }: LockHolder): string {
  const known = [
    application === null ? undefined : `"${application}"`,
    state ?? undefined,
    begunAt === null ? undefined : `transaction since ${begunAt} UTC`,
    askedAt === null ? undefined : `last statement at ${askedAt} UTC`,
  ].filter((part) => part !== undefined);
  return `session ${pid}${known.length === 0 ? '' : ` (${known.join(', ')})`}`;
}

/** What to do about them. */
export function howToEnd(holders: readonly LockHolder[]): string {
  const calls = holders.map(({ pid }) => `pg_terminate_backend(${pid})`);
  return calls.length === 0
    ? 'Try again when the database is less busy.'
    : `Let it finish or end it with ${calls.join(' and ')}, then try again.`;
}
