import { readFile } from 'node:fs/promises';
import { StartupError } from '../lib/startup-error.js';

/** The text of a file that the user named. */
export async function readGivenFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new StartupError(`${file} cannot be read: ${error.message}`);
  });
}
