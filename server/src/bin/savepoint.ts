import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { isClosedOutput, watchOutput } from '../cli/closed-output.js';
import { describeUsageError, isUsageError, throwErrors } from '../cli/command-errors.js';
import { INTERRUPTED, Interrupted } from '../cli/interrupt.js';
import { StartupError } from '../lib/startup-error.js';
import { SETTINGS } from '../settings/settings.js';
import { COMMANDS } from './commands.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const settings = SETTINGS.map(
  ({ name, fallback, description }) => `  ${name}\n      ${description} (default: ${fallback})`,
);

const program = new Command('savepoint')
  .description('A player data service for games: login, events, player status, segments and store.')
  .version(version)
  .addHelpText(
    'after',
    '\nCtrl-C ends a command and what it was doing in PostgreSQL. The exit code is 130 then.',
  )
  .addHelpText('after', `\nSettings, all read from the environment:\n${settings.join('\n')}`);

watchOutput();
const args = process.argv.slice(2);
const known = COMMANDS.get(args[0] ?? '');
for (const load of known === undefined ? COMMANDS.values() : [known]) program.addCommand(await load());
throwErrors(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError && !isUsageError(error)) process.exit(error.exitCode);
  if (isClosedOutput(error)) process.exit();
  process.stderr.write(`${describe(error)}\n`);
  process.exit(error instanceof Interrupted ? INTERRUPTED : 1);
}

/** Expected problems are told in a sentence; anything else is a defect and shows where it came from. */
function describe(error: unknown): string {
  if (error instanceof CommanderError) return describeUsageError(program, args, error);
  // The terminal shows ^C where the line is.
  if (error instanceof Interrupted) return `${process.stderr.isTTY ? '\n' : ''}${error.message}`;
  if (error instanceof StartupError) return `\n${error.message}`;
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
