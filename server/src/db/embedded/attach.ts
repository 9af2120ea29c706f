import { realpath } from 'node:fs/promises';
import { clusterPathIn } from './cluster-place.js';
import { openDataDir } from './data-dir.js';
import { isDataLocked } from './data-lock.js';
import { ifExists } from './errno.js';
import { connectionUrl } from './login.js';
import { readPassword } from './password-file.js';
import { findRunningServer } from './postmaster-pid.js';

/**
 * The URL of the embedded server that a running service holds, for commands that work beside it (`savepoint key create`).
 * Undefined when no service is running on this data folder: then a command starts the server for itself.
 */
export async function attachToEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const root = await openDataDir(dataDir);
  if (!(await isDataLocked(root))) return undefined;
  const clusterDir = await ifExists(realpath(clusterPathIn(root)));
  const running = clusterDir === undefined ? undefined : await findRunningServer(clusterDir);
  if (running?.socketDir === undefined) return undefined;
  return connectionUrl({
    socketDir: running.socketDir,
    port: running.port,
    password: await readPassword(root),
  });
}
