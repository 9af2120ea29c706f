import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { adminTokenCommands } from '../cli/admin-token-commands.js';
import { catalogueCommands } from '../cli/catalogue-commands.js';
import { configCommands } from '../cli/config-commands.js';
import { doctorCommand } from '../cli/doctor-command.js';
import { eventTypeCommands } from '../cli/event-type-commands.js';
import { explainCommand } from '../cli/explain-command.js';
import { exportCommands } from '../cli/export-commands.js';
import { failedEventCommands } from '../cli/failed-event-commands.js';
import { keyCommands } from '../cli/key-commands.js';
import { retentionCommands } from '../cli/retention-commands.js';
import { rollupCommands } from '../cli/rollup-commands.js';
import { masterKeyCommands, signingKeyCommands } from '../cli/rotation-commands.js';
import { consumeCommand, migrateCommand, startCommand } from '../cli/service-commands.js';
import { gameCommands, tenantCommands } from '../cli/tenancy-commands.js';
import { SETTINGS } from '../config.js';
import { StartupError } from '../lib/startup-error.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const settings = SETTINGS.map(
  ({ name, fallback, meaning }) => `  ${name}\n      ${meaning} (default: ${fallback})`,
);

const program = new Command('savepoint')
  .description('A player data service for games: login, events, player status, segments and store.')
  .version(version)
  .showHelpAfterError('(savepoint --help lists the commands)')
  .addHelpText('after', `\nSettings, all read from the environment:\n${settings.join('\n')}`)
  .addCommand(startCommand())
  .addCommand(consumeCommand())
  .addCommand(migrateCommand())
  .addCommand(tenantCommands())
  .addCommand(gameCommands())
  .addCommand(keyCommands())
  .addCommand(adminTokenCommands())
  .addCommand(configCommands())
  .addCommand(catalogueCommands())
  .addCommand(explainCommand())
  .addCommand(eventTypeCommands())
  .addCommand(failedEventCommands())
  .addCommand(exportCommands())
  .addCommand(rollupCommands())
  .addCommand(retentionCommands())
  .addCommand(signingKeyCommands())
  .addCommand(masterKeyCommands())
  .addCommand(doctorCommand());

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
