import type { Logger } from 'pino';
import { compilationSteps, compileDocument } from '../../decide/compile/compile-document.js';
import { createSkuCompiler } from '../../decide/compile/compile-skus.js';
import type { CompiledDocument } from '../../decide/compile/compiled-document.js';
import { DEFAULT_DOCUMENT } from '../../decide/document/default-document.js';
import { type KnownEntries, readingSteps } from '../../decide/document/document-text.js';
import type { Pool } from '../../platform/db/pool.js';
import type { SliceQueue } from '../../platform/lib/slice-queue.js';
import { createVersionSnapshots, type VersionSnapshots } from '../../platform/lib/version-snapshots.js';
import { findStoredVersion } from './config-queries.js';
import { documentWork } from './document-work.js';
import { createPriceHistories, type LowestPrices } from './price-histories.js';

export type ConfigSnapshots = VersionSnapshots<CompiledDocument>;

const UNPUBLISHED = compileDocument(DEFAULT_DOCUMENT, { version: 0, publishedAt: 0 });

/**
 * The compiled document of each game that is asked for. A new version is read and compiled in slices: the requests of its game wait for it,
 * those of other games go on. What did not change is taken from the version before.
 */
export function createConfigSnapshots(
  pool: Pool,
  logger: Logger,
  work: SliceQueue = documentWork,
  lowestPricesOf: LowestPrices = createPriceHistories(pool, work),
): ConfigSnapshots {
  const known = new Map<number, KnownEntries>();
  const skuCompiler = createSkuCompiler();

  return createVersionSnapshots(UNPUBLISHED, async (gameId, version) => {
    const stored = await findStoredVersion(pool, gameId, version);
    if (stored === undefined) throw new Error(`game ${gameId} has no version ${version}`);
    const { text, publishedAt, segmentVersions, exposureSegments } = stored;
    const { document, entries } = await work.run(gameId, readingSteps(text, known.get(gameId)));
    known.set(gameId, entries);
    const onUnusable = (part: string, reason: string) =>
      logger.error(
        { gameId, version, part, reason },
        'a part of the published configuration cannot be used and is left out; correct it and publish again',
      );
    const lowestPriceBefore = await lowestPricesOf(gameId, { version, document, publishedAt });
    const publication = {
      ...{ version, publishedAt, segmentVersions, exposureSegments },
      ...{ lowestPriceBefore, skuCompiler },
    };
    return work.run(gameId, compilationSteps(document, publication, onUnusable));
  });
}
