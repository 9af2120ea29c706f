import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.js';
import { findErasureKey } from '../../platform/security/erasure-hashes.js';
import { appendToErasedList } from './erased-list.js';
import type { FinishedErasure } from './finish-queries.js';

/** Where the list of erased players is; a part of the settings of the process. */
export type ErasedListSettings = Readonly<{
  erasedList: string | undefined;
  backupDir: string | undefined;
  dataDir: string;
}>;

const FILE = 'erased-players';

/** Beside the backups, where the service makes them: it must not be lost together with the database. */
export function erasedListFile({ erasedList, backupDir, dataDir }: ErasedListSettings): string {
  return erasedList ?? join(backupDir ?? dataDir, FILE);
}

/** The list that belongs to a folder of backups, wherever the service keeps its own. */
export const erasedListBeside = (backups: string): string => join(backups, FILE);

/** Writes those who are being erased to the list. A list that cannot be written keeps nobody from being erased. */
export function createErasedListWriter(
  pool: Pool,
  file: string,
  now: () => number,
  logger: Pick<Logger, 'error'>,
): (erased: readonly FinishedErasure[]) => Promise<void> {
  return async (erased) => {
    const sealed = await findErasureKey(pool);
    const erasedAt = new Date(now()).toISOString();
    const entries = erased.map(({ gameId, playerHash }) => ({
      gameId,
      playerHash: playerHash.toString('hex'),
      erasedAt,
    }));
    await appendToErasedList(file, sealed?.toString('base64') ?? '', entries).catch((error: unknown) =>
      logger.error(
        { err: error, file },
        'the list of erased players cannot be written: after a restore of a backup these players would be back. Set SAVEPOINT_ERASED_LIST',
      ),
    );
  };
}
