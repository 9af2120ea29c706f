import cluster, { type Worker } from 'node:cluster';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../db/database.js';
import { StartupError } from '../lib/startup-error.js';
import type { Settings } from '../settings/settings.js';
import { createLogger } from '../telemetry/logger.js';
import { type Installation, PATIENCE, prepareInstallation } from './installation.js';
import type { Operations } from './operations.js';
import { printWelcome } from './welcome.js';

/**
 * The first process: it prepares the database, keeps the API workers running and serves operators.
 *
 *   starting ──► running ──signal──► stopping: workers finish their requests ──► database closed ──► exit
 */
const STOP_WORKERS_MS = 6_000;
/** A worker that dies at once is started again, but not in a tight loop. */
const RESTART_DELAY_MS = 1_000;
const GIVE_WAY_MS = 3_000;
/**
 * Most of what a request allocates is garbage once its response is sent. With twice the space for young objects fewer of them
 * survive to be copied: a tenth less CPU of a worker for batches of 50, for 15 MB of memory. Four times the space gains no
 * more.
 */
const WORKER_OPTIONS = ['--max-semi-space-size=32'];

export async function runPrimary(settings: Settings, say: (line: string) => void): Promise<void> {
  await refuseTakenPort(settings.host, settings.port, 'SAVEPOINT_PORT');
  await refuseTakenPort(settings.opsHost, settings.opsPort, 'SAVEPOINT_OPS_PORT');

  // From here on Ctrl-C waits for the start to be done, so that whatever was started is also stopped.
  const asked = firstSignal();
  const logger = createLogger(settings);
  const database = await openDatabase(settings, say);
  let installation: Installation;
  try {
    const signal = abortedBy(asked);
    installation = await prepareInstallation(settings, database, say, { ...PATIENCE, signal });
    // Again, because that took a while: workers may listen beside another service without an error (shared-port.ts).
    await refuseTakenPort(settings.host, settings.port, 'SAVEPOINT_PORT');
  } catch (error) {
    await database.close();
    throw error;
  }
  const workers = superviseWorkers(settings, database, installation.masterKeyText, logger);
  let operations: Operations | undefined;
  let signInPath: string | undefined;
  const stopAll = async (): Promise<void> => {
    await workers.stop();
    await operations?.close();
    await database.close();
  };
  try {
    // Only now: the admin API takes as long to load as a worker does, and players come first. Not for ever: when no worker
    // comes up, this is where operators look.
    await Promise.race([workers.listening, asked, sleep(GIVE_WAY_MS)]);
    const { startOperations } = await import('./operations.js');
    operations = await startOperations({
      settings,
      database,
      masterKeys: installation.masterKeys,
      logger,
      countWorkers: workers.count,
      playerPort: workers.port,
    });
    if (settings.environment === 'development') {
      const { demoSignInPathIfPossible } = await import('../app/demo-account.js');
      signInPath = await demoSignInPathIfPossible(database.pool, Date.now(), logger);
    }
  } catch (error) {
    await stopAll();
    throw error;
  }

  const stop = async (signal: string): Promise<void> => {
    say(`\n${signal}: finishing requests in flight…`);
    await stopAll();
    say('Savepoint has stopped.');
  };
  asked.then(stop).then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, 'the service could not be stopped cleanly');
      process.exit(1);
    },
  );

  const port = await workers.listening;
  printWelcome(settings, { port, opsPort: operations.port, signInPath }, say);
}

function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve(signal));
  });
}

function abortedBy(asked: Promise<string>): AbortSignal {
  const controller = new AbortController();
  void asked.then(() => controller.abort());
  return controller.signal;
}

type Workers = {
  /** The port of the player API, once a worker serves it. */
  listening: Promise<number>;
  count(): number;
  port(): number | undefined;
  stop(): Promise<void>;
};

/** Metrics are sent as messages, too. */
type WorkerMessage = { type: 'listening'; port: number } | { type?: undefined };

function superviseWorkers(
  settings: Settings,
  database: Database,
  masterKey: string,
  logger: Logger,
): Workers {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./worker.js', import.meta.url)),
    args: [],
    // Whatever this process was given comes last, and wins.
    execArgv: [...WORKER_OPTIONS, ...process.execArgv],
  });
  // A worker reads the same settings; what the primary found out is added to them.
  const environment = {
    SAVEPOINT_ENV: settings.environment,
    DATABASE_URL: database.url,
    SAVEPOINT_MASTER_KEY: masterKey,
    SAVEPOINT_LOG_PRETTY: settings.logPretty ? 'on' : 'off',
  };
  const listening = new Set<Worker>();
  let stopping = false;
  let port: number | undefined;
  let announce: (port: number) => void = () => {};
  const firstPort = new Promise<number>((resolve) => {
    announce = resolve;
  });

  const fork = (): void => {
    if (stopping) return;
    const bornAt = Date.now();
    const worker = cluster.fork(environment);
    // Node's own event comes only from workers that listen through the primary: see shared-port.ts.
    worker.on('message', (message: WorkerMessage) => {
      if (message.type !== 'listening') return;
      listening.add(worker);
      port = message.port;
      announce(message.port);
    });
    worker.once('exit', (code, signal) => {
      listening.delete(worker);
      if (stopping) return;
      logger.error(
        { worker: worker.process.pid, code, signal },
        'an API worker exited unexpectedly; starting another',
      );
      const soon = Date.now() - bornAt < RESTART_DELAY_MS * 5;
      setTimeout(fork, soon ? RESTART_DELAY_MS : 0);
    });
  };
  for (let index = 0; index < settings.workers; index++) fork();

  return {
    listening: firstPort,
    count: () => listening.size,
    port: () => port,
    async stop() {
      stopping = true;
      const all = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      await Promise.all(all.map(stopWorker));
    },
  };
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => worker.process.kill('SIGKILL'), STOP_WORKERS_MS);
    worker.once('exit', () => {
      clearTimeout(giveUp);
      resolve();
    });
    if (worker.isDead()) resolve();
    else worker.send({ type: 'stop' }, () => {});
  });
}

export function refuseTakenPort(host: string, port: number, setting: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new StartupError(
          error.code === 'EADDRINUSE'
            ? `Port ${port} on ${host} is taken by another program. Stop it, or choose another port with ${setting}.`
            : `Cannot listen on ${host}:${port} (${error.code}). Choose another address or port with ${setting}.`,
        ),
      );
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
