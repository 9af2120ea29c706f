import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import type { SliceQueue } from '../../lib/slice-queue.js';
import { createVersionSnapshots, type VersionSnapshots } from '../../lib/version-snapshots.js';
import { compilationSteps, compileDocument } from '../../personalisation/compile/compile-document.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import { DEFAULT_DOCUMENT } from '../../personalisation/document/default-document.js';
import { requireConfigVersion } from './config-queries.js';
import { documentWork } from './document-work.js';
import { createPriceHistories, type LowestPrices } from './price-histories.js';

export type ConfigSnapshots = VersionSnapshots<CompiledDocument>;

const UNPUBLISHED = compileDocument(DEFAULT_DOCUMENT, { version: 0, publishedAt: 0 });

/**
 * The compiled document of each game that is asked for. A new version is compiled in slices: the requests of its game wait for it, those
 * of other games go on.
 */
export function createConfigSnapshots(
  pool: Pool,
  logger: Logger,
  work: SliceQueue = documentWork,
  lowestPricesOf: LowestPrices = createPriceHistories(pool, work),
): ConfigSnapshots {
  return createVersionSnapshots(UNPUBLISHED, async (gameId, version) => {
    const row = await requireConfigVersion(pool, gameId, version);
    const onUnusable = (part: string, reason: string) =>
      logger.error(
        { gameId, version, part, reason },
        'a part of the published configuration cannot be used and is left out; correct it and publish again',
      );
    const lowestPriceBefore = await lowestPricesOf(gameId, row);
    return work.run(gameId, compilationSteps(row.document, { ...row, lowestPriceBefore }, onUnusable));
  });
}
