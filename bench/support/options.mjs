import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

export const HELP = `npm run bench [-- options]

Measures the service and its floors in the same run, alternating, and reports ratios with their spread.

  --quick        the most of it, once and for a second: does it work, roughly how fast is it
  --only TEXT    what has this in its name or in that of its section (--list); may be given several times
  --rounds N     rounds of each section (default 5; quick: 1); the section growth has ten (quick: 2)
  --seconds N    length of one measurement (default 5; quick: 1)
  --workers N    API processes, and processes of the floors (default 2, or the number of cores if that is less)
  --minutes N    length of the section memory (default 10; quick: 0.05)
  --players N    stored players, of whom some are drawn at random (default 1000000; quick: 20000)
  --stored N     events in the database in the sections growth, past and retention (default 2000000; quick: 20000)
  --purchases N  purchases of the hot player before anything is measured (default 50000; quick: 2000)
  --events N     events of the one player whose past is explained (default 100000; quick: 2000)
  --sequenced    also events with a sequence number (X-Install-Id and seq), for a service that counts by them
  --list         the names of all that is measured
  --help

Prints tables in Markdown and writes one JSON file for each section to bench/results. "npm run bench -- tables" prints the tables
of all sections again.

Needs wrk (Debian: apt-get install wrk). The section jetstream needs nats-server and says so when there is none.`;

/** Reads the command line. Throws an error whose message says what to write instead. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      sequenced: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [''] },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      workers: { type: 'string' },
      minutes: { type: 'string' },
      players: { type: 'string' },
      stored: { type: 'string' },
      purchases: { type: 'string' },
      events: { type: 'string' },
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
    sequenced: values.sequenced,
    wanted: values.only.map((text) => text.toLowerCase()),
    rounds: number('rounds', quick ? 1 : 5),
    growthRounds: quick ? 2 : 10,
    seconds: number('seconds', quick ? 1 : 5),
    workers: number('workers', Math.min(2, cpus().length)),
    minutes: number('minutes', quick ? 0.05 : 10, false),
    players: number('players', quick ? 20_000 : 1_000_000),
    stored: number('stored', quick ? 20_000 : 2_000_000),
    purchases: number('purchases', quick ? 2_000 : 50_000),
    events: number('events', quick ? 2_000 : 100_000),
  };
}

/** Whether `--only` selects this name in this section. */
export function isWanted({ wanted }, section, name) {
  return wanted.some((text) => `${section}: ${name}`.toLowerCase().includes(text));
}

/** The items that are selected. Those that need sequence numbers are measured with `--sequenced` only. */
export function wantedItems(options, section, items, label = '') {
  return items.filter(
    ({ name, isSequenced = false, isLongRun = false }) =>
      isWanted(options, section, `${name}${label}`) &&
      (options.sequenced || !isSequenced) &&
      !(options.quick && isLongRun),
  );
}
