import type { Pool } from '../../platform/db/pool.js';
import { MINUTE_MS } from '../../platform/lib/day.js';
import { done, type MaintenanceStep } from '../../platform/lifecycle/maintenance-step.js';
import type { ErasureHashes } from '../../platform/security/erasure-hashes.js';
import { completeErasedList } from './apply-erased-list.js';
import { listErasedHashes } from './erased-players.js';
import { deleteDeadLetters, listUnknownPlayers } from './list-queries.js';

const PER_STATEMENT = 1_000;
const USER_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** Hourly: completes the list of erased players, and deletes dead letters of erased players. */
export function erasureStep(file: string, hashes: () => Promise<ErasureHashes>): MaintenanceStep {
  return {
    name: 'erasures',
    maxMs: 5 * MINUTE_MS,
    async run({ pool }) {
      const entriesAdded = await completeErasedList(pool, file);
      const deadLettersDeleted = await deleteErasedDeadLetters(pool, hashes);
      return done({ entriesAdded, deadLettersDeleted });
    },
  };
}

/** A consumer without a master key cannot tell erased players from unknown ones: see operations/queue/dead-letters.ts. */
export async function deleteErasedDeadLetters(
  pool: Pool,
  hashes: () => Promise<ErasureHashes>,
): Promise<number> {
  let deleted = 0;
  let letters = await listUnknownPlayers(pool, '0', PER_STATEMENT);
  while (letters.length > 0) {
    const { player } = await hashes();
    const hashed = letters.map(({ id, message }) => ({ id, hash: player(USER_ID.exec(message)?.[0] ?? '') }));
    const erased = new Set(
      (
        await listErasedHashes(
          pool,
          hashed.map(({ hash }) => hash),
        )
      ).map(({ hash }) => hash.toString('hex')),
    );
    const ids = hashed.filter(({ hash }) => erased.has(hash.toString('hex'))).map(({ id }) => id);
    if (ids.length > 0) deleted += await deleteDeadLetters(pool, ids);
    letters = await listUnknownPlayers(pool, letters.at(-1)?.id ?? '0', PER_STATEMENT);
  }
  return deleted;
}
