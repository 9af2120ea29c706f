import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { SETTINGS } from '../config.js';
import { StartupError } from '../lib/startup-error.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const settings = SETTINGS.map(
  ({ name, fallback, meaning }) => `  ${name}\n      ${meaning} (default: ${fallback})`,
);

/**
 * In the order of the help. Each is loaded when it is asked for: the code of all of them together takes longer to load than
 * a start may.
 */
const COMMANDS = new Map<string, () => Promise<Command>>(
  Object.entries({
    start: async () => (await import('../cli/service-commands.js')).startCommand(),
    consume: async () => (await import('../cli/service-commands.js')).consumeCommand(),
    migrate: async () => (await import('../cli/service-commands.js')).migrateCommand(),
    tenant: async () => (await import('../cli/tenancy-commands.js')).tenantCommands(),
    game: async () => (await import('../cli/tenancy-commands.js')).gameCommands(),
    key: async () => (await import('../cli/key-commands.js')).keyCommands(),
    'admin-token': async () => (await import('../cli/admin-token-commands.js')).adminTokenCommands(),
    config: async () => (await import('../cli/config-commands.js')).configCommands(),
    catalogue: async () => (await import('../cli/catalogue-commands.js')).catalogueCommands(),
    explain: async () => (await import('../cli/explain-command.js')).explainCommand(),
    'event-type': async () => (await import('../cli/event-type-commands.js')).eventTypeCommands(),
    'failed-events': async () => (await import('../cli/failed-event-commands.js')).failedEventCommands(),
    export: async () => (await import('../cli/export-commands.js')).exportCommands(),
    rollups: async () => (await import('../cli/rollup-commands.js')).rollupCommands(),
    retention: async () => (await import('../cli/retention-commands.js')).retentionCommands(),
    'signing-key': async () => (await import('../cli/rotation-commands.js')).signingKeyCommands(),
    'master-key': async () => (await import('../cli/rotation-commands.js')).masterKeyCommands(),
    doctor: async () => (await import('../cli/doctor-command.js')).doctorCommand(),
  }),
);

const program = new Command('savepoint')
  .description('A player data service for games: login, events, player status, segments and store.')
  .version(version)
  .showHelpAfterError('(savepoint --help lists the commands)')
  .addHelpText('after', `\nSettings, all read from the environment:\n${settings.join('\n')}`);

const [asked = ''] = process.argv.slice(2);
const known = COMMANDS.get(asked);
for (const load of known === undefined ? COMMANDS.values() : [known]) program.addCommand(await load());

try {
  await program.parseAsync();
} catch (error) {
  // Expected problems are told in a sentence; anything else is a defect and shows where it came from.
  const expected = error instanceof StartupError || error instanceof CommanderError;
  process.stderr.write(
    `${expected ? `\n${(error as Error).message}` : ((error as Error).stack ?? String(error))}\n`,
  );
  process.exit(1);
}
