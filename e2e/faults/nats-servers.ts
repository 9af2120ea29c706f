import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clusterPorts,
  isComplete,
  isHealthy,
  type NatsPorts,
} from '../../server/test/support/nats-cluster.js';
import {
  NATS_SERVER,
  type NatsServer,
  startNatsServer,
  versionOf,
} from '../../server/test/support/nats-server.js';
import { until } from '../support/service.js';

/** The NATS side of a run. */
export type NatsServers = {
  urls: string;
  count: number;
  /** For the report: what was tested. */
  description: string;
  kill(index: number): Promise<void>;
  /** Starts a killed server, and waits until it has caught up with the others. */
  restart(index: number): Promise<void>;
  dispose(): Promise<void>;
};

const CATCH_UP_MS = 120_000;
/** Each attempt may take so much longer than the one before. */
const COMPLETE_MS = 20_000;
const ATTEMPTS = 5;

export async function startNatsServers(
  count: number,
  program = NATS_SERVER ?? 'nats-server',
): Promise<NatsServers> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-faults-nats-'));
  const { version, settings } = await recommendedSettings(program, folder);
  const { servers, ports } = await startComplete(count, program, settings);
  return {
    urls: servers.map(({ url }) => url).join(','),
    count,
    description: `nats-server ${version}, sync_interval ${settings.length > 0 ? 'always' : 'at its default of 2 minutes (before 2.10)'}`,
    kill: (index) => server(servers, index).kill(),
    restart: (index) => restart(server(servers, index), ports[index]),
    async dispose() {
      for (const one of servers) await one.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A server that was killed sometimes never catches up with the others (seen with 2.9.10) until it is started once more. */
async function restart(killed: NatsServer, ports: NatsPorts | undefined): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await killed.start();
    try {
      await until(async () => ports !== undefined && (await isHealthy(ports)), CATCH_UP_MS);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await killed.kill();
    }
  }
}

type Started = { servers: NatsServer[]; ports: NatsPorts[] };

/**
 * On a busy machine new servers sometimes form a cluster without the last of them, for good, or one takes too long to listen. Then
 * all are started anew.
 */
async function startComplete(count: number, program: string, settings: readonly string[]): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    let started: Started | undefined;
    try {
      started = await startServers(count, program, settings);
      const { ports } = started;
      await until(() => isComplete(ports), attempt * COMPLETE_MS);
      return started;
    } catch (error) {
      for (const one of started?.servers ?? []) await one.dispose();
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function startServers(count: number, program: string, settings: readonly string[]): Promise<Started> {
  const ports = await clusterPorts(count);
  const routes = ports.map(({ route }) => `nats-route://127.0.0.1:${route}`).join(',');
  const clusterOf = ({ route }: NatsPorts): string[] =>
    count === 1
      ? []
      : ['--cluster_name', 'faults', '--cluster', `nats://127.0.0.1:${route}`, '--routes', routes];
  const starts = await Promise.allSettled(
    ports.map((own, index) =>
      startNatsServer(
        [...settings, '-m', String(own.health), '-n', `faults-${index}`, ...clusterOf(own)],
        own.client,
        program,
      ),
    ),
  );
  const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed === undefined) return { servers, ports };
  for (const one of servers) await one.dispose();
  throw failed.reason;
}

function server(servers: readonly NatsServer[], index: number): NatsServer {
  const found = servers[index];
  if (found === undefined) throw new Error(`there is no NATS server ${index}`);
  return found;
}

/** As docs/scaling.md recommends it, where the server is new enough. */
async function recommendedSettings(
  program: string,
  folder: string,
): Promise<{ version: string; settings: string[] }> {
  const version = versionOf(program);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 2 || (major === 2 && minor < 10)) return { version, settings: [] };
  const file = join(folder, 'nats.conf');
  await writeFile(file, 'jetstream { sync_interval: always }\n');
  return { version, settings: ['-c', file] };
}
