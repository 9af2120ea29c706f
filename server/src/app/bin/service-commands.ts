import { Command } from 'commander';
import { requireSettings, say } from '../../studio/cli/terminal.js';

/** The commands that are processes of their own; all others are in cli/. */

export function startCommand(): Command {
  return new Command('start')
    .description('start the service: database, API processes and operations listener')
    .action(async () => {
      const { runPrimary } = await import('./primary.js');
      await runPrimary(requireSettings(), say);
    });
}

export function consumeCommand(): Command {
  return new Command('consume')
    .description('apply the events that wait on JetStream (NATS_URL); run as many of these as needed')
    .action(async () => {
      const { runConsumer } = await import('./consumer.js');
      await runConsumer(requireSettings({ needsMasterKey: false }), say);
    });
}
