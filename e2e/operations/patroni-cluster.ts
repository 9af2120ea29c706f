import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { signal } from '../faults/processes.js';
import { freePort, temporaryFolder, until } from '../support/service.js';
import { postgresAccount, postgresPrograms, processesOf } from './debian-postgres.js';
import { type ProxiedNode, startHaproxy } from './haproxy.js';
import { requirePrograms } from './programs.js';

const NODES = ['one', 'two', 'three'];
const READY_TIMEOUT_MS = 120_000;
const SHOWN_LOG = 4_000;
const RESPONSE_TIMEOUT_MS = 2_000;
const NEEDED = ['patroni', 'etcd', 'haproxy'];

type Member = { name: string; role: string; state: string };
type Node = ProxiedNode & {
  config: string;
  folder: string;
  child: ChildProcess | undefined;
  /** Processes that were stopped and not killed. */
  frozen: number[];
};

type Blow = 'SIGKILL' | 'SIGSTOP';

export type PatroniCluster = Readonly<{
  /** Leads to the primary. */
  url: string;
  /** Leads to one standby at a time. */
  replicaUrl: string;
  /** Kills or freezes the machine of the primary, as far as that can be done here: Patroni and every process of its PostgreSQL. */
  strikePrimary(how: Blow): Promise<string>;
  /** The same with the standby to which `replicaUrl` leads. */
  strikeStandby(how: Blow): Promise<string>;
  /** To which node `replicaUrl` leads; undefined while it leads nowhere. */
  findStandby(): Promise<string | undefined>;
  /** Starts the node that was killed, or lets the frozen one go on; resolves when it follows the primary, and the primary has a synchronous standby. */
  recover(name: string): Promise<void>;
  stop(): Promise<void>;
}>;

