import type { Logger } from 'pino';
import type { DiskWatch } from '../lib/disk-watch.js';
import { isAllButFull } from '../lib/free-space.js';
import { OverloadedError } from '../lib/overloaded-error.js';

type FullDiskContext = Readonly<{ disk: Pick<DiskWatch, 'reading'>; logger: Logger }>;

/** Created once, as the refusals of event-admission.ts are. */
const NO_ROOM = new OverloadedError('disk');

/**
 * An onRequest hook that refuses events while the disk of the embedded PostgreSQL is all but full. PostgreSQL would stop when it
 * cannot write its log, and take logins and reads with it. Clients keep what was refused and send it again.
 */
export function refuseWithoutRoom({ disk, logger }: FullDiskContext): () => Promise<void> {
  let isRefusing = false;
  return async () => {
    const space = disk.reading();
    const isFull = space !== undefined && isAllButFull(space);
    if (isFull !== isRefusing) {
      isRefusing = isFull;
      const what = isFull
        ? 'the disk of the database is all but full: events are refused until there is room'
        : 'the disk of the database has room again: events are taken';
      logger.error(space, what);
    }
    if (isFull) throw NO_ROOM;
  };
}
