import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import { createVersionSnapshots, type VersionSnapshots } from '../../lib/version-snapshots.js';
import { compileDocument } from '../../personalisation/compile/compile-document.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import { DEFAULT_DOCUMENT } from '../../personalisation/document/default-document.js';
import { requireConfigVersion } from './config-queries.js';

export type ConfigSnapshots = VersionSnapshots<CompiledDocument>;

const UNPUBLISHED = compileDocument(DEFAULT_DOCUMENT, { version: 0, publishedAt: 0 });

/** The compiled document of each game that is asked for. */
export function createConfigSnapshots(pool: Pool, logger: Logger): ConfigSnapshots {
  return createVersionSnapshots(UNPUBLISHED, async (gameId, version) => {
    const row = await requireConfigVersion(pool, gameId, version);
    return compileDocument(row.document, row, (part, reason) =>
      logger.error(
        { gameId, version, part, reason },
        'a part of the published configuration cannot be used and is left out; correct it and publish again',
      ),
    );
  });
}
