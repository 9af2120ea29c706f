import { SETTINGS } from './settings.js';

/** The settings by what they are about, for the help and docs/settings.md. */
export type SettingTopic = Readonly<{ title: string; settings: typeof SETTINGS }>;

/** What nearly every installation looks at. */
const FIRST: ReadonlySet<string> = new Set([
  'SAVEPOINT_ENV',
  'SAVEPOINT_HOST',
  'SAVEPOINT_PORT',
  'SAVEPOINT_OPS_PORT',
  'SAVEPOINT_DATA_DIR',
  'SAVEPOINT_BACKUP_DIR',
  'SAVEPOINT_MASTER_KEY',
  'SAVEPOINT_WORKERS',
  'DATABASE_URL',
  'NATS_URL',
]);

/** A topic begins with the row of this name, and ends where the next one begins. */
const BEGINS: readonly (readonly [first: string, title: string])[] = [
  ['SAVEPOINT_OPS_HOST', 'Operations listener'],
  ['SAVEPOINT_ERASED_LIST', 'Backups and files of events'],
  ['SAVEPOINT_APPLE_ROOT_FILE', 'Stores'],
  ['SAVEPOINT_DRAIN_SECONDS', 'The service at work'],
  ['SAVEPOINT_RATE_LIMITS', 'Rate limits'],
  ['SAVEPOINT_ACCESS_TTL_SECONDS', 'Tokens'],
  ['SAVEPOINT_CORS_ORIGINS', 'Web games and proxies'],
  ['SAVEPOINT_LOG_LEVEL', 'Logs and traces'],
  ['DATABASE_REPLICA_URL', 'Database'],
  ['SAVEPOINT_NATS_CREDS', 'Queue'],
];

export function settingTopics(): SettingTopic[] {
  const titles = new Map(BEGINS);
  const topics = [{ title: 'First', settings: SETTINGS.filter(({ name }) => FIRST.has(name)) }];
  for (const setting of SETTINGS) {
    if (FIRST.has(setting.name)) continue;
    const title = titles.get(setting.name);
    if (title !== undefined) topics.push({ title, settings: [] });
    topics.at(-1)?.settings.push(setting);
  }
  return topics;
}
