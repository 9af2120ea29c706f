import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../src/platform/embedded-postgres/process-info.js';

/** Files in memory. There PostgreSQL clones a database with a ninth of the CPU that it takes on a disk. */
const MEMORY = '/dev/shm';
/** Several times what the databases of a run and their log should take. Containers often have 64 MB. */
const ROOM_BYTES = 3 * 1024 ** 3;
const PREFIX = 'savepoint-test-';

/** A folder for the cluster of this run, in memory where there is room. The caller deletes it. */
export async function makeClusterFolder(): Promise<string> {
  const parent = (await hasRoom()) ? MEMORY : tmpdir();
  const folder = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  // As root, PostgreSQL runs as a user who could not enter a 0700 folder.
  await chmod(folder, 0o755);
  return folder;
}

/** Deletes the clusters that killed runs have left in memory. Their PostgreSQL ends by itself when its folder is gone. */
export async function clearMemory(): Promise<void> {
  if (!(await hasRoom())) return;
  for (const name of await readdir(MEMORY)) {
    if (!name.startsWith(PREFIX) || isAlive(Number.parseInt(name.slice(PREFIX.length), 10))) continue;
    await rm(join(MEMORY, name), { recursive: true, force: true });
  }
}

async function hasRoom(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}
