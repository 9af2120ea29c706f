import { dayTable } from '../../core/events/storage/event-partitions.js';
import {
  type DedicatedConnection,
  inTransaction,
  isLockTimeout,
  isStatementTimeout,
} from '../../platform/db/dedicated-connection.js';
import { rewriteTableName, type SwapObstacle } from './compact-queries.js';

/** PostgreSQL reads all of the default partition under the lock; this much takes it a tenth of a second. */
const MAX_DEFAULT_BYTES = 128 * 1024 * 1024;

/** `changed`: they would not be the same events. */
export type SwapOutcome = 'swapped' | 'changed' | SwapObstacle;

/** Whether both tables hold the same number of events. They do, unless blocks have changed since they were read. */
export async function holdsAsManyEvents(connection: DedicatedConnection, day: string): Promise<boolean> {
  const table = connection.escapeIdentifier(dayTable(day));
  const rewriteTable = connection.escapeIdentifier(rewriteTableName(day));
  const { rows } = await connection.query<{ same: boolean }>(
    `select (select coalesce(sum(event_count), 0) from ${table}) = (select coalesce(sum(event_count), 0) from ${rewriteTable}) as same`,
  );
  return rows[0]?.same === true;
}

/** Of a day's partition with its indexes. */
export async function findDayBytes(connection: DedicatedConnection, day: string): Promise<number> {
  const { rows } = await connection.query<{ bytes: number }>(
    'select pg_total_relation_size($1::regclass)::float8 as bytes',
    [dayTable(day)],
  );
  return rows[0]?.bytes ?? 0;
}

/** Without this, autovacuum and the planner would read the whole table again. */
export async function freezeRewrite(connection: DedicatedConnection, day: string): Promise<void> {
  await connection.query(`vacuum (freeze, analyze) ${connection.escapeIdentifier(rewriteTableName(day))}`);
}

/**
 * Puts the larger blocks in the place of the smaller ones, in one transaction: everybody sees the ones or the others.
 *
 * - The lock on the day waits for current writers and blocks later ones. Whether the day has changed since the rewrite began is
 *   asked under that lock.
 * - A snapshot that is older than the larger blocks would see neither: PostgreSQL takes the list of partitions as it is now. Only
 *   when there is none can `vacuum` freeze all rows, which shows in `relfrozenxid`.
 * - Then `event_blocks` as a whole is locked for a moment. Intake queues behind that lock, so the wait for it is short. The time-out
 *   is shorter than PostgreSQL's `deadlock_timeout`, so a deadlock ends the swap and not a writer. The statements under the lock have
 *   a time-out, too, in case the disk stalls.
 */
export async function swapDay(connection: DedicatedConnection, day: string): Promise<SwapOutcome> {
  const table = connection.escapeIdentifier(dayTable(day));
  try {
    return await inTransaction(connection, async () => {
      await connection.query("set local lock_timeout = '200ms'");
      await connection.query("set local statement_timeout = '2s'");
      await connection.query(`lock table ${table} in share row exclusive mode`);
      const obstacle = await findObstacle(connection, day);
      if (obstacle !== undefined) return obstacle;
      await connection.query('select swap_in_day_rewrite($1)', [day]);
      await markSwapped(connection, day);
      return 'swapped';
    });
  } catch (error) {
    if (isLockTimeout(error) || isStatementTimeout(error)) return 'lock';
    throw error;
  }
}

async function findObstacle(
  connection: DedicatedConnection,
  day: string,
): Promise<Exclude<SwapOutcome, 'swapped'> | undefined> {
  const { rows } = await connection.query<{ changed: boolean; frozen: boolean; defaultBytes: number }>(
    `select exists (select from event_block_changes where day = $1) as changed,
       age(c.relfrozenxid) < age(d.xmin) as frozen, pg_relation_size('event_blocks_default')::float8 as "defaultBytes"
     from event_block_days d
     cross join pg_class c
     where d.day = $1 and c.oid = $2::regclass`,
    [day, rewriteTableName(day)],
  );
  const [found] = rows;
  if (found === undefined || found.changed) return 'changed';
  if (!found.frozen) return 'snapshot';
  return found.defaultBytes > MAX_DEFAULT_BYTES ? 'default_partition' : undefined;
}

async function markSwapped(connection: DedicatedConnection, day: string): Promise<void> {
  await connection.query(
    `update event_block_days
     set state = 'compacted', window_starts = new_window_starts, new_window_starts = null, waits_for = null, changed_at = now()
     where day = $1`,
    [day],
  );
}
