import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { syncFolder } from '../lib/durable-file.js';
import { proveWritable } from '../lib/write-probe.js';
import { errorCode, ifExists } from './errno.js';
import { explainFileError } from './failures.js';

/** Makes the data folder when there is none, and proves that it can be written. Gives the absolute path. */
export async function openDataDir(dataDir: string): Promise<string> {
  try {
    await makeDirectory(resolve(dataDir));
    const root = await realpath(dataDir);
    await proveWritable(root);
    return root;
  } catch (error) {
    throw explainFileError(error, dataDir);
  }
}

/** Node's recursive mkdir spins for ever where making a directory fails with ENOENT, as in /proc. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
    await syncFolder(dirname(path));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || (await ifExists(stat(dirname(path)))) !== undefined) throw error;
    await makeDirectory(dirname(path));
    await makeDirectory(path);
  }
}
