import { realpath } from 'node:fs/promises';
import { clusterPathIn } from './cluster-place.js';
import { openDataDir } from './data-dir.js';
import { isDataLocked } from './data-lock.js';
import { ifExists } from './errno.js';
import { connectionUrl, type Login } from './login.js';
import { readPassword } from './password-file.js';
import { findRunningServer } from './postmaster-pid.js';

/** A running server of this data folder, whoever runs it. */
export type FoundServer = { readonly root: string; readonly clusterDir: string; readonly login: Login };

/**
 * The URL of the embedded server that a running service holds, for commands that work beside it (`savepoint key create`).
 * Undefined when no service is running on this data folder: then a command starts the server for itself.
 */
export async function attachToEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const root = await openDataDir(dataDir);
  if (!(await isDataLocked(root))) return undefined;
  const found = await findServer(root);
  return found && connectionUrl(found.login);
}

export async function findServer(dataDir: string): Promise<FoundServer | undefined> {
  const root = await realpath(dataDir);
  const clusterDir = await ifExists(realpath(clusterPathIn(root)));
  const running = clusterDir === undefined ? undefined : await findRunningServer(clusterDir);
  if (clusterDir === undefined || running?.socketDir === undefined) return undefined;
  const { socketDir, port } = running;
  return { root, clusterDir, login: { socketDir, port, password: await readPassword(root) } };
}
