import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Proves that files can be made in a folder, and deleted, by doing both: modes say nothing to root, and a read-only mount or a full disk
 * shows in no mode.
 *
 * @throws the error of the file system
 */
export async function proveWritable(folder: string): Promise<void> {
  const probe = join(folder, `.write-test-${process.pid}`);
  try {
    await writeFile(probe, 'Savepoint can write here.\n');
  } catch (error) {
    // A full disk has room for the name, but not for what is in it.
    await rm(probe, { force: true }).catch(() => {});
    throw error;
  }
  await rm(probe);
}
