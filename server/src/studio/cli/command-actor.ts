import { hostname, userInfo } from 'node:os';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import { readDatabaseClock } from '../../platform/db/database-clock.js';
import type { Pool } from '../../platform/db/pool.js';

/**
 * The actor in the audit log for what a command changes: `ada@build-7`. The time is the database's: what a command makes or
 * ends, ends when the nodes say so.
 */
export async function commandActor(pool: Pool): Promise<Actor> {
  const { databaseMs } = await readDatabaseClock(pool);
  return { name: `${currentUser()}@${hostname()}`, nowMs: databaseMs };
}

export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return 'cli';
  }
}
