import { type FreeSpace, inUnits, isAllButFull } from '../../platform/lib/free-space.js';
import type { InstallationWarning } from '../../studio/admin-api/admin-context.js';

/**
 * `savepoint doctor` advises to keep 5 GB free. This warning interrupts everybody who is signed in, so it comes when somebody has
 * to act: in hours of heavy use the events and the log of PostgreSQL take 2 GB.
 */
const LOW_BYTES = 2 * 1024 ** 3;

/** For the console: empty while the disk of the embedded PostgreSQL has room, or if it is on another machine. */
export function diskWarnings(space: FreeSpace | undefined): InstallationWarning[] {
  if (space === undefined || (space.freeBytes >= LOW_BYTES && !space.isOutOfFiles)) return [];
  const consequence = isAllButFull(space)
    ? 'No events are taken until there is room: PostgreSQL stops when it cannot write.'
    : 'Free some space, or move the data folder to a larger disk (SAVEPOINT_DATA_DIR).';
  return [{ code: 'disk_low', message: `${describeSpace(space)}. ${consequence}` }];
}

export function describeSpace({ freeBytes, totalBytes, isOutOfFiles }: FreeSpace): string {
  return isOutOfFiles
    ? 'The disk of the data folder cannot hold another file'
    : `The disk of the data folder has ${inUnits(freeBytes)} of ${inUnits(totalBytes)} left`;
}
