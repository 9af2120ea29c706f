import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { cleanUp } from '../support/service.js';
import { chooseFaults } from './fault-kinds.js';
import { seededRandom } from './random.js';
import { type Report, runScenario } from './scenario.js';
import type { Mode } from './stack.js';

const MODES: readonly Mode[] = ['direct', 'jetstream', 'jetstream-cluster'];

const HELP = `npm run faults -- [options]

  --mode direct|jetstream|jetstream-cluster   how events are taken in (direct)
  --events N        numbered events to send (200000)
  --kills N         processes to kill meanwhile; pauses and cut connections come on top (20)
  --only TEXT       only faults whose name holds this text
  --data-dir F      an empty folder, which is left as it is afterwards (a temporary one)
  --busy N          processes that take CPU time from everything else (0)
  --nats-server F   the nats-server program to test (one that is new enough for production)
  --seed N          repeats the choices of an earlier run (random)
  --players N       (500)
  --connections N   (48)
  --db-timeout MS   SAVEPOINT_DB_TIMEOUT_MS of the service (5000)
  --minutes N       when to stop sending and check what there is (13)

Three NATS servers on a busy machine, one of them killed at a time:
  npm run faults -- --mode jetstream-cluster --only 'NATS server' --kills 10 --events 40000 --busy 4
`;

/** The long form, on a terminal. Resolves with the exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      mode: { type: 'string', default: 'direct' },
      events: { type: 'string', default: '200000' },
      kills: { type: 'string', default: '20' },
      only: { type: 'string', default: '' },
      'data-dir': { type: 'string' },
      busy: { type: 'string', default: '0' },
      'nats-server': { type: 'string' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      players: { type: 'string', default: '500' },
      connections: { type: 'string', default: '48' },
      'db-timeout': { type: 'string', default: '5000' },
      minutes: { type: 'string', default: '13' },
      help: { type: 'boolean', default: false },
    },
  });
  const mode = MODES.find((known) => known === values.mode);
  if (values.help || mode === undefined) {
    process.stdout.write(HELP);
    return values.help ? 0 : 1;
  }
  const begun = Date.now();
  const say = (line: string): void => {
    process.stdout.write(`[${((Date.now() - begun) / 1000).toFixed(1).padStart(6)}] ${line}\n`);
  };
  try {
    const report = await runScenario({
      mode,
      seed: Number(values.seed),
      events: Number(values.events),
      faults: chooseFaults({
        mode,
        kills: Number(values.kills),
        only: values.only,
        random: seededRandom(Number(values.seed)),
      }),
      players: Number(values.players),
      connections: Number(values.connections),
      databaseTimeoutMs: Number(values['db-timeout']),
      timeLimitMs: Number(values.minutes) * 60_000,
      busyProcesses: Number(values.busy),
      ...(values['data-dir'] === undefined ? {} : { dataDir: values['data-dir'] }),
      ...(values['nats-server'] === undefined ? {} : { natsServer: values['nats-server'] }),
      say,
    });
    process.stdout.write(describe(report, mode, values.seed));
    return report.lost + report.doubled + report.problems.length === 0 ? 0 : 1;
  } catch (error) {
    process.stdout.write(`\nThe run failed: ${(error as Error).message}\n`);
    return 1;
  } finally {
    await cleanUp();
  }
}

function describe(report: Report, mode: Mode, seed: string): string {
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([name, times]) => `${name} ${times}`)
      .join(', ') || 'none';
  const rows = [
    ['mode', `${mode} (${report.description}), Node ${process.version}, ${availableParallelism()} cores`],
    ['seed', seed],
    ['acknowledged', `${report.acknowledged} events`],
    ['stored', `${report.stored} events`],
    ['requests', `${report.requests}, repeated: ${list(report.repeated)}`],
    ['kills', String(report.kills)],
    ['faults', list(report.faults)],
    ['longest silence', `${(report.longestSilenceMs / 1000).toFixed(1)} s without an acknowledgement`],
    ['queue drained', `${report.drainSeconds.toFixed(1)} s after the last acknowledgement`],
    ['lost', String(report.lost)],
    ['doubled', String(report.doubled)],
    ['problems', report.problems.map((problem) => `\n    ${problem}`).join('') || 'none'],
    ['duration', `${report.seconds.toFixed(0)} s`],
  ];
  return `\n${rows.map(([name = '', value]) => `${name.padEnd(16)} ${value}`).join('\n')}\n`;
}
