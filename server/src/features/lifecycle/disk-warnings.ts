import type { InstallationWarning } from '../../admin/admin-context.js';
import { ALL_BUT_FULL_BYTES, type FreeSpace, inUnits } from '../../lib/free-space.js';

/**
 * `savepoint doctor` advises to keep 5 GB free. This warning interrupts everybody who is signed in, so it comes when somebody has
 * to act: in hours of heavy use the events and the log of PostgreSQL take 2 GB.
 */
const LOW_BYTES = 2 * 1024 ** 3;

/** For the console: empty while the disk of the embedded PostgreSQL has room. */
export function diskWarnings({ freeBytes, totalBytes, isOutOfFiles }: FreeSpace): InstallationWarning[] {
  if (freeBytes >= LOW_BYTES && !isOutOfFiles) return [];
  const left = isOutOfFiles
    ? 'The disk of the data folder cannot hold another file'
    : `The disk of the data folder has ${inUnits(freeBytes)} of ${inUnits(totalBytes)} left`;
  const consequence =
    isOutOfFiles || freeBytes < ALL_BUT_FULL_BYTES
      ? 'PostgreSQL stops when it cannot write, and no event is taken any more.'
      : 'Free some space, or move the data folder to a larger disk (SAVEPOINT_DATA_DIR).';
  return [{ code: 'disk_low', message: `${left}. ${consequence}` }];
}
