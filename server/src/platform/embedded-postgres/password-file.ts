import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from '../lib/durable-file.js';
import { StartupError } from '../lib/startup-error.js';
import { ifExists } from './errno.js';

const pathIn = (root: string) => join(root, 'postgres-password');

export async function hasPassword(root: string): Promise<boolean> {
  return (await ifExists(stat(pathIn(root)))) !== undefined;
}

/** The password of an existing cluster. */
export async function readPassword(root: string): Promise<string> {
  const password = (await ifExists(readFile(pathIn(root), 'utf8')))?.trim();
  if (password) return password;
  throw new StartupError(
    `The file ${pathIn(root)} with the database's password is missing. Put it back from a backup of the data folder, or set SAVEPOINT_DATA_DIR to an empty folder to start afresh.`,
  );
}

/**
 * The password for a cluster about to be made. Written before the cluster exists, so a kill in between only
 * leaves a password that the next start will use.
 */
export async function makePassword(root: string): Promise<string> {
  const found = (await ifExists(readFile(pathIn(root), 'utf8')))?.trim();
  if (found) return found;
  const password = randomBytes(24).toString('base64url');
  await writeFileDurably(pathIn(root), `${password}\n`);
  return password;
}
