import { parseArgs } from 'node:util';
import { cleanUp } from '../support/service.js';
import { runClientScenario } from './client-scenario.js';

const HELP = `npm run faults -- clients [options]

Clients of games on a bad network (requests dropped, delayed, delivered twice, responses lost and cut), while the service is killed.

  --clients N       (1000)
  --minutes N       how long they play (10)
  --kills N         kill -9 of the whole service meanwhile (5)
  --seed N          repeats the choices of an earlier run (random)
`;

/** The longest pause between two events of a player. */
const PAUSE_MS = 6_000;

/** The long form, on a terminal. Resolves with the exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      clients: { type: 'string', default: '1000' },
      minutes: { type: 'string', default: '10' },
      kills: { type: 'string', default: '5' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const begun = Date.now();
  const say = (line: string): void => {
    process.stdout.write(`[${((Date.now() - begun) / 1000).toFixed(1).padStart(6)}] ${line}\n`);
  };
  try {
    const report = await runClientScenario({
      seed: Number(values.seed),
      clients: Number(values.clients),
      eventsEach: Math.ceil((Number(values.minutes) * 60_000) / (PAUSE_MS / 2)),
      pauseMs: PAUSE_MS,
      batchSeconds: 5,
      kills: Number(values.kills),
      settings: { SAVEPOINT_ACCESS_TTL_SECONDS: '120' },
      say,
    });
    const { loggedOut, faults, seconds, ...numbers } = report;
    for (const [name, value] of Object.entries({
      seed: values.seed,
      clients: values.clients,
      ...numbers,
      'logged out': loggedOut.length,
      network: Object.entries(faults)
        .map(([fault, times]) => `${fault} ${times}`)
        .join(', '),
      seconds: seconds.toFixed(0),
    })) {
      process.stdout.write(`${name.padEnd(16)} ${value}\n`);
    }
    const { lost, doubled, outOfOrder, missingNumbers } = report;
    return lost + doubled + outOfOrder + missingNumbers + loggedOut.length === 0 ? 0 : 1;
  } catch (error) {
    process.stdout.write(`\nThe run failed: ${(error as Error).message}\n`);
    return 1;
  } finally {
    await cleanUp();
  }
}
