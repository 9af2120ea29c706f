import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makeFolders, syncFolder } from '../lib/durable-file.js';
import { proveWritable } from '../lib/write-probe.js';
import { explainFileError } from './failures.js';

/** Makes the data folder when there is none, and proves that it can be written. Gives the absolute path. */
export async function openDataDir(dataDir: string): Promise<string> {
  try {
    const path = resolve(dataDir);
    const first = await makeFolders(path);
    // The names of all that were made must outlive a power cut.
    for (let made = path; first !== undefined && made.length >= first.length; made = dirname(made))
      await syncFolder(dirname(made));
    const root = await realpath(dataDir);
    await proveWritable(root);
    return root;
  } catch (error) {
    throw explainFileError(error, dataDir);
  }
}
