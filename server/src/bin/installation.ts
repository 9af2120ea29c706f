import { seedDemoStudio } from '../app/demo-studio.js';
import type { Database } from '../db/database.js';
import { migrate } from '../db/migrate.js';
import { ensureEventPartitions } from '../features/events/event-partitions.js';
import { ensureSigningKey } from '../features/sessions/signing-key-changes.js';
import { loadMasterKeys, requireRightMasterKeys } from '../security/master-key.js';
import type { MasterKeys } from '../security/master-keys.js';
import type { Settings } from '../settings/settings.js';

export type Installation = { masterKeys: MasterKeys; masterKeyText: string };

/** Brings a database, new or old, to where workers can start on it. Safe on several nodes at once. */
export async function prepareInstallation(
  settings: Settings,
  database: Database,
  say: (line: string) => void,
): Promise<Installation> {
  if (settings.nats !== undefined) {
    const { prepareQueue } = await import('../queue/queue.js');
    await prepareQueue(settings.nats, settings.environment, say);
  }
  await migrate(database.url, say);
  const { keys, text } = await loadMasterKeys(settings, database.pool);
  const now = Date.now();
  await ensureEventPartitions(database.pool, now);
  await ensureSigningKey(database.pool, keys, now);
  // Checked again: when several nodes start on a new database with different keys, the key of the first one counts.
  await requireRightMasterKeys(settings, database.pool, keys);
  if (settings.environment === 'development') await seedDemoStudio(database.pool, keys, now);
  return { masterKeys: keys, masterKeyText: text };
}
