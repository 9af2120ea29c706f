import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import { compileDocument } from '../../personalisation/compile/compile-document.js';
import type { CompiledDocument } from '../../personalisation/compile/compiled-document.js';
import { DEFAULT_DOCUMENT } from '../../personalisation/document/default-document.js';
import { requireConfigVersion } from './config-queries.js';

export type ConfigSnapshots = {
  /** The document of exactly this version. Readers learn the version with the player's row, so it is never stale. */
  get(gameId: number, version: number): CompiledDocument | Promise<CompiledDocument>;
};

const UNPUBLISHED = compileDocument(DEFAULT_DOCUMENT, { version: 0, publishedAt: 0 });

/** Keeps one version of each game in memory; versions are immutable, so nothing has to be told to forget. */
export function createConfigSnapshots(pool: Pool, logger: Logger): ConfigSnapshots {
  const kept = new Map<number, CompiledDocument>();
  const loading = new Map<string, Promise<CompiledDocument>>();

  const load = async (gameId: number, version: number): Promise<CompiledDocument> => {
    const row = await requireConfigVersion(pool, gameId, version);
    const loaded = compileDocument(row.document, row, (part, reason) =>
      logger.error({ gameId, version, part, reason }, 'a part of the published configuration cannot be used'),
    );
    kept.set(gameId, loaded);
    return loaded;
  };

  return {
    get(gameId, version) {
      if (version === 0) return UNPUBLISHED;
      const known = kept.get(gameId);
      if (known?.version === version) return known;
      const key = `${gameId}:${version}`;
      const pending = loading.get(key) ?? load(gameId, version).finally(() => loading.delete(key));
      loading.set(key, pending);
      return pending;
    },
  };
}
