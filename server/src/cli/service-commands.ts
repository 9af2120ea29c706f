import { Command } from 'commander';
import { openDatabaseForCommand } from '../db/database.js';
import { migrate } from '../db/migrate.js';
import { requireConfig, say } from './terminal.js';

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
  return new Command('migrate').description("bring the database to this build's schema").action(async () => {
    const database = await openDatabaseForCommand(requireConfig({ needsMasterKey: false }));
    try {
      const applied = await migrate(database.url, say);
      say(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.length} migrations.`);
    } finally {
      await database.close();
    }
  });
}
