import { Command, CommanderError } from 'commander';
import { settingTopics } from '../../platform/settings/setting-topics.js';
import { isClosedOutput } from '../../studio/cli/closed-output.js';
import { describeUsageError, isUsageError, throwErrors } from '../../studio/cli/command-errors.js';
import { describeFailure } from '../../studio/cli/describe-failure.js';
import { INTERRUPTED, Interrupted } from '../../studio/cli/interrupt.js';
import { COMMANDS } from './commands.js';
import { serverVersion } from './server-version.js';

/**
 * Runs the command that the arguments name.
 *
 * @returns the code to exit with at once; undefined if the command is done, or goes on as `start` does
 */
export async function runProgram(args: readonly string[]): Promise<number | undefined> {
  const program = await createProgram(args);
  try {
    await program.parseAsync(args, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && !isUsageError(error)) return error.exitCode;
    if (isClosedOutput(error)) return Number(process.exitCode ?? 0);
    process.stderr.write(`${describe(error, program, args)}\n`);
    return error instanceof Interrupted ? INTERRUPTED : 1;
  }
}

const VERSION_FLAGS = ['--version', '-V'];

/** What the help shows on one screen. `savepoint --help all` shows the rest. */
const FIRST_COMMANDS: ReadonlySet<string> = new Set([
  ...['start', 'doctor', 'tenant', 'game', 'key', 'admin', 'config', 'catalogue', 'explain', 'sql'],
  ...['simulate', 'import', 'erase', 'backup', 'restore'],
]);

/** With the command of this name, or with all if there is none, for the help and for what may have been meant. */
async function createProgram([name = '', topic]: readonly string[]): Promise<Command> {
  const isHelpOfAll = ['--help', '-h', 'help'].includes(name) && topic === 'all';
  const program = new Command('savepoint')
    .description('A player data service for games: login, events, player status, segments and store.')
    .version(serverVersion())
    .addHelpText(
      'after',
      '\nCtrl-C ends a command and what it was doing in PostgreSQL. The exit code is 130 then.',
    )
    .addHelpText('after', isHelpOfAll ? settingsText() : '\nAll commands and settings: savepoint --help all');
  const known = COMMANDS.get(name);
  const loaded = VERSION_FLAGS.includes(name)
    ? []
    : known === undefined
      ? COMMANDS
      : [[name, known] as const];
  for (const [each, load] of loaded)
    program.addCommand(await load(), { hidden: !isHelpOfAll && !FIRST_COMMANDS.has(each) });
  throwErrors(program);
  return program;
}

/** By topic, those that matter most first. */
function settingsText(): string {
  const topics = settingTopics().map(({ title, settings }) => {
    const lines = settings.map(
      ({ name, fallback, description }) => `  ${name}\n      ${description} (default: ${fallback})`,
    );
    return [`${title}:`, ...lines].join('\n');
  });
  return `\nSettings, all read from the environment.\n\n${topics.join('\n\n')}`;
}

/** For errors that no command waits for, such as of a stream or of a promise that was forgotten. */
export function endOnUncaught(): void {
  process.on('uncaughtException', (error) => {
    if (isClosedOutput(error)) process.exit(Number(process.exitCode ?? 0));
    process.stderr.write(`${describeError(error)}\n`);
    process.exit(1);
  });
}

function describe(error: unknown, program: Command, args: readonly string[]): string {
  if (error instanceof CommanderError) return describeUsageError(program, args, error);
  // The terminal shows ^C where the line is.
  if (error instanceof Interrupted) return `${process.stderr.isTTY ? '\n' : ''}${error.message}`;
  return describeError(error);
}

/** What an operator can mend is told in a sentence; anything else is a defect and shows where it came from. */
function describeError(error: unknown): string {
  const sentence = describeFailure(error);
  if (sentence !== undefined) return `\n${sentence}`;
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
