import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartupError } from '../lib/startup-error.js';
import { ifExists } from './errno.js';

/**
 * For whoever will give the cluster another name after hours of work.
 *
 * @throws StartupError if the folder is a mount point, which cannot be renamed
 */
export async function refuseMountPoint(clusterDir: string): Promise<void> {
  if (!(await isMountPoint(clusterDir))) return;
  throw new StartupError(
    `${clusterDir} is a mount point, and so it cannot be renamed, as an upgrade and a restore have to do. Nothing was changed. Mount that disk in another place, move the database into a folder on it, and make ${clusterDir} a link to that folder.`,
  );
}

async function isMountPoint(folder: string): Promise<boolean> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => undefined);
  // Linux. The numbers of the devices do not tell: two volumes may be on one disk, and a subvolume of btrfs is no mount.
  if (mounts !== undefined) return mounts.split('\n').some((line) => mountPointOf(line) === folder);
  const found = await ifExists(stat(folder));
  return found !== undefined && found.dev !== (await stat(dirname(folder))).dev;
}

/** The fifth field. Blanks and the like in it are written as \040. */
function mountPointOf(line: string): string | undefined {
  return line
    .split(' ')[4]
    ?.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
