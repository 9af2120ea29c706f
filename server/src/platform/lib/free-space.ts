import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** PostgreSQL writes its log in files of 16 MB and stops when it cannot make the next one. */
export const ALL_BUT_FULL_BYTES = 256 * MIB;

export type FreeSpace = Readonly<{
  freeBytes: number;
  totalBytes: number;
  /** There may be bytes left, but no file can be made. */
  isOutOfFiles: boolean;
}>;

/** Of the disk that a path lies on. The path need not exist. */
export async function readFreeSpace(path: string): Promise<FreeSpace> {
  const { bavail, bsize, blocks, files, ffree } = await statfs(await nearestExisting(path));
  return {
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
    // File systems without a fixed number of files say 0 of 0.
    isOutOfFiles: files > 0 && ffree === 0,
  };
}

/** The path, or the nearest folder above it. */
export async function nearestExisting(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/** From here on nothing should be written that can wait. */
export function isAllButFull({ freeBytes, isOutOfFiles }: FreeSpace): boolean {
  return isOutOfFiles || freeBytes < ALL_BUT_FULL_BYTES;
}

/** `3.2 GB`, `512 MB`. */
export function inUnits(bytes: number): string {
  if (bytes >= GIB) return `${(bytes / GIB).toFixed(1)} GB`;
  return `${Math.floor(bytes / MIB)} MB`;
}
