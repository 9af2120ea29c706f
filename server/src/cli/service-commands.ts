import { Command } from 'commander';
import { migrate } from '../db/migrate.js';
import { requireConfig, say, withCommandDatabase } from './terminal.js';

export function startCommand(): Command {
  return new Command('start')
    .description('start the service: database, API processes and operations listener')
    .action(async () => {
      const { runPrimary } = await import('../bin/primary.js');
      await runPrimary(requireConfig(), say);
    });
}

export function consumeCommand(): Command {
  return new Command('consume')
    .description('apply the events that wait on JetStream (NATS_URL); run as many of these as needed')
    .action(async () => {
      const { runConsumer } = await import('../bin/consumer.js');
      await runConsumer(requireConfig({ needsMasterKey: false }), say);
    });
}

export function migrateCommand(): Command {
  return new Command('migrate').description("bring the database to this build's schema").action(() =>
    withCommandDatabase(
      requireConfig({ needsMasterKey: false }),
      'Migrations that were finished stay. Run the command again to go on.',
      async ({ url }, signal) => {
        const applied = await migrate(url, say, { signal });
        say(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.length} migrations.`);
      },
    ),
  );
}
