import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listClusterFiles } from '../../platform/embedded-postgres/backup/cluster-files.js';
import {
  requireBackupsMovable,
  setBackupsAside,
} from '../../platform/embedded-postgres/backup/set-backups-aside.js';
import { prepareBinaries } from '../../platform/embedded-postgres/binaries.js';
import { bringUp, type ServerSpec } from '../../platform/embedded-postgres/bring-up.js';
import {
  findClusterMajor,
  makeCluster,
  removeLeftovers,
  syncCluster,
} from '../../platform/embedded-postgres/cluster.js';
import {
  clusterPathIn,
  findClusterDir,
  makeSocketDir,
  READING_PORT,
  SOCKET_PORT,
} from '../../platform/embedded-postgres/cluster-place.js';
import { noteVersion, otherMajor } from '../../platform/embedded-postgres/cluster-version.js';
import { openDataDir } from '../../platform/embedded-postgres/data-dir.js';
import { takeDataLock } from '../../platform/embedded-postgres/data-lock.js';
import { errorCode } from '../../platform/embedded-postgres/errno.js';
import { diskFull, explainFileError } from '../../platform/embedded-postgres/failures.js';
import { withSuperuser } from '../../platform/embedded-postgres/login.js';
import { refuseMountPoint } from '../../platform/embedded-postgres/mount-point.js';
import { readPassword } from '../../platform/embedded-postgres/password-file.js';
import { adoptPostmaster, requireStopped, shutDown } from '../../platform/embedded-postgres/postmaster.js';
import { findRunningServer } from '../../platform/embedded-postgres/postmaster-pid.js';
import { chooseServerUser } from '../../platform/embedded-postgres/server-user.js';
import {
  announceSwap,
  finishSwap,
  newStamp,
  refuseEmptyBeside,
  removeUnswapped,
  type Swap,
  swapClusters,
} from '../../platform/embedded-postgres/swap-clusters.js';
import { inUnits, readFreeSpace } from '../../platform/lib/free-space.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { type CopiedTable, type CopyProgress, checkCopy, copyDatabase } from './copy-database.js';

/** The new cluster has no more to write than the old one; indexes are sorted on the disk while they are made. */
const ROOM_FACTOR = 1.2;
const ROOM_BESIDES_BYTES = 1024 ** 3;
/** PostgreSQL's code. */
const DISK_FULL = '53100';
const NEW_PORT = SOCKET_PORT + 1;

/** Nobody needs the new cluster until it is whole; then all of it is brought to the disk at once. */
const FILLING: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  maintenance_work_mem: '256MB',
  // One transaction makes all partitions: years of days, with their indexes.
  max_locks_per_transaction: '512',
};

/** The old server is read once. A vacuum against the wraparound of numbers would hold up the locks on all tables for its whole run. */
const READING: Readonly<Record<string, string>> = {
  autovacuum: 'off',
  autovacuum_freeze_max_age: '2000000000',
  autovacuum_multixact_freeze_max_age: '2000000000',
  max_locks_per_transaction: '512',
};

/** Where an upgrade has come to. */
export type UpgradeStep = 'copied' | 'announced' | 'aside';

export type Upgraded = Readonly<{
  from: string;
  to: string;
  tables: number;
  rows: number;
  /** Where the old cluster is. */
  kept: string;
  /** Where the backups of the old one are, if there were any in the folder. */
  backups: string | undefined;
}>;

type Options = Readonly<{
  dataDir: string;
  /** The folder with the programs of the PostgreSQL that made the database. */
  fromBinaries: string;
  /** The folder of the service's backups. */
  backups: string | undefined;
  signal: AbortSignal;
  say: (line: string) => void;
  onProgress: (progress: CopyProgress) => void;
  /** As for the service. */
  settings?: Readonly<Record<string, string>>;
  /** For tests, which have the programs of one major version only. */
  takesSameMajor?: boolean;
  onStep?: (step: UpgradeStep) => Promise<void>;
}>;

/**
 * Moves the embedded database from the major version of PostgreSQL that made it to the one that comes with Savepoint:
 *
 *   new cluster beside the old one ─► both servers up ─► copy ─► old one down ─► compare ─► new one down, on the disk ─► swap the folders
 *
 * Before the swap, a failure or a kill leaves the old cluster as it was, and the next upgrade begins anew. The old one is kept after it.
 *
 * @returns undefined if the database is of this Savepoint's version already
 */
export async function upgradeCluster(options: Options): Promise<Upgraded | undefined> {
  const root = await openDataDir(options.dataDir);
  const release = await takeDataLock(root);
  try {
    return await upgrade(root, options);
  } catch (error) {
    if (errorCode(error) === DISK_FULL) throw diskFull(options.dataDir);
    throw explainFileError(error, options.dataDir);
  } finally {
    await release();
  }
}

