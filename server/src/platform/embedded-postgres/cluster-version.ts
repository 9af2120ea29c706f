import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from '../lib/durable-file.js';
import { StartupError } from '../lib/startup-error.js';
import { type Binaries, PACKAGE } from './binaries.js';
import { ifExists } from './errno.js';

const pathIn = (root: string) => join(root, 'postgres-version');

/**
 * Writes down which package the cluster is used with. A cluster knows its major version only, and npm wants the whole one: all versions of
 * the package are prereleases, which `@18` does not match.
 */
export async function noteVersion(root: string, { version }: Binaries): Promise<void> {
  if ((await readNotedVersion(root)) !== version) await writeFileDurably(pathIn(root), `${version}\n`);
}

/** Undefined for a folder that was last used by a build that did not write it down. */
export async function readNotedVersion(root: string): Promise<string | undefined> {
  return (await ifExists(readFile(pathIn(root), 'utf8')))?.trim();
}

/** What to do with a cluster of another major version, in commands that can be copied. */
export function otherMajor({
  clusterDir,
  found,
  major,
  version,
}: {
  clusterDir: string;
  found: string;
  major: string;
  version: string | undefined;
}): StartupError {
  const first = `The database in ${clusterDir} was made by PostgreSQL ${found}, and this Savepoint comes with PostgreSQL ${major}.`;
  if (Number(found) > Number(major)) {
    return new StartupError(
      `${first} Start the newer Savepoint that made it, or set SAVEPOINT_DATA_DIR to another folder.`,
    );
  }
  const folder = `postgres-${found}`;
  const isNoted = version?.split('.')[0] === found;
  const hint = isNoted ? '' : ` (for …, see \`npm view ${PACKAGE} versions\`: take the last ${found})`;
  return new StartupError(
    `${first} Move it to PostgreSQL ${major}; the old database is kept:
  npm install --prefix ${folder} ${PACKAGE}@${isNoted ? version : `${found}.…`}${hint}
  savepoint upgrade --from-binaries ${folder}`,
  );
}
