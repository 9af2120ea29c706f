import type { Pool } from '../db/pool.js';
import { StartupError } from '../lib/startup-error.js';
import { createErasureHashes, type ErasureHashes } from './erasure-hashes.js';
import { findMasterKeys } from './master-key.js';
import type { MasterKeySettings } from './master-key-file.js';

/** For a process that works without a master key, too. Undefined where there is none. */
export function createOptionalErasureHashes(
  settings: MasterKeySettings,
  pool: Pool,
): () => Promise<ErasureHashes | undefined> {
  const hashes = createErasureHashes(pool, async () => {
    const found = await findMasterKeys(settings, pool);
    if (found === undefined) throw new StartupError('There is no master key.');
    return found.keys;
  });
  return () =>
    hashes().catch((error: unknown) => (error instanceof StartupError ? undefined : Promise.reject(error)));
}
