import { join } from 'node:path';
import type pg from 'pg';
import { findServer } from '../attach.js';
import { withSuperuser } from '../login.js';
import { archiveFile, archiveHistories, listArchived } from './archive-file.js';
import { claimBackupFolder, walFolderOf } from './backup-folder.js';
import { segmentsBetween, startOf } from './wal-segments.js';

/** PostgreSQL keeps every segment from the position of this slot on, also while the service is down. */
const SLOT = 'savepoint_archive';

type Options = Readonly<{
  dataDir: string;
  /** The folder of all backups. */
  to: string;
  /** Ends the present segment, if something was written to it, so that it can be archived. */
  endSegment: boolean;
  signal?: AbortSignal;
}>;

/**
 * Copies the segments of the log that are finished and not yet archived, and then lets PostgreSQL delete them:
 *
 *   slot ─► end the present segment ─► copy the finished ones, each synced ─► move the slot behind them
 *
 * After a kill the next run copies what is missing. Returns how many were copied.
 */
export async function archiveLog({ dataDir, to, endSegment, signal }: Options): Promise<number> {
  const server = await findServer(dataDir);
  if (server === undefined) throw new Error('the embedded PostgreSQL is not running');
  return withSuperuser(server.login, async (connection) => {
    const { rows } = await connection.query<{ id: string }>(
      'select system_identifier::text as id from pg_control_system()',
    );
    await claimBackupFolder(to, rows[0]?.id ?? '', dataDir);
    await ensureSlot(connection);
    if (endSegment) await connection.query('select pg_switch_wal()');
    const { oldest, present } = await findSegments(connection);
    const folder = walFolderOf(to);
    await archiveHistories(server.clusterDir, folder);
    const archived = await listArchived(folder);
    let copied = 0;
    for (const segment of segmentsBetween(oldest, present)) {
      signal?.throwIfAborted();
      if (segment === present || archived.has(segment)) continue;
      await archiveFile(join(server.clusterDir, 'pg_wal', segment), folder, segment);
      copied++;
    }
    await moveSlot(connection, present);
    return copied;
  });
}

/** For a service that no longer archives: PostgreSQL would keep its log for ever. */
export async function endArchive(dataDir: string): Promise<void> {
  const server = await findServer(dataDir);
  if (server === undefined) return;
  await withSuperuser(server.login, (connection) =>
    connection.query(
      'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1',
      [SLOT],
    ),
  );
}

async function ensureSlot(connection: pg.Client): Promise<void> {
  await connection.query(
    `select pg_create_physical_replication_slot($1::name, true)
      where not exists (select from pg_replication_slots where slot_name = $1)`,
    [SLOT],
  );
}

/**
 * From where on the log is not archived, and the segment that is being written. PostgreSQL counts the position at which a segment begins to
 * the segment before, so it is asked for the one after.
 */
async function findSegments(connection: pg.Client): Promise<{ oldest: string; present: string }> {
  const { rows } = await connection.query<{ oldest: string; present: string }>(
    `select pg_walfile_name(restart_lsn + 1) as oldest, pg_walfile_name(pg_current_wal_flush_lsn() + 1) as present
       from pg_replication_slots where slot_name = $1`,
    [SLOT],
  );
  const [found] = rows;
  if (found?.oldest == null) throw new Error(`the replication slot ${SLOT} has lost its place in the log`);
  return found;
}

async function moveSlot(connection: pg.Client, present: string): Promise<void> {
  await connection.query(
    `select pg_replication_slot_advance(slot_name, $2::pg_lsn)
       from pg_replication_slots where slot_name = $1 and restart_lsn < $2::pg_lsn`,
    [SLOT, startOf(present)],
  );
}
