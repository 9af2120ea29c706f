import { readFile } from 'node:fs/promises';
import { decodeText } from '../../platform/lib/decode-text.js';
import { StartupError } from '../../platform/lib/startup-error.js';

/** The text of a file that the user named. */
export async function readGivenFile(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new StartupError(`${file} cannot be read: ${error.message}`);
  });
  const decoded = decodeText(bytes);
  if (!decoded.ok) throw new StartupError(`${file} ${decoded.reason}`);
  return decoded.text;
}

export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readGivenFile(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StartupError(`${file} is no JSON: ${(error as Error).message}`);
  }
}
