import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export type RunnerOptions = {
  command: string[];
  only: string[];
  parallel: number;
  patienceSeconds: number;
  isVerbose: boolean;
  isList: boolean;
  isHelp: boolean;
};

export const HELP = `Plays exchanges with a client of Savepoint and says which rules it keeps.

  npm run conformance -- [options] -- <command that starts your driver>

The command is started for each run of the game, unless the driver can "reset". It reads commands from its standard input and writes replies to its
standard output, one JSON object a line: see clients/conformance/README.md.

  --only <name>      play only this exchange; may be given several times
  --list             list the exchanges with their rules, and play none
  --parallel <n>     how many to play at the same time (default: the number of cores, at most 8)
  --patience <s>     how many seconds an exchange may take before it counts as failed (default: 60)
  --verbose          print all that is said between runner and driver
  --help             this text

Exit code: 0 all passed, 1 some failed, 2 the call was wrong.

Example, the TypeScript client:
  npm run conformance -- -- node clients/conformance/dist/drivers/node.js
`;

/** Reads the command line. Throws an error whose message says what to write instead. */
export function readOptions(args: readonly string[]): RunnerOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      list: { type: 'boolean', default: false },
      parallel: { type: 'string', default: `${Math.min(8, availableParallelism())}` },
      patience: { type: 'string', default: '60' },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const options = {
    command: positionals,
    only: values.only,
    parallel: positive('--parallel', values.parallel),
    patienceSeconds: positive('--patience', values.patience),
    isVerbose: values.verbose,
    isList: values.list,
    isHelp: values.help,
  };
  if (options.command.length === 0 && !options.isList && !options.isHelp) {
    throw new Error('Say which command starts your driver, after "--". See --help.');
  }
  return options;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`${name} must be a whole number from 1, not "${text}".`);
}
