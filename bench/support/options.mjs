import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

export const HELP = `npm run bench [-- options]

Measures the service and its floors in the same run, alternating, and reports ratios with their spread.

  --quick        the most of it, once and for a second: does it work, roughly how fast is it
  --only TEXT    what has this in its name or in that of its section (--list); may be given several times
  --rounds N     rounds of each section (default 5; quick: 1)
  --seconds N    length of one measurement (default 5; quick: 1)
  --workers N    API processes, and processes of the floors (default 2, or the number of cores if that is less)
  --minutes N    length of the section memory (default 10; quick: 0.05)
  --stored N     events in the database at the end of the section growth (default 20000000; quick: 50000)
  --list         the names of all that is measured
  --help

Needs wrk (Debian: apt-get install wrk). The section jetstream needs nats-server and says so when there is none.`;

/** What the command line asks for; throws a sentence when it makes no sense. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [''] },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      workers: { type: 'string' },
      minutes: { type: 'string' },
      stored: { type: 'string' },
    },
  });
  const { quick } = values;
  const number = (name, usual, isWhole = true) => {
    const value = Number(values[name] ?? usual);
    if (value > 0 && (!isWhole || Number.isInteger(value))) return value;
    throw new Error(`--${name} is "${values[name]}": give a ${isWhole ? 'whole ' : ''}number above 0.`);
  };
  return {
    quick,
    help: values.help,
    list: values.list,
    wanted: values.only.map((text) => text.toLowerCase()),
    rounds: number('rounds', quick ? 1 : 5),
    seconds: number('seconds', quick ? 1 : 5),
    workers: number('workers', Math.min(2, cpus().length)),
    minutes: number('minutes', quick ? 0.05 : 10, false),
    stored: number('stored', quick ? 50_000 : 20_000_000),
  };
}

/** Whether `--only` asks for something of this name, in this section. */
export function isWanted({ wanted }, section, name) {
  return wanted.some((text) => `${section}: ${name}`.toLowerCase().includes(text));
}
