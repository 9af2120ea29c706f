import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { stablePort } from '../../server/test/support/stable-port.js';
import {
  get,
  launch,
  type Service,
  type Settings,
  startService,
  temporaryFolder,
  until,
} from '../support/service.js';
import { type NatsServers, startNatsServers } from './nats-servers.js';
import { killPostgres, pausePostgres } from './postgres-faults.js';
import { childrenOf, isRunning, signal } from './processes.js';

export type Mode = 'direct' | 'jetstream' | 'jetstream-cluster';

/** A whole installation, and the faults that can happen to it. Each fault resolves when the part that failed is up again. */
export type Stack = {
  dataDir: string;
  settings: Settings;
  description: string;
  api: () => string;
  /** Acknowledged and not yet applied; 0 without a queue. */
  lag(): Promise<number>;
  killWorker(choose: Choose): Promise<void>;
  killService(): Promise<void>;
  killPostgres(): Promise<void>;
  pausePostgres(ms: number): Promise<void>;
  killConsumer(choose: Choose, downMs: number): Promise<void>;
  killNats(choose: Choose, downMs: number): Promise<void>;
  /** The last lines of each part's log, to find out what went wrong. */
  logs(): string;
  stop(): Promise<void>;
};

export type Choose = (count: number) => number;

type Options = {
  /** In addition to the settings of every stack. */
  settings?: Settings;
  mode: Mode;
  databaseTimeoutMs: number;
  dataDir?: string;
  natsServer?: string;
};

const CONSUMERS = 2;
const START_MS = 300_000;
const END_MS = 300_000;
const START_ATTEMPTS = 10;
const SHOWN_LOG = 3_000;

export async function startStack(options: Options): Promise<Stack> {
  if (options.mode === 'direct') return startProcesses(options, undefined);
  const nats = await startNatsServers(options.mode === 'jetstream' ? 1 : 3, options.natsServer);
  try {
    return await startProcesses(options, nats);
  } catch (error) {
    await nats.dispose();
    throw error;
  }
}

async function startProcesses(
  { mode, databaseTimeoutMs, dataDir: ownDir, settings: own = {} }: Options,
  nats: NatsServers | undefined,
): Promise<Stack> {
  const dataDir = ownDir ?? (await temporaryFolder());
  const settings: Settings = {
    SAVEPOINT_ENV: 'development',
    SAVEPOINT_DATA_DIR: dataDir,
    // The same after every restart, as in production.
    SAVEPOINT_PORT: String(await stablePort()),
    SAVEPOINT_WORKERS: '2',
    SAVEPOINT_DB_TIMEOUT_MS: String(databaseTimeoutMs),
    // As in production: requests that would wait too long are refused, and sent again.
    SAVEPOINT_MAX_WAIT_MS: '500',
    SAVEPOINT_LOG_LEVEL: 'warn',
    ...(nats === undefined ? {} : queueSettings(mode, nats)),
    ...own,
  };
  let service = await startPatiently(settings);
  const consumers =
    nats === undefined ? [] : await Promise.all(Array.from({ length: CONSUMERS }, startConsumer));

  async function startConsumer(): Promise<Consumer> {
    const { SAVEPOINT_PORT: _, ...own } = settings;
    // A consumer does not start while the service, and with it the embedded database, is down. Then it is started again.
    for (const deadline = performance.now() + START_MS; performance.now() < deadline; await sleep(300)) {
      const { child, output, exit } = launch(own, 'consume');
      await until(() => output().includes('Consuming') || child.exitCode !== null, START_MS);
      if (child.exitCode === null) return { child, output, exit };
    }
    throw new Error('a consumer could not be started');
  }

  return {
    dataDir,
    settings,
    description: nats?.description ?? 'no queue',
    api: () => service.api,
    lag: async () => (nats === undefined ? 0 : lagOf(service)),
    async killWorker(choose) {
      const workers = await childrenOf(service.pid, 'worker.js');
      const victim = workers[choose(workers.length)];
      if (victim !== undefined) signal(victim, 'SIGKILL');
    },
    async killService() {
      const children = await childrenOf(service.pid, 'server/dist/programs/');
      await service.kill();
      await until(() => !children.some(isRunning), END_MS);
      service = await startPatiently(settings);
    },
    killPostgres: () => killPostgres(dataDir),
    pausePostgres: (ms) => pausePostgres(dataDir, ms),
    async killConsumer(choose, downMs) {
      const index = choose(consumers.length);
      const victim = consumers[index];
      victim?.child.kill('SIGKILL');
      await victim?.exit;
      await sleep(downMs);
      consumers[index] = await startConsumer();
    },
    async killNats(choose, downMs) {
      if (nats === undefined) return;
      const index = choose(nats.count);
      await nats.kill(index);
      await sleep(downMs);
      await nats.restart(index);
    },
    logs: () =>
      [service.output(), ...consumers.map(({ output }) => output())]
        .map((text) => text.slice(-SHOWN_LOG))
        .join('\n--- next process ---\n'),
    async stop() {
      for (const { child, exit } of consumers) {
        child.kill('SIGTERM');
        await exit;
      }
      await service.interrupt();
      await nats?.dispose();
    },
  };
}

/** On a busy machine a start may end because its database calls take longer than they may here. Then it is started again. */
export async function startPatiently(settings: Settings): Promise<Service> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startService(settings);
    } catch (error) {
      const isTimeout = /^the service ended: .*timeout/is.test((error as Error).message);
      if (!isTimeout || attempt === START_ATTEMPTS) throw error;
    }
  }
}

type Consumer = { child: ChildProcess; output: () => string; exit: Promise<number | null> };

/** On one server the API's workers consume as well; on a cluster the roles are apart, as in a large installation. */
function queueSettings(mode: Mode, nats: NatsServers): Settings {
  return {
    NATS_URL: nats.urls,
    SAVEPOINT_NATS_REPLICAS: String(nats.count),
    SAVEPOINT_CONSUME: mode === 'jetstream' ? 'on' : 'off',
  };
}

/** Messages that are acknowledged and not yet applied. */
export async function lagOf(service: Service): Promise<number> {
  const metrics = await get(`${service.ops}/metrics`);
  const [, messages] = /^savepoint_queue_lag_messages\{.*\} (\d+)/m.exec(String(metrics.body)) ?? [];
  return messages === undefined ? Number.POSITIVE_INFINITY : Number(messages);
}
