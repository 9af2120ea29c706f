import { Command } from 'commander';
import { migrate } from '../../platform/db/migrate.js';
import { grantToServiceRole } from '../../platform/db/service-role.js';
import { requireSettings, say, withCommandDatabase } from '../../studio/cli/terminal.js';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description("bring the database to this build's schema")
    .option('--grant-to <role>', 'then let this role serve players: it may read and write rows, and no more')
    .action(({ grantTo }: { grantTo?: string }) =>
      withCommandDatabase(
        requireSettings({ needsMasterKey: false }),
        'Migrations that were finished stay. Run the command again to go on.',
        async ({ url, pool }, signal) => {
          const applied = await migrate(url, say, { signal });
          say(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.length} migrations.`);
          if (grantTo === undefined) return;
          await grantToServiceRole(pool, grantTo);
          say(`Role "${grantTo}" may serve players. Start the service with it in DATABASE_URL.`);
        },
      ),
    );
}
