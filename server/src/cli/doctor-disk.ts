import { stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../settings/settings.js';
import type { DoctorFinding } from './doctor-finding.js';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** PostgreSQL writes its log in files of 16 MB and stops when it cannot make the next one. */
const ALL_BUT_FULL = 256 * MIB;
/** Its log alone may take 4 GB (`max_wal_size`). */
const NEARLY_FULL = 5 * GIB;

/** Whether the disk under the data folder has room for what the service writes there. */
export async function checkFreeSpace(settings: Settings): Promise<DoctorFinding> {
  const place = await existing(join(settings.dataDir, 'postgres'));
  const { bavail, bsize, blocks, files, ffree } = await statfs(place);
  const free = bavail * bsize;
  const name = `free space of the data folder: ${inUnits(free)} of ${inUnits(blocks * bsize)}`;
  // File systems without a fixed number of files say 0 of 0.
  if (files > 0 && ffree === 0) {
    return {
      name,
      problem: 'the disk cannot hold another file, however small',
      advice: 'Delete files that are not needed.',
    };
  }
  // Only a key is kept there.
  if (settings.databaseUrl !== undefined && free > MIB) return { name };
  if (free < ALL_BUT_FULL) {
    return {
      name,
      problem: `less than ${inUnits(ALL_BUT_FULL)} are left, and PostgreSQL stops when it cannot write`,
      advice:
        'Free some space, or stop the service and move the data folder to a larger disk (SAVEPOINT_DATA_DIR).',
    };
  }
  if (free < NEARLY_FULL) {
    return {
      name,
      warning: "PostgreSQL's log alone may take 4 GB while much is written",
      advice: 'Keep 5 GB free, and watch it.',
    };
  }
  return { name };
}

/** The path, or the nearest folder above it: the first start makes the rest. */
async function existing(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : existing(dirname(path));
}

function inUnits(bytes: number): string {
  if (bytes >= GIB) return `${(bytes / GIB).toFixed(1)} GB`;
  return `${Math.floor(bytes / MIB)} MB`;
}
