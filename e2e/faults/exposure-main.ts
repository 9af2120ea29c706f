import { parseArgs } from 'node:util';
import { cleanUp } from '../support/service.js';
import { runExposureTrial } from './exposure-trial.js';

const HELP = `npm run faults -- experiments [options]

Ten experiments on two nodes with JetStream, while workers, nodes, PostgreSQL and the NATS server are killed (-9) and coverage and weights are
published anew. Players note which arm a response told them first. At the end that must be what is stored, once, and what the reports count.

  --minutes N   how long they play (4)
  --players N   (300)
  --kills N     (6)
  --seed N      repeats the choices of an earlier run (random)
`;

const MAX_SHOWN = 40;

/** On a terminal. Resolves with the exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '4' },
      players: { type: 'string', default: '300' },
      kills: { type: 'string', default: '6' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const begun = performance.now();
  const say = (line: string) =>
    process.stdout.write(`[${((performance.now() - begun) / 1000).toFixed(1).padStart(6)}] ${line}\n`);
  try {
    const { numbers, reports, problems } = await runExposureTrial({
      seed: Number(values.seed),
      minutes: Number(values.minutes),
      players: Number(values.players),
      kills: Number(values.kills),
      say,
    });
    for (const line of reports) say(`players by the report of ${line}`);
    for (const [name, number] of Object.entries(numbers)) say(`${name}: ${number}`);
    for (const problem of problems.slice(0, MAX_SHOWN)) say(`PROBLEM: ${problem}`);
    say(problems.length === 0 ? 'exposures are what players were told' : `${problems.length} problems`);
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    say(`the run failed: ${(error as Error).message}`);
    return 1;
  } finally {
    await cleanUp();
  }
}
