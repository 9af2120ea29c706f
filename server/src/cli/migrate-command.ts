import { Command } from 'commander';
import { migrate } from '../db/migrate.js';
import { requireSettings, say, withCommandDatabase } from './terminal.js';

export function migrateCommand(): Command {
  return new Command('migrate').description("bring the database to this build's schema").action(() =>
    withCommandDatabase(
      requireSettings({ needsMasterKey: false }),
      'Migrations that were finished stay. Run the command again to go on.',
      async ({ url }, signal) => {
        const applied = await migrate(url, say, { signal });
        say(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.length} migrations.`);
      },
    ),
  );
}
