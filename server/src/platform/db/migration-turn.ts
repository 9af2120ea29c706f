import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StartupError } from '../lib/startup-error.js';
import { describeLockHolders, howToEnd, type LockHolder, SESSION_COLUMNS } from './lock-holders.js';

// Any fixed number: it only has to be the same on every node ("savepnt" in ASCII).
const MIGRATION_LOCK = '32477501386255476';

/** How long a node waits for another one that migrates. */
export type TurnWait = Readonly<{ pauseMs: number; forMs: number }>;

/** Longer than a migration waits for locks. A large index may take longer still: then starting again goes on from there. */
export const TURN_WAIT: TurnWait = { pauseMs: 200, forMs: 900_000 };

/**
 * Asks repeatedly rather than wait inside PostgreSQL. Creating an index waits for all running statements, also for one that
 * waits for this lock, which the node that creates the index holds.
 */
export async function takeTurn(
  client: pg.Client,
  say: (line: string) => void,
  { pauseMs, forMs }: TurnWait,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = performance.now() + forMs;
  for (let attempt = 1; ; attempt++) {
    const { rows } = await client.query<{ isMine: boolean }>(
      `select pg_try_advisory_lock(${MIGRATION_LOCK}) as "isMine"`,
    );
    if (rows[0]?.isMine) return;
    if (attempt === 1) {
      const holders = describeLockHolders(await listTurnHolders(client));
      say(`Another node is migrating the database: ${holders}. Waiting for it to finish…`);
    }
    if (performance.now() >= deadline) {
      const holders = await listTurnHolders(client);
      throw new StartupError(
        `Another node has been migrating the database for ${Math.round(forMs / 60_000)} minutes: ${describeLockHolders(holders)}. ${howToEnd(holders)}`,
      );
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

/** PostgreSQL shows the upper and the lower half of the lock's number apart. */
async function listTurnHolders(client: pg.Client): Promise<LockHolder[]> {
  const { rows } = await client.query<LockHolder>(
    `select l.pid, ${SESSION_COLUMNS}
     from pg_locks l
     left join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.objsubid = 1
       and l.database = (select oid from pg_database where datname = current_database())
       and (l.classid::bigint << 32) + l.objid::bigint = ${MIGRATION_LOCK}`,
  );
  return rows;
}
