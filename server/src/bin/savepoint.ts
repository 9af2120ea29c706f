import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { COMMANDS } from '../cli/commands.js';
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
