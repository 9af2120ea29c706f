import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { StartupError } from '../lib/startup-error.js';

/** The text of a file that the user named. */
export async function readGivenFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new StartupError(`${file} cannot be read: ${error.message}`);
  });
}

/** Who goes down in the books as the author of a change. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return 'command line';
  }
}
