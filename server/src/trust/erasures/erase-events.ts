import {
  type DedicatedConnection,
  inTransaction,
  isLockTimeout,
  isUndefinedTable,
} from '../../platform/db/dedicated-connection.js';
import type { Rest } from '../../platform/lib/share-of-time.js';
import { noteCountsAndTimes } from './table-erasures.js';

/** A block has up to a thousand events. */
const BLOCKS_PER_STATEMENT = 40;

/**
 * Deletes the stored events, day by day: a statement about all days would lock every one of them. Then the copies that compaction is
 * writing. Returns false if a copy could not be locked; then it has to be tried again.
 */
export async function eraseEvents(
  connection: DedicatedConnection,
  playerIds: readonly string[],
  rest: Rest,
): Promise<boolean> {
  for (const table of await listPartitions(connection, 'event_blocks')) {
    await untilDone(BLOCKS_PER_STATEMENT, rest, () =>
      deleteBlocks(connection, table, playerIds).catch(ignoreDropped),
    );
  }
  // After the days: a rewrite that begins now does not see these events any more.
  for (const table of await listRewriteTables(connection)) {
    if (!(await eraseCopies(connection, table, playerIds, rest))) return false;
  }
  return true;
}

/** Repeats a statement until it deletes fewer rows than its limit. */
export async function untilDone(limit: number, rest: Rest, deleteSome: () => Promise<number>): Promise<void> {
  for (;;) {
    const deleted = await deleteSome();
    await rest();
    if (deleted < limit) return;
  }
}

export async function listPartitions(
  connection: DedicatedConnection,
  parent: 'event_blocks' | 'event_identities',
): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass order by 1`,
    [parent],
  );
  return rows.map(({ name }) => name);
}

async function deleteBlocks(
  connection: DedicatedConnection,
  table: string,
  playerIds: readonly string[],
): Promise<number> {
  const name = connection.escapeIdentifier(table);
  const { rows } = await connection.query<{ n: number }>(
    `with gone as (
       delete from ${name} where ctid = any (array(
         select ctid from ${name} where player_id = any($1::bigint[]) limit $2
       ))
       returning player_id, received_at, first_at, last_at, event_count
     ), ${NOTE_BLOCKS}
     select count(*)::int as n from gone`,
    [playerIds, BLOCKS_PER_STATEMENT],
  );
  return rows[0]?.n ?? 0;
}

/** Exports choose events by their own time. A device that was offline sends events of long ago, and its clock may be ahead. */
const NOTE_BLOCKS = noteCountsAndTimes(
  "'event_blocks', count(*), 'events', sum(event_count)",
  'least(received_at, first_at)',
  'greatest(received_at, last_at)',
);

/** Retention may drop a day meanwhile, and its events with it. */
function ignoreDropped(error: unknown): number {
  if (isUndefinedTable(error)) return 0;
  throw error;
}

/** The tables in which compaction gathers the larger blocks of a day: see operations/event-storage/compact-queries.ts. */
async function listRewriteTables(connection: DedicatedConnection): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relname ~ '^event_blocks_[0-9]{8}_compact$'
     order by 1`,
  );
  return rows.map(({ name }) => name);
}

/**
 * The lock waits for a rewrite that is copying, which may have read the events before they were deleted. What it copies later it reads
 * after that. The deletion has changed the day, so compaction discards the copy and starts again.
 */
async function eraseCopies(
  connection: DedicatedConnection,
  table: string,
  playerIds: readonly string[],
  rest: Rest,
): Promise<boolean> {
  const name = connection.escapeIdentifier(table);
  try {
    await inTransaction(connection, async () => {
      await connection.query("set local lock_timeout = '500ms'");
      await connection.query(`lock table ${name} in share row exclusive mode`);
    });
    await untilDone(BLOCKS_PER_STATEMENT, rest, async () => {
      const { rowCount } = await connection.query(
        `delete from ${name} where ctid = any (array(
           select ctid from ${name} where player_id = any($1::bigint[]) limit $2
         ))`,
        [playerIds, BLOCKS_PER_STATEMENT],
      );
      return rowCount ?? 0;
    });
    return true;
  } catch (error) {
    if (isUndefinedTable(error)) return true;
    if (isLockTimeout(error)) return false;
    throw error;
  }
}
