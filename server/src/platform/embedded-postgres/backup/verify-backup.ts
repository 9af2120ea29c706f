import { join } from 'node:path';
import { ifExists } from '../errno.js';
import type { Backup } from './backup-folder.js';
import { hashFile } from './hashed-files.js';

/** Reads every file of a backup again. Returns what is wrong, one line a file. */
export async function verifyBackup(
  { folder, manifest }: Backup,
  options: { signal?: AbortSignal; onProgress?: (readBytes: number, totalBytes: number) => void } = {},
): Promise<string[]> {
  const totalBytes = bytesOf(manifest.files);
  const problems: string[] = [];
  let readBytes = 0;
  for (const { path, size, sha256 } of manifest.files) {
    options.signal?.throwIfAborted();
    const found = await ifExists(hashFile(join(folder, path)));
    if (found === undefined) problems.push(`${path} is missing`);
    else if (found.size !== size) problems.push(`${path} has ${found.size} bytes instead of ${size}`);
    else if (found.sha256 !== sha256) problems.push(`${path} was changed`);
    readBytes += size;
    options.onProgress?.(readBytes, totalBytes);
  }
  return problems;
}

export function bytesOf(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
