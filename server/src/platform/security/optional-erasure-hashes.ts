import type { Pool } from '../db/pool.js';
import { StartupError } from '../lib/startup-error.js';
import { createErasureHashes, type ErasureHashes } from './erasure-hashes.js';
import { findMasterKeys } from './master-key.js';
import type { MasterKeySettings } from './master-key-file.js';
import { UnsealError } from './master-keys.js';

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

/** Undefined on a node that has only a master key of before a rotation: it goes on taking the events of its sessions. */
export function unlessRotated(
  hashes: () => Promise<ErasureHashes>,
): () => Promise<ErasureHashes | undefined> {
  return () =>
    hashes().catch((error: unknown) => (error instanceof UnsealError ? undefined : Promise.reject(error)));
}
