import type { Command, CommanderError } from 'commander';
import { nearestName } from '../../platform/lib/nearest-name.js';

/** Lets mistakes in the command line come as errors, for `describeUsageError`, in place of being printed. */
export function throwErrors(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => {} });
  for (const each of command.commands) throwErrors(each);
}

/** Help and version, which end the command as well, but were asked for. */
export function isUsageError({ code }: CommanderError): boolean {
  return !['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code);
}

/** What is wrong with a command line, what may be meant, and where to read more. */
export function describeUsageError(program: Command, args: readonly string[], error: CommanderError): string {
  const { command, path } = findCommand(program, args);
  // Commander misses the mandatory option before it notices that one is misspelt.
  const misspelt =
    error.code === 'commander.missingMandatoryOptionValue' ? unknownOption(command, args) : undefined;
  const what = misspelt === undefined ? error.message : describeUnknown(command, misspelt);
  return `${what}\n(${path} --help says more)`;
}

function findCommand(program: Command, args: readonly string[]): { command: Command; path: string } {
  let command = program;
  let path = program.name();
  for (const arg of args) {
    const next = command.commands.find((each) => each.name() === arg);
    if (next === undefined) break;
    command = next;
    path += ` ${arg}`;
  }
  return { command, path };
}

function unknownOption(command: Command, args: readonly string[]): string | undefined {
  const known = new Set(command.options.map(({ long }) => long));
  return args
    .filter((arg) => arg.startsWith('--') && arg !== '--')
    .map((arg) => arg.split('=', 1)[0] ?? arg)
    .find((arg) => !known.has(arg));
}

/** In Commander's words. */
function describeUnknown({ options }: Command, flag: string): string {
  const names = options.flatMap(({ long }) => (long == null ? [] : [long.slice(2)]));
  const nearest = nearestName(flag.slice(2), names);
  return `error: unknown option '${flag}'${nearest === undefined ? '' : `\n(Did you mean --${nearest}?)`}`;
}
