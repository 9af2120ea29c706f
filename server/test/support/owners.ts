import { chown, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Only root can make files for others. */
export const isRoot = process.getuid?.() === 0;

const OTHER = 4242;

/** A folder of another user, if the test runs as root. */
export async function makeOthersFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  if (isRoot) await chown(path, OTHER, OTHER);
  return path;
}

/** What in the folder, or above it up to `above`, does not belong to the user of `makeOthersFolder`. Nothing, if the test does not run as root. */
export async function listNotOthers(folder: string, above = folder): Promise<string[]> {
  if (!isRoot) return [];
  const paths = (await readdir(folder, { recursive: true })).map((name) => join(folder, name));
  for (let path = folder; path.length >= above.length; path = dirname(path)) paths.push(path);
  const stats = await Promise.all(paths.map(async (path) => ({ path, ...(await stat(path)) })));
  return stats.filter(({ uid, gid }) => uid !== OTHER || gid !== OTHER).map(({ path }) => path);
}
