import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { makeFolder, syncFolder } from '../../lib/durable-file.js';
import { StartupError } from '../../lib/startup-error.js';
import { type FoundServer, findServer } from '../attach.js';
import { ifExists } from '../errno.js';
import { withSuperuser } from '../login.js';
import { SECRETS } from '../swap-clusters.js';
import {
  type Backup,
  backupName,
  claimBackupFolder,
  partialOf,
  removePartialBackups,
} from './backup-folder.js';
import { listClusterFiles } from './cluster-files.js';
import { copyHashed, packFile, writeHashed } from './hashed-files.js';
import { type BackupFile, type Manifest, writeManifest } from './manifest.js';
import { segmentsBetween } from './wal-segments.js';

type Options = Readonly<{
  dataDir: string;
  /** The folder of all backups. */
  to: string;
  signal?: AbortSignal;
  onProgress?: (copiedBytes: number, totalBytes: number) => void;
}>;

/**
 * A base backup of the running embedded server, by PostgreSQL's functions for it. Files are copied while they are written to; the
 * log from start to stop makes them whole again, so it belongs to the backup:
 *
 *   slot: no segment is deleted ─► pg_backup_start ─► copy files ─► pg_backup_stop ─► copy the log ─► manifest ─► rename
 *
 * Until the rename the backup is called `.partial`, and nothing takes it for one.
 *
 * @returns undefined if another backup is being made
 */
export async function takeBackup(options: Options): Promise<Backup | undefined> {
  const server = await findServer(options.dataDir);
  if (server === undefined)
    throw new StartupError('The embedded PostgreSQL was stopped. Start it, and run the command again.');
  return withSuperuser(server.login, async (connection) => {
    const { rows } = await connection.query<{ isMine: boolean }>(
      'select pg_try_advisory_lock(hashtext(\'savepoint backup\')) as "isMine"',
    );
    return rows[0]?.isMine ? takeInTurn(connection, server, options) : undefined;
  });
}

type Begun = Readonly<{ systemIdentifier: string; postgres: string; startedAt: Date }>;

async function takeInTurn(connection: pg.Client, server: FoundServer, options: Options): Promise<Backup> {
  const { rows } = await connection.query<Begun>(
    `select system_identifier::text as "systemIdentifier", current_setting('server_version') as postgres,
            clock_timestamp() as "startedAt"
       from pg_control_system()`,
  );
  const begun = rows[0] as Begun;
  await claimBackupFolder(options.to, begun.systemIdentifier, options.dataDir);
  await removePartialBackups(options.to);
  const name = backupName(begun.startedAt);
  const folder = join(options.to, name);
  const partial = partialOf(folder);
  try {
    const manifest = await copyAll(connection, server, begun, partial, options);
    await writeManifest(partial, manifest);
    await rename(partial, folder);
    await syncFolder(options.to);
    return { name, folder, manifest };
  } catch (error) {
    // What is left by a failure here is removed by the next backup.
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    throw error;
  }
}

async function copyAll(
  connection: pg.Client,
  { root, clusterDir }: FoundServer,
  begun: Begun,
  partial: string,
  options: Options,
): Promise<Manifest> {
  const cluster = join(partial, 'cluster');
  const wal = join(partial, 'wal');
  const secrets = join(partial, 'secrets');
  for (const path of [partial, cluster, wal, secrets]) await makeFolder(path, 0o700);
  // Ends with the session, also after a kill.
  await connection.query(
    "select pg_create_physical_replication_slot('savepoint_backup_' || pg_backend_pid(), true, true)",
  );
  await connection.query("select pg_backup_start('savepoint', true)");
  const { folders, files } = await copyCluster(clusterDir, cluster, options);
  const { rows } = await connection.query<{
    stopLsn: string;
    stopSegment: string;
    label: string;
    finishedAt: Date;
  }>(
    `select lsn::text as "stopLsn", pg_walfile_name(lsn) as "stopSegment", labelfile as label,
            clock_timestamp() as "finishedAt"
       from pg_backup_stop(false)`,
  );
  const [stopped] = rows;
  const start = /START WAL LOCATION: (\S+) \(file (\w+)\)/.exec(stopped?.label ?? '');
  if (stopped === undefined || start === null)
    throw new Error('PostgreSQL did not say where the backup began');
  const [, startLsn = '', startSegment = ''] = start;
  const label = await writeHashed(join(cluster, 'backup_label'), stopped.label);
  files.push({ path: 'cluster/backup_label', ...label });
  for (const segment of segmentsBetween(startSegment, stopped.stopSegment)) {
    options.signal?.throwIfAborted();
    const packed = await packFile(join(clusterDir, 'pg_wal', segment));
    files.push({ path: `wal/${segment}.gz`, ...(await writeHashed(join(wal, `${segment}.gz`), packed)) });
  }
  files.push(...(await copySecrets(root, secrets)));
  for (const path of [cluster, wal, secrets]) await syncFolder(path);
  const { stopLsn, stopSegment } = stopped;
  return {
    format: 1,
    postgres: begun.postgres,
    systemIdentifier: begun.systemIdentifier,
    startSegment,
    startLsn,
    stopSegment,
    stopLsn,
    startedAt: begun.startedAt.toISOString(),
    finishedAt: stopped.finishedAt.toISOString(),
    folders,
    files,
  };
}

async function copyCluster(
  from: string,
  to: string,
  { signal, onProgress }: Options,
): Promise<{ folders: readonly string[]; files: BackupFile[] }> {
  const { folders, files } = await listClusterFiles(from);
  for (const path of folders) await makeFolder(join(to, path), 0o700);
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  const copied: BackupFile[] = [];
  let copiedBytes = 0;
  for (const { path } of files) {
    signal?.throwIfAborted();
    // A file that was deleted meanwhile: the log says so, too.
    const hashed = await ifExists(copyHashed(join(from, path), join(to, path)));
    if (hashed === undefined) continue;
    copied.push({ path: `cluster/${path}`, ...hashed });
    copiedBytes += hashed.size;
    onProgress?.(copiedBytes, totalBytes);
  }
  for (const path of folders) await syncFolder(join(to, path));
  return { folders, files: copied };
}

async function copySecrets(root: string, to: string): Promise<BackupFile[]> {
  const copied: BackupFile[] = [];
  for (const name of SECRETS) {
    if ((await ifExists(stat(join(root, name)))) === undefined) continue;
    copied.push({ path: `secrets/${name}`, ...(await copyHashed(join(root, name), join(to, name))) });
  }
  return copied;
}
