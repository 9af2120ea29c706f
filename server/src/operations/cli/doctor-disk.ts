import { join } from 'node:path';
import { ALL_BUT_FULL_BYTES, inUnits, readFreeSpace } from '../../platform/lib/free-space.js';
import type { Settings } from '../../platform/settings/settings.js';
import type { DoctorFinding } from '../../studio/cli/doctor-finding.js';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** Its log alone may take 4 GB (`max_wal_size`). */
const NEARLY_FULL = 5 * GIB;

/** Whether the disk under the data folder has room for what the service writes there. */
export async function checkFreeSpace(settings: Settings): Promise<DoctorFinding> {
  const { freeBytes, totalBytes, isOutOfFiles } = await readFreeSpace(join(settings.dataDir, 'postgres'));
  const name = `free space of the data folder: ${inUnits(freeBytes)} of ${inUnits(totalBytes)}`;
  if (isOutOfFiles) {
    return {
      name,
      problem: 'the disk cannot hold another file, however small',
      advice: 'Delete files that are not needed.',
    };
  }
  // Only a key is kept there.
  if (settings.databaseUrl !== undefined && freeBytes > MIB) return { name };
  if (freeBytes < ALL_BUT_FULL_BYTES) {
    return {
      name,
      problem: `less than ${inUnits(ALL_BUT_FULL_BYTES)} are left, and PostgreSQL stops when it cannot write`,
      advice:
        'Free some space, or stop the service and move the data folder to a larger disk (SAVEPOINT_DATA_DIR).',
    };
  }
  if (freeBytes < NEARLY_FULL) {
    return {
      name,
      warning: "PostgreSQL's log alone may take 4 GB while much is written",
      advice: 'Keep 5 GB free, and watch it.',
    };
  }
  return { name };
}
