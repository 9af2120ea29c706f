import { type Config, readConfig } from '../config.js';
import { type Database, openDatabaseForCommand } from '../db/database.js';
import { isMigrated } from '../db/migrate.js';
import { StartupError } from '../lib/startup-error.js';

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The settings, or one message that lists every problem and how to mend it. */
export function requireConfig(): Config {
  const read = readConfig(process.env, { tty: process.stdout.isTTY === true });
  if (read.ok) return read.config;
  throw new StartupError(
    `Savepoint cannot start with these settings:\n${read.problems.map((problem) => `  - ${problem}`).join('\n')}`,
  );
}

/**
 * Runs an administrative command on the database of this installation: the one of DATABASE_URL, or the embedded one,
 * whether the service is running on it or not.
 */
export async function withDatabase<T>(work: (database: Database, config: Config) => Promise<T>): Promise<T> {
  const config = requireConfig();
  const database = await openDatabaseForCommand(config);
  try {
    if (!(await isMigrated(database.pool).catch(() => false))) {
      throw new StartupError(
        'The database is not set up yet. Run `savepoint migrate` or `savepoint start` first.',
      );
    }
    return await work(database, config);
  } finally {
    await database.close();
  }
}
