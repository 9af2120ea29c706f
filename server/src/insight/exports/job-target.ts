import { type Pool, transaction } from '../../platform/db/pool.js';
import { createChunks } from './export-chunks.js';
import type { ClaimedExport } from './export-job.js';
import { insertExportChunk } from './export-job-queries.js';
import type { ExportTarget } from './export-target.js';

/** The export was cancelled, or another node has claimed it: this node must write nothing more. */
export class ExportLostError extends Error {
  override readonly name = 'ExportLostError';
}

export class ExportTooLargeError extends Error {
  override readonly name = 'ExportTooLargeError';
}

/** Writes chunks to the database, each in one transaction with the progress. Any node can read them, and continue. */
export function jobTarget(
  pool: Pool,
  { exportId, events, after }: ClaimedExport,
  worker: string,
): ExportTarget {
  let isEmpty = after === null;
  const chunks = createChunks({
    isZipped: true,
    from: { events, key: after },
    async save(data, progress) {
      const outcome = await transaction(pool, async (client) => {
        const saved = await insertExportChunk(client, { exportId, worker }, { data, ...progress });
        if (saved === 'too_large') throw new ExportTooLargeError();
        return saved;
      });
      if (outcome === 'lost') throw new ExportLostError();
      isEmpty = false;
    },
  });
  return {
    write: chunks.write,
    pause: () => chunks.flush(),
    // An export without events is a file, too.
    finish: () => chunks.flush({ even: isEmpty }),
  };
}
