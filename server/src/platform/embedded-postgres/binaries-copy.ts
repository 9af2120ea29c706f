import { randomBytes } from 'node:crypto';
import { chmod, cp, lstat, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolders, syncFile, syncFolder } from '../lib/durable-file.js';
import { errorCode, ifExists } from './errno.js';
import { isAlive } from './process-info.js';

/**
 * Copies the programs once. The copy grows under a temporary name and is renamed when it is complete. So the final name never
 * stands for half a copy, and a second process uses the copy of the first.
 */
export async function copyNativeTree(
  source: string,
  target: string,
  finish: (copy: string) => Promise<unknown>,
): Promise<void> {
  if ((await ifExists(lstat(target))) !== undefined) return;
  const parent = dirname(target);
  await makeOpenDirectory(parent);
  await removeAbandoned(parent, basename(target));

  const partial = `${target}.partial-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await cp(source, partial, { recursive: true, verbatimSymlinks: true });
    await openToEveryone(partial);
    await finish(partial);
    await syncTree(partial);
    await rename(partial, target);
    await syncFolder(parent);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    const code = errorCode(error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

/** Readable by the server's user whatever the umask. */
export async function makeOpenDirectory(directory: string): Promise<void> {
  const firstMade = await makeFolders(directory);
  if (firstMade === undefined) return;
  for (let path = directory; path.startsWith(firstMade); path = dirname(path)) await chmod(path, 0o755);
}

async function openToEveryone(path: string): Promise<void> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) return;
  const isProgram = stats.isDirectory() || (stats.mode & 0o100) !== 0;
  await chmod(path, isProgram ? 0o755 : 0o644);
  if (!stats.isDirectory()) return;
  for (const name of await readdir(path)) await openToEveryone(join(path, name));
}

/** Before the copy gets its final name, or a power cut would leave empty programs there for good. */
async function syncTree(path: string): Promise<void> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) return;
  if (!stats.isDirectory()) return syncFile(path);
  for (const name of await readdir(path)) await syncTree(join(path, name));
  await syncFolder(path);
}

/** Copies whose maker was killed. */
async function removeAbandoned(parent: string, name: string): Promise<void> {
  const prefix = `${name}.partial-`;
  for (const entry of await readdir(parent)) {
    if (!entry.startsWith(prefix)) continue;
    const pid = Number.parseInt(entry.slice(prefix.length), 10);
    if (!isAlive(pid)) await rm(join(parent, entry), { recursive: true, force: true });
  }
}
