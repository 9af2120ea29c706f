import { setTimeout as sleep } from 'node:timers/promises';
import { ensureEventPartitions } from '../../core/events/storage/event-partitions.js';
import type { Database } from '../../platform/db/database.js';
import { readDatabaseClock } from '../../platform/db/database-clock.js';
import { migrate, requireReachable } from '../../platform/db/migrate.js';
import { isUnavailable } from '../../platform/db/pool.js';
import { tryLonger } from '../../platform/db/until-available.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { loadMasterKeys, requireRightMasterKeys } from '../../platform/security/master-key.js';
import type { MasterKeys } from '../../platform/security/master-keys.js';
import type { Settings } from '../../platform/settings/settings.js';
import { ensureSigningKey } from '../../studio/sessions/signing-key-changes.js';
import { applyErasedList } from '../../trust/erasures/apply-erased-list.js';
import { erasedListFile } from '../../trust/erasures/list-file.js';
import { seedDemoStudio } from '../demo-studio.js';

export type Installation = { masterKeys: MasterKeys; masterKeyText: string };

export type Patience = Readonly<{
  forMs: number;
  pauseMs: number;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
}>;

/** PostgreSQL that was killed recovers within seconds, on a slow disk within a minute. */
export const PATIENCE: Patience = { forMs: 60_000, pauseMs: 500 };

/**
 * Brings a database, new or old, to where workers can start on it. Safe on several nodes at once, and any number of times: when the
 * database goes away meanwhile, all of it is tried again. A database of DATABASE_URL that cannot be reached at all is told at once.
 */
export async function prepareInstallation(
  settings: Settings,
  database: Database,
  say: (line: string) => void,
  { forMs, pauseMs, signal }: Patience,
): Promise<Installation> {
  if (settings.nats !== undefined) {
    const { prepareQueue } = await import('../../operations/queue/queue.js');
    await prepareQueue(settings.nats, settings.environment, say);
  }
  // The embedded one has just been started.
  if (database.shared) await requireReachable(database.url);
  const deadline = performance.now() + forMs;
  for (let attempt = 1; ; attempt++) {
    try {
      const startDatabase = { ...database, timeoutMs: settings.databaseTimeoutMs };
      return await tryLonger(startDatabase, attempt, (pool) =>
        prepareDatabase(settings, { ...database, pool }, say),
      );
    } catch (error) {
      const loss = lossOfDatabase(error);
      if (loss === undefined) throw error;
      if (signal?.aborted || performance.now() >= deadline) {
        throw new StartupError(
          `The database went away while Savepoint was starting: ${loss.message}. Look into its log, and start Savepoint again.`,
          { cause: error },
        );
      }
      if (attempt === 1) say(`The database went away (${loss.message}). Waiting for it to come back…`);
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** A full disk does not come back by itself. */
const DISK_FULL = '53100';

function lossOfDatabase(error: unknown): Error | undefined {
  const failure = (error instanceof StartupError ? error.cause : error) as Error & { code?: unknown };
  return isUnavailable(failure) && failure.code !== DISK_FULL ? failure : undefined;
}

async function prepareDatabase(
  settings: Settings,
  database: Database,
  say: (line: string) => void,
): Promise<Installation> {
  await migrate(database.url, say);
  const { keys, text } = await loadMasterKeys(settings, database.pool);
  const { databaseMs: now } = await readDatabaseClock(database.pool);
  await ensureEventPartitions(database.pool, now);
  await ensureSigningKey(database.pool, keys, now);
  // Checked again: when several nodes start on a new database with different keys, the key of the first one counts.
  await requireRightMasterKeys(settings, database.pool, keys);
  await eraseAgain(settings, database, keys, now, say);
  if (settings.environment === 'development') await seedDemoStudio(database.pool, keys, now);
  return { masterKeys: keys, masterKeyText: text };
}

/** Players who come back with an older backup. */
async function eraseAgain(
  settings: Settings,
  { pool }: Database,
  keys: MasterKeys,
  nowMs: number,
  say: (line: string) => void,
): Promise<void> {
  const file = erasedListFile(settings);
  const found = await applyErasedList(pool, keys, file, nowMs).catch((error: unknown) => {
    if (isUnavailable(error)) throw error;
    throw new StartupError(
      `The list of erased players ${file} cannot be applied: ${(error as Error).message} Move the file away to start without it: players who were erased may then be back.`,
      { cause: error },
    );
  });
  if (found > 0) say(`The database held ${found} players who had been erased. They are erased again.`);
}
