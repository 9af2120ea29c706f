import cluster, { type Worker } from 'node:cluster';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../config.js';
import { type Database, openDatabase } from '../db/database.js';
import { isMigrated } from '../db/migrate.js';
import { scheduleMaintenance } from '../features/maintenance/maintenance.js';
import { createLogger } from '../http/logger.js';
import { createAdminMetrics } from '../http/metrics.js';
import { buildOpsApp, type Readiness } from '../http/ops-app.js';
import { systemClock } from '../lib/clock.js';
import { StartupError } from '../lib/startup-error.js';
import { openLink, type QueueLink } from '../queue/connection.js';
import { checkQueue } from '../queue/queue-status.js';
import { type Installation, prepareInstallation } from './installation.js';
import { printWelcome } from './welcome.js';

/**
 * The first process: it prepares the database, keeps the API workers running and answers operators.
 *
 *   starting ──► running ──signal──► stopping: workers finish their requests ──► database closed ──► exit
 */
const STOP_WORKERS_MS = 6_000;
/** A worker that dies at once is started again, but not in a tight loop. */
const RESTART_DELAY_MS = 1_000;

export async function runPrimary(config: Config, say: (line: string) => void): Promise<void> {
  await refuseTakenPort(config.host, config.port, 'SAVEPOINT_PORT');
  await refuseTakenPort(config.opsHost, config.opsPort, 'SAVEPOINT_OPS_PORT');

  // From here on Ctrl-C waits for the start to be done, so that whatever was started is also stopped.
  const asked = firstSignal();
  const logger = createLogger(config);
  const database = await openDatabase(config, say);
  let installation: Installation;
  try {
    installation = await prepareInstallation(config, database, say);
  } catch (error) {
    await database.close();
    throw error;
  }
  const maintenance = scheduleMaintenance(database.pool, logger);
  const workers = superviseWorkers(config, database, installation.masterKeyText, logger);
  const queue = config.nats && openLink({ nats: config.nats, name: 'savepoint operations', logger });
  const ops = await startOps(config, database, workers, queue, logger);

  const stop = async (signal: string): Promise<void> => {
    say(`\n${signal}: finishing requests in flight…`);
    maintenance.stop();
    await workers.stop();
    await ops.close();
    await queue?.close();
    await database.close();
    say('Savepoint has stopped.');
  };
  asked.then(stop).then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, 'stopping failed');
      process.exit(1);
    },
  );

  const port = await workers.listening;
  printWelcome(config, port, (ops.server.address() as AddressInfo).port, say);
}

function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve(signal));
  });
}

type Workers = {
  /** The port of the player API, once a worker answers on it. */
  listening: Promise<number>;
  count(): number;
  stop(): Promise<void>;
};

function superviseWorkers(config: Config, database: Database, masterKey: string, logger: Logger): Workers {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./worker.js', import.meta.url)), args: [] });
  // A worker reads the same settings; what the primary found out is added to them.
  const environment = {
    SAVEPOINT_ENV: config.environment,
    DATABASE_URL: database.url,
    SAVEPOINT_MASTER_KEY: masterKey,
    SAVEPOINT_LOG_PRETTY: config.logPretty ? 'on' : 'off',
  };
  const listening = new Set<Worker>();
  let stopping = false;
  let announce: (port: number) => void = () => {};
  const firstPort = new Promise<number>((resolve) => {
    announce = resolve;
  });

  const fork = (): void => {
    if (stopping) return;
    const bornAt = Date.now();
    const worker = cluster.fork(environment);
    worker.once('listening', (address) => {
      listening.add(worker);
      announce(address.port);
    });
    worker.once('exit', (code, signal) => {
      listening.delete(worker);
      if (stopping) return;
      logger.error({ worker: worker.process.pid, code, signal }, 'an API worker died; starting another');
      const soon = Date.now() - bornAt < RESTART_DELAY_MS * 5;
      setTimeout(fork, soon ? RESTART_DELAY_MS : 0);
    });
  };
  for (let index = 0; index < config.workers; index++) fork();

  return {
    listening: firstPort,
    count: () => listening.size,
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

async function startOps(
  config: Config,
  database: Database,
  workers: Workers,
  queue: QueueLink | undefined,
  logger: Logger,
): Promise<FastifyInstance> {
  const aggregator = new AggregatorRegistry();
  const metrics = createAdminMetrics();
  const ops = await buildOpsApp({
    logger,
    readiness: () => readiness(config, database, workers, queue),
    metrics: async () => ({
      contentType: aggregator.contentType,
      text: `${await aggregator.clusterMetrics()}\n${await metrics.registry.metrics()}`,
    }),
    admin: { pool: database.pool, clock: systemClock, logger, metrics, databaseUrl: database.url },
    apiDocument: async (api) =>
      JSON.parse(await readFile(new URL(`../../../openapi/${api}.json`, import.meta.url), 'utf8')),
  });
  await ops.listen({ host: config.opsHost, port: config.opsPort });
  return ops;
}

const UNREACHABLE = 'the database cannot be reached';

/**
 * With a queue, a node stays ready while one of the two is away: without the database it goes on taking events, without
 * NATS it goes on answering players. A balancer that took it out would stop that as well, and on every node at once.
 */
async function readiness(
  config: Config,
  database: Database,
  workers: Workers,
  queue: QueueLink | undefined,
): Promise<Readiness> {
  const migrated = await isMigrated(database.pool).then(
    (yes) => (yes ? 'ok' : 'migrations are missing: run `savepoint migrate`'),
    () => UNREACHABLE,
  );
  const serving = workers.count() > 0 ? 'ok' : 'no API worker is listening';
  const checks = { database: migrated, workers: serving };
  if (config.nats === undefined || queue === undefined) {
    return { ready: migrated === 'ok' && serving === 'ok', checks };
  }
  const { ok, ...queueChecks } = await checkQueue(queue, config.nats, database.pool);
  const canWork = migrated === 'ok' || (migrated === UNREACHABLE && ok);
  return { ready: serving === 'ok' && canWork, checks: { ...checks, ...queueChecks } };
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
