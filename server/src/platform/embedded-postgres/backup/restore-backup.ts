import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../lib/startup-error.js';
import { prepareBinaries } from '../binaries.js';
import { removeLeftovers } from '../cluster.js';
import {
  clusterPathIn,
  findClusterDir,
  linkCluster,
  makeSocketDir,
  SOCKET_PORT,
  setAsideAbandoned,
} from '../cluster-place.js';
import { openDataDir } from '../data-dir.js';
import { takeDataLock } from '../data-lock.js';
import { ifExists } from '../errno.js';
import { refuseMountPoint } from '../mount-point.js';
import { adoptPostmaster, shutDown } from '../postmaster.js';
import { findRunningServer } from '../postmaster-pid.js';
import { chooseServerUser } from '../server-user.js';
import {
  announceSwap,
  finishSwap,
  newStamp,
  removeUnswapped,
  SECRETS,
  type Swap,
  stageSecret,
  swapClusters,
} from '../swap-clusters.js';
import { archiveHistories } from './archive-file.js';
import { type Backup, walFolderOf } from './backup-folder.js';
import { recover } from './recover.js';
import { restoreFiles } from './restore-files.js';

type Options = Readonly<{
  dataDir: string;
  /** The folder of all backups, and the one to begin with. */
  from: string;
  backup: Backup;
  /** Undefined: to the end of the log. */
  at: Date | undefined;
  /** Sets a database that is there aside instead of refusing. */
  replace: boolean;
  signal: AbortSignal;
  say: (line: string) => void;
  onProgress: (copiedBytes: number, totalBytes: number) => void;
  onReached: (time: Date) => void;
  /** What a restored database must not be used without: after a kill, the next start finishes the swap, and nobody else does anything. */
  beforeSwap: () => Promise<unknown>;
  /** As for the service. */
  settings?: Readonly<Record<string, string>>;
}>;

/**
 * Puts the cluster together beside its place and swaps it with the old one when it is complete. A kill at any moment leaves what was there
 * before, or a swap that the next start finishes.
 *
 *   copy and compare ─► read the log up to the moment ─► stop ─► swap: set the old cluster aside, secrets, rename
 *
 * @returns the time of the last transaction, if the log held one
 */
export async function restoreBackup(options: Options): Promise<Date | undefined> {
  const root = await openDataDir(options.dataDir);
  const release = await takeDataLock(root);
  try {
    return await restore(root, options);
  } finally {
    await release();
  }
}

async function restore(root: string, options: Options): Promise<Date | undefined> {
  const { dataDir, backup, at, replace, say, settings = {} } = options;
  await finishSwap(root, true);
  const user = await chooseServerUser(clusterPathIn(root));
  const binaries = await prepareBinaries(root, user);
  refuseOtherVersion(backup, binaries.major);
  const clusterDir = await findClusterDir(root, dataDir, user);
  await setAsideAbandoned(root, clusterDir, say);
  const isThere = ((await ifExists(readdir(clusterDir))) ?? []).length > 0;
  if (isThere && !replace) {
    throw new StartupError(
      `There is a database in ${clusterDir}. Give --replace to set it aside (it is renamed, not deleted), or set SAVEPOINT_DATA_DIR to another folder.`,
    );
  }
  await refuseMountPoint(clusterDir);
  // Left by a service that was killed.
  const running = await findRunningServer(clusterDir);
  if (running !== undefined) await shutDown(adoptPostmaster(running.pid), clusterDir);
  const socketDir = await makeSocketDir(root, clusterDir, user);
  await removeUnswapped(root, clusterDir, 'restored');
  await removeLeftovers(clusterDir, socketDir);

  const temporary = `${clusterDir}.init-${randomBytes(4).toString('hex')}`;
  const password = (await readFile(join(backup.folder, 'secrets', 'postgres-password'), 'utf8')).trim();
  const login = { socketDir, port: SOCKET_PORT, password };
  const logFile = join(root, 'postgres.log');
  const spec = { dataDir, clusterDir: temporary, logFile, login, binaries, user, settings, say };
  try {
    await restoreFiles({ ...options, to: temporary, user });
    const reached = await recover(spec, at, options);
    await archiveHistories(temporary, walFolderOf(options.from)).catch((error: Error) =>
      say(
        `The archive could not be told of this restore (${error.message}). Take the next backups into another folder.`,
      ),
    );
    const stamp = newStamp(!isThere);
    const swap: Swap = { root, clusterDir, kind: 'restored', aside: 'replaced', stamp };
    await stageSecrets(swap, backup);
    await options.beforeSwap();
    await announceSwap(swap, temporary);
    const kept = await swapClusters(swap);
    if (kept !== undefined) say(`The database that was there is now ${kept}. Delete it if it is not needed.`);
    await linkCluster(root, clusterDir);
    return reached;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function refuseOtherVersion({ folder, manifest }: Backup, major: string): void {
  if (manifest.postgres.split('.')[0] === major) return;
  throw new StartupError(
    `The backup ${folder} was made by PostgreSQL ${manifest.postgres}, and this Savepoint comes with PostgreSQL ${major}. Restore it with the Savepoint that made it, then upgrade the database: savepoint upgrade.`,
  );
}

/** A master key that is there stays: what it seals is checked at the next start. */
async function stageSecrets(swap: Swap, { folder }: Backup): Promise<void> {
  for (const name of SECRETS) {
    const content = await ifExists(readFile(join(folder, 'secrets', name), 'utf8'));
    const isKept = name === 'master-key' && (await ifExists(readFile(join(swap.root, name)))) !== undefined;
    if (content !== undefined && !isKept) await stageSecret(swap, name, content);
  }
}
