import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { programFile } from '../../platform/package-files.js';
import type { Settings } from '../../platform/settings/settings.js';
import { OPERATIONS_STUCK_SECONDS } from './heartbeat.js';
import { respond } from './questions.js';
import type { ServiceStatus } from './service-status.js';
import { type Replacements, type SupervisedProcess, supervise } from './supervised-process.js';
import { createMetricsReader } from './workers-metrics.js';
import { readReach } from './workers-reach.js';

/**
 * Most of what a request allocates is garbage once its response is sent. With twice the space for young objects fewer of them
 * survive to be copied: a tenth less CPU of a worker for batches of 50, for 15 MB of memory. Four times the space gains no
 * more.
 */
const WORKER_OPTIONS = ['--max-semi-space-size=32'];

export type Processes = {
  /** The port of the player API, once a worker serves it. */
  playerPort: Promise<number>;
  /** Starts the process for operators. Resolves with its port when it listens. */
  startOperations(): Promise<number>;
  /** From now on the node is not ready, so that balancers send players elsewhere. It still serves those who come. */
  drain(): void;
  stop(): Promise<void>;
};

/** Starts the API workers, and keeps them and the operations process running. */
export function startProcesses(
  settings: Settings,
  {
    databaseUrl,
    databaseDir,
    masterKey,
  }: { databaseUrl: string; databaseDir: string | undefined; masterKey: string },
  logger: Logger,
): Processes {
  // Every process reads the same settings; what the primary found out is added to them.
  const environment = {
    SAVEPOINT_ENV: settings.environment,
    DATABASE_URL: databaseUrl,
    SAVEPOINT_MASTER_KEY: masterKey,
    SAVEPOINT_LOG_PRETTY: settings.logPretty ? 'on' : 'off',
  };
  const forkWorker = (): ChildProcess =>
    forkProcess('boot-worker', { environment, databaseDir }, WORKER_OPTIONS);
  const workers = Array.from({ length: settings.workers }, () =>
    supervise({ name: 'an API worker', fork: forkWorker, logger }),
  );
  const readMetrics = createMetricsReader(workers);
  let operations: SupervisedProcess | undefined;
  let opsPort = settings.opsPort;
  let playerPort: number | undefined;
  let isStopping = false;
  const firstPort = Promise.race(workers.map(({ listening }) => listening));
  void firstPort.then((port) => {
    playerPort = port;
  });

  const status = (): ServiceStatus => ({
    isStopping,
    workers: workers.map((worker) => worker.status()),
    replacements: {
      worker: sumReplacements(workers),
      operations: sumReplacements(operations ? [operations] : []),
    },
    playerPort,
  });
  const forkOperations = (): ChildProcess => {
    const own = { SAVEPOINT_OPS_PORT: String(opsPort) };
    const child = forkProcess('boot-operations', { environment: { ...environment, ...own }, databaseDir });
    respond(child, 'status', status);
    respond(child, 'metrics', readMetrics);
    respond(child, 'reach', () => readReach(workers));
    return child;
  };

  return {
    playerPort: firstPort,
    async startOperations() {
      operations = supervise({
        name: 'the operations process',
        fork: forkOperations,
        stuckSeconds: OPERATIONS_STUCK_SECONDS,
        logger,
      });
      // A port that the system chose stays the same when the process is replaced.
      opsPort = await operations.listening;
      return opsPort;
    },
    drain() {
      isStopping = true;
    },
    async stop() {
      await Promise.all([...workers, ...(operations ? [operations] : [])].map((one) => one.stop()));
    },
  };
}

function forkProcess(
  name: 'boot-worker' | 'boot-operations',
  { environment, databaseDir }: { environment: object; databaseDir: string | undefined },
  options: readonly string[] = [],
): ChildProcess {
  cluster.setupPrimary({
    exec: fileURLToPath(programFile(name)),
    args: databaseDir === undefined ? [] : [databaseDir],
    // Whatever this process was given comes last, and wins.
    execArgv: [...options, ...process.execArgv],
  });
  return cluster.fork(environment).process;
}

function sumReplacements(processes: readonly SupervisedProcess[]): Replacements {
  const all = processes.map((one) => one.replacements());
  const sum = (why: keyof Replacements) => all.reduce((total, counts) => total + counts[why], 0);
  return { stuck: sum('stuck'), ended: sum('ended') };
}