async function upgrade(root: string, options: Options): Promise<Upgraded | undefined> {
  const { dataDir, fromBinaries, say, settings = {} } = options;
  await finishSwap(root);
  const user = await chooseServerUser(clusterPathIn(root));
  const newer = await prepareBinaries(root, user);
  const clusterDir = await findClusterDir(root, dataDir, user);
  const major = await findClusterMajor(clusterDir);
  if (major === undefined) {
    await refuseEmptyBeside(root, clusterDir);
    throw new StartupError(`There is no database in ${clusterDir}.`);
  }
  if (major === newer.major && options.takesSameMajor !== true) return undefined;
  if (Number(major) > Number(newer.major))
    throw otherMajor({ clusterDir, found: major, major: newer.major, version: undefined });
  const older = await prepareBinaries(root, user, fromBinaries);
  if (older.major !== major) {
    throw new StartupError(
      `The PostgreSQL in ${fromBinaries} is version ${older.version}, and the database was made by PostgreSQL ${major}. Name a folder with PostgreSQL ${major}.`,
    );
  }

  await refuseMountPoint(clusterDir);
  // Left by a service or an upgrade that was killed.
  const running = await findRunningServer(clusterDir);
  if (running !== undefined) await shutDown(adoptPostmaster(running.pid), clusterDir);
  const socketDir = await makeSocketDir(root, clusterDir, user);
  await removeUnswapped(root, clusterDir, 'upgraded');
  await removeLeftovers(clusterDir, socketDir);
  await requireRoom(clusterDir, say);
  if (options.backups !== undefined)
    await requireBackupsMovable(options.backups, major, await readSystemIdentifier(clusterDir));

  const password = await readPassword(root);
  const temporary = `${clusterDir}.init-${randomBytes(4).toString('hex')}`;
  const common = { dataDir, user, say };
  const oldSpec: ServerSpec = {
    ...common,
    clusterDir,
    logFile: join(root, 'postgres.log'),
    login: { socketDir, port: READING_PORT, password },
    binaries: older,
    settings: { ...settings, ...READING },
  };
  const newSpec: ServerSpec = {
    ...common,
    clusterDir: temporary,
    logFile: join(root, 'postgres-upgrade.log'),
    login: { socketDir, port: NEW_PORT, password },
    binaries: newer,
    settings: { ...settings, ...FILLING },
  };
  try {
    await makeCluster({ ...newSpec, socketDir, password, sync: false });
    const tables = await fill(oldSpec, newSpec, options);
    await syncCluster(newSpec);
    options.signal.throwIfAborted();
    const swapped = await swap(root, oldSpec, newSpec, options);
    await noteVersion(root, newer);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    return { from: older.version, to: newer.version, tables: tables.length, rows, ...swapped };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function requireRoom(clusterDir: string, say: (line: string) => void): Promise<void> {
  const { files } = await listClusterFiles(clusterDir);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const { freeBytes } = await readFreeSpace(dirname(clusterDir));
  say(describeRoom(dirname(clusterDir), size, freeBytes));
}

/** @throws StartupError if a database of this size cannot be copied */
export function describeRoom(folder: string, size: number, freeBytes: number): string {
  const needed = size * ROOM_FACTOR + ROOM_BESIDES_BYTES;
  const sentence = `The new database needs up to ${inUnits(needed)} beside the old one in ${folder}, where ${inUnits(freeBytes)} are free.`;
  if (freeBytes >= needed) return sentence;
  throw new StartupError(`${sentence} Nothing was changed. Free some space, then run it again.`);
}

/** Both servers are stopped when it is over. */
function fill(oldSpec: ServerSpec, newSpec: ServerSpec, options: Options): Promise<CopiedTable[]> {
  const { signal, onStep } = options;
  return whileRunning(newSpec, signal, async () => {
    const copied = await whileRunning(oldSpec, signal, (stopOld) =>
      copyDatabase(oldSpec.login, newSpec.login, { ...options, stopOld }),
    );
    await onStep?.('copied');
    await checkCopy(newSpec.login, copied, options);
    // A stop must not take longer than its time limit because of what is not yet written.
    await withSuperuser(newSpec.login, (connection) => connection.query('checkpoint'));
    return copied;
  });
}

/** An interruption stops the server, and so ends whatever statement runs in it. */
async function whileRunning<T>(
  spec: ServerSpec,
  signal: AbortSignal,
  work: (stop: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const postmaster = await bringUp(spec, signal);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= shutDown(postmaster, spec.clusterDir);
    return stopped;
  };
  const onAbort = () => void stop();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    // It may have come while the server was brought up, and is told once.
    signal.throwIfAborted();
    const result = await work(stop);
    await stop();
    requireStopped(postmaster);
    return result;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await stop();
  }
}

async function swap(
  root: string,
  { clusterDir, binaries }: ServerSpec,
  { clusterDir: from }: ServerSpec,
  { backups, onStep }: Options,
): Promise<{ kept: string; backups: string | undefined }> {
  const { major } = binaries;
  const names: Swap = {
    root,
    clusterDir,
    kind: 'upgraded',
    aside: `of-postgres-${major}`,
    stamp: newStamp(),
  };
  const systemIdentifier = await readSystemIdentifier(clusterDir);
  await announceSwap(names, from);
  await onStep?.('announced');
  // If this is the last that happens, the old server is used on, and begins with a new backup.
  const aside = backups === undefined ? undefined : await setBackupsAside(backups, major, systemIdentifier);
  const kept = await swapClusters(names, () => onStep?.('aside') ?? Promise.resolve());
  if (kept === undefined) throw new Error(`${clusterDir} has gone during the upgrade`);
  return { kept, backups: aside };
}

/** The first eight bytes in every version; all systems for which there are programs are little-endian. */
async function readSystemIdentifier(clusterDir: string): Promise<string> {
  return (await readFile(join(clusterDir, 'global', 'pg_control'))).readBigUInt64LE().toString();
}