/** Two PostgreSQL or three under Patroni with synchronous replication, etcd, and HAProxy that leads to the primary and to a standby. */
export async function startPatroniCluster(count: 2 | 3): Promise<PatroniCluster> {
  postgresPrograms();
  requirePrograms(NEEDED, 'patroni python3-etcd etcd-server haproxy');
  const folder = await temporaryFolder();
  const account = postgresAccount();
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? 0);
  const ports = await freePorts(4 + 2 * count);
  const [etcdPort = 0, peerPort = 0, primaryPort = 0, replicaPort = 0, ...nodePorts] = ports;
  const etcd = startEtcd(folder, etcdPort, peerPort);
  const nodes: Node[] = [];
  for (const [index, name] of NODES.slice(0, count).entries()) {
    const [sqlPort = 0, restPort = 0] = nodePorts.slice(2 * index);
    const config = await writeNodeConfig(folder, { name, etcdPort, sqlPort, restPort });
    nodes.push({ name, sqlPort, restPort, config, folder: join(folder, name), child: undefined, frozen: [] });
  }
  const start = (node: Node) => {
    const log = openSync(join(folder, `${node.name}.log`), 'a');
    node.child = spawn('patroni', [node.config], { ...account, cwd: folder, stdio: ['ignore', log, log] });
  };
  for (const node of nodes) start(node);
  const haproxy = await startHaproxy(folder, { primaryPort, replicaPort }, nodes);
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`;
  const listMembers = () => askMembers(nodes.map(({ restPort }) => restPort));
  const findPrimary = async () =>
    (await listMembers()).find(({ role }) => role === 'leader' || role === 'master');
  const follows = async (name?: string) => {
    // "running" in older versions of Patroni
    const standbys = (await listMembers()).filter(
      ({ role, state }) => /standby|replica/.test(role) && ['running', 'streaming'].includes(state),
    );
    return (
      standbys.some(({ role }) => role === 'sync_standby') &&
      (name === undefined ? standbys.length === count - 1 : standbys.some((one) => one.name === name))
    );
  };
  const findStandby = async () => {
    const port = await askPort(urlOf(replicaPort));
    return nodes.find(({ sqlPort }) => sqlPort === port)?.name;
  };
  const strike = (name: string | undefined, how: Blow): string => {
    const node = nodes.find((one) => one.name === name);
    if (node?.child === undefined) throw new Error('the cluster has no such node');
    const pids = [node.child.pid ?? [], processesOf(join(node.folder, 'data'))].flat();
    for (const pid of pids) signal(pid, how);
    node.frozen = how === 'SIGSTOP' ? pids : [];
    return node.name;
  };
  await until(() => follows(), READY_TIMEOUT_MS);

  return {
    url: urlOf(primaryPort),
    replicaUrl: urlOf(replicaPort),
    strikePrimary: async (how) => strike((await findPrimary())?.name, how),
    strikeStandby: async (how) => strike(await findStandby(), how),
    findStandby,
    async recover(name) {
      const node = nodes.find((one) => one.name === name);
      if (node === undefined) return;
      // A node that is back before another one has taken over goes on as the primary, and nothing was tried.
      await until(async () => ((await findPrimary())?.name ?? name) !== name, READY_TIMEOUT_MS);
      if (node.frozen.length > 0) for (const pid of node.frozen.splice(0)) signal(pid, 'SIGCONT');
      else start(node);
      await until(() => follows(name), READY_TIMEOUT_MS).catch(async (error: Error) => {
        const log = await readFile(join(folder, `${name}.log`), 'utf8');
        throw new Error(`${name} does not follow: ${error.message}\n${log.slice(-SHOWN_LOG)}`);
      });
    },
    async stop() {
      haproxy.kill('SIGKILL');
      for (const { child, folder: home } of nodes) {
        child?.kill('SIGKILL');
        for (const pid of processesOf(join(home, 'data'))) signal(pid, 'SIGKILL');
      }
      etcd.kill('SIGKILL');
    },
  };
}

async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(Array.from({ length: count }, freePort));
  await Promise.all(held.map(({ release }) => release()));
  return held.map(({ port }) => port);
}

function startEtcd(folder: string, port: number, peerPort: number): ChildProcess {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const options = {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  // Debian's build asks for this on every processor but amd64.
  const env = { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch };
  return spawn('etcd', args, { env, stdio: 'ignore' });
}

async function writeNodeConfig(
  folder: string,
  {
    name,
    etcdPort,
    sqlPort,
    restPort,
  }: { name: string; etcdPort: number; sqlPort: number; restPort: number },
): Promise<string> {
  const home = join(folder, name);
  await mkdir(home);
  const { uid, gid } = postgresAccount();
  if (uid !== undefined) await chown(home, uid, gid ?? 0);
  const superuser = { username: 'postgres', password: 'postgres' };
  const config = {
    scope: 'savepoint',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { hosts: [`127.0.0.1:${etcdPort}`] },
    bootstrap: {
      dcs: {
        // The shortest that Patroni takes: a primary that is gone is replaced after at most this many seconds.
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        maximum_lag_on_failover: 0,
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: { synchronous_commit: 'on', max_connections: 100, hot_standby_feedback: 'on' },
        },
      },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { auth: 'trust' }],
    },
    postgresql: {
      listen: `127.0.0.1:${sqlPort}`,
      connect_address: `127.0.0.1:${sqlPort}`,
      data_dir: join(home, 'data'),
      bin_dir: postgresPrograms(),
      pgpass: join(home, 'pgpass'),
      authentication: { superuser, replication: superuser, rewind: superuser },
      parameters: { unix_socket_directories: home },
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 trust',
        'host replication all 127.0.0.1/32 trust',
      ],
    },
  };
  const file = join(folder, `${name}.yml`);
  // JSON is YAML, too.
  await writeFile(file, JSON.stringify(config));
  return file;
}

/** As the first node that responds sees them. */
async function askMembers(restPorts: readonly number[]): Promise<Member[]> {
  for (const port of restPorts) {
    // A frozen node takes connections, and never responds.
    const response = await fetch(`http://127.0.0.1:${port}/cluster`, {
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    }).catch(() => undefined);
    if (response?.ok !== true) continue;
    const { members } = (await response.json()) as { members: Member[] };
    return members;
  }
  return [];
}

/** The port of the server behind an address; undefined if none responds. */
async function askPort(url: string): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: RESPONSE_TIMEOUT_MS });
  // Killed under it.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ port: number }>('select inet_server_port() as port');
    return rows[0]?.port;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => {});
  }
}
