import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readlink, realpath, rename, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StartupError } from '../lib/startup-error.js';
import { SYSTEM_DIR } from './binaries.js';
import { makeOpenDirectory } from './binaries-copy.js';
import { errorCode, ifExists } from './errno.js';
import { hasPassword } from './password-file.js';
import { adoptPostmaster, shutDown } from './postmaster.js';
import { findRunningServer } from './postmaster-pid.js';
import { canEnter, type ServerUser } from './server-user.js';
import { isSocketPath } from './unix-socket.js';

export const SOCKET_PORT = 5432;
/** Of the server that an upgrade reads. Its settings are of no use to a service: whoever finds it running stops it. */
export const READING_PORT = SOCKET_PORT + 2;

const CLUSTERS_DIR = join(SYSTEM_DIR, 'clusters');

/** The cluster as seen from the data folder: the directory itself, or a link to where it lives. */
export const clusterPathIn = (root: string): string => join(root, 'postgres');

/**
 * Where the cluster lives, or shall live: in the data folder, unless PostgreSQL has to run as a user who
 * cannot enter that folder. A link found there is followed, wherever it leads.
 */
export async function findClusterDir(root: string, dataDir: string, user: ServerUser | undefined) {
  const path = clusterPathIn(root);
  const found = await ifExists(lstat(path));
  if (found?.isSymbolicLink()) {
    const target = await ifExists(realpath(path));
    if (target !== undefined) return target;
    throw new StartupError(
      `The database of ${dataDir} is gone: ${path} points to ${await readlink(path)}, which does not exist. Put it back, or delete the link to start with an empty database.`,
    );
  }
  if (user === undefined || canEnter(user, root)) return path;
  if (found === undefined) {
    await makeOpenDirectory(CLUSTERS_DIR);
    return join(CLUSTERS_DIR, hashOf(root));
  }
  throw new StartupError(
    `Savepoint runs as root, and PostgreSQL, which has to run as the user "${user.name}", cannot enter ${root}. Let that user enter it (chmod o+x on the folder and those above it), or start Savepoint as an ordinary user.`,
  );
}

/**
 * A user who deletes the data folder wants to start afresh, but a cluster that lives elsewhere outlives the folder. Its
 * password was deleted with the folder, which distinguishes it from a cluster whose first start was killed before the link
 * was made. It is kept, out of the way.
 */
export async function setAsideAbandoned(root: string, clusterDir: string, say: (line: string) => void) {
  if (clusterDir === clusterPathIn(root) || (await ifExists(lstat(clusterPathIn(root)))) !== undefined)
    return;
  if ((await ifExists(lstat(clusterDir))) === undefined || (await hasPassword(root))) return;
  const running = await findRunningServer(clusterDir);
  if (running !== undefined) await shutDown(adoptPostmaster(running.pid), clusterDir);
  const aside = `${clusterDir}.abandoned-${new Date().toISOString().replaceAll(':', '')}`;
  await rename(clusterDir, aside);
  say(
    `The database of an earlier data folder at this path was moved to ${aside}. Delete it if it is not needed.`,
  );
}

/** Lets a person who looks into the data folder find a cluster that lives elsewhere. */
export async function linkCluster(root: string, clusterDir: string): Promise<boolean> {
  const path = clusterPathIn(root);
  if (clusterDir === path || (await ifExists(lstat(path))) !== undefined) return false;
  await symlink(clusterDir, path);
  return true;
}

/**
 * A private directory for the socket, near the cluster when the path is short enough for a socket. In the shared temporary
 * directory another user may have made that name first, so its owner is checked.
 */
export async function makeSocketDir(root: string, clusterDir: string, user: ServerUser | undefined) {
  const short = `savepoint-${hashOf(root)}`;
  const candidates = [`${clusterPathIn(root)}-run`, join(tmpdir(), short), join('/tmp', short)];
  if (clusterDir.startsWith(`${CLUSTERS_DIR}/`)) candidates.unshift(`${clusterDir}-run`);
  const directory = candidates.find(
    (path) =>
      isSocketPath(join(path, `.s.PGSQL.${SOCKET_PORT}`)) &&
      (user === undefined || canEnter(user, dirname(path))),
  );
  if (directory === undefined) {
    throw new StartupError(
      `The path of the data folder ${root} is too long for PostgreSQL's socket, and so is that of the temporary directory. Set SAVEPOINT_DATA_DIR to a shorter one.`,
    );
  }
  await makePrivateDirectory(directory, user);
  return directory;
}

/** Owned by the user PostgreSQL runs as, closed to all others. */
export async function makePrivateDirectory(directory: string, user: ServerUser | undefined): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
    if (user !== undefined) await chown(directory, user.uid, user.gid);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const stats = await lstat(directory);
  const uid = process.getuid?.();
  const isOurs = stats.uid === uid || stats.uid === user?.uid;
  if (!stats.isDirectory() || !isOurs) {
    throw new StartupError(
      `${directory}, which PostgreSQL needs for itself, belongs to another user. Remove it, then start again.`,
    );
  }
  if (user !== undefined && stats.uid !== user.uid) await chown(directory, user.uid, user.gid);
  if ((stats.mode & 0o777) !== 0o700) await chmod(directory, 0o700);
}

function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}
