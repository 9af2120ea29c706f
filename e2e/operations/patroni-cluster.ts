import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signal } from '../faults/processes.js';
import { freePort, temporaryFolder, until } from '../support/service.js';
import { postgresAccount, postgresPrograms } from './debian-postgres.js';

const NODES = ['one', 'two'];
const READY_TIMEOUT_MS = 120_000;
const SHOWN_LOG = 4_000;
const RESPONSE_TIMEOUT_MS = 2_000;
const NEEDED = ['patroni', 'etcd', 'haproxy'];

type Member = { name: string; role: string; state: string };
type Node = {
  name: string;
  config: string;
  folder: string;
  child: ChildProcess | undefined;
  /** Processes that were stopped and not killed. */
  frozen: number[];
};

export type PatroniCluster = Readonly<{
  url: string;
  /** Kills or freezes the machine of the primary, as far as that can be done here: Patroni and every process of its PostgreSQL. */
  strikePrimary(how: 'SIGKILL' | 'SIGSTOP'): Promise<string>;
  /** Starts the node that was killed, or lets the frozen one go on; resolves when it follows the new primary synchronously. */
  recover(name: string): Promise<void>;
  stop(): Promise<void>;
}>;

/** Two PostgreSQL under Patroni with synchronous replication, etcd, and HAProxy that leads to the primary. */
export async function startPatroniCluster(): Promise<PatroniCluster> {
  requirePrograms();
  const folder = await temporaryFolder();
  const account = postgresAccount();
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? 0);
  const ports = await freePorts(3 + 2 * NODES.length);
  const [etcdPort = 0, peerPort = 0, proxyPort = 0, ...nodePorts] = ports;
  const etcd = startEtcd(folder, etcdPort, peerPort);
  const nodes: Node[] = [];
  const members: { sqlPort: number; restPort: number }[] = [];
  for (const [index, name] of NODES.entries()) {
    const [sqlPort = 0, restPort = 0] = nodePorts.slice(2 * index);
    const config = await writeNodeConfig(folder, { name, etcdPort, sqlPort, restPort });
    members.push({ sqlPort, restPort });
    nodes.push({ name, config, folder: join(folder, name), child: undefined, frozen: [] });
  }
  const start = (node: Node) => {
    const log = openSync(join(folder, `${node.name}.log`), 'a');
    node.child = spawn('patroni', [node.config], { ...account, cwd: folder, stdio: ['ignore', log, log] });
  };
  for (const node of nodes) start(node);
  const haproxy = await startHaproxy(folder, proxyPort, members);
  const listMembers = () => askMembers(members.map(({ restPort }) => restPort));
  const findPrimary = async () =>
    (await listMembers()).find(({ role }) => role === 'leader' || role === 'master');
  // "running" in older versions of Patroni
  const follows = async (name?: string) =>
    (await listMembers()).some(
      (member) =>
        member.role === 'sync_standby' &&
        ['running', 'streaming'].includes(member.state) &&
        (name ?? member.name) === member.name,
    );
  await until(() => follows(), READY_TIMEOUT_MS);

  return {
    url: `postgres://postgres@127.0.0.1:${proxyPort}/postgres`,
    async strikePrimary(how) {
      const primary = await findPrimary();
      const node = nodes.find(({ name }) => name === primary?.name);
      if (node?.child === undefined) throw new Error('the cluster has no primary');
      const pids = [node.child.pid ?? [], processesOf(join(node.folder, 'data'))].flat();
      for (const pid of pids) signal(pid, how);
      node.frozen = how === 'SIGSTOP' ? pids : [];
      return node.name;
    },
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

function requirePrograms(): void {
  postgresPrograms();
  const missing = NEEDED.filter((name) => {
    try {
      execFileSync('sh', ['-c', `PATH="$PATH:/usr/sbin" command -v ${name}`], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length > 0)
    throw new Error(
      `Not installed: ${missing.join(', ')}. apt-get install patroni python3-etcd etcd-server haproxy`,
    );
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
        postgresql: { use_pg_rewind: true, parameters: { synchronous_commit: 'on', max_connections: 100 } },
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

async function startHaproxy(
  folder: string,
  port: number,
  members: readonly { sqlPort: number; restPort: number }[],
): Promise<ChildProcess> {
  const servers = members.map(
    ({ sqlPort, restPort }, n) =>
      `  server node${n} 127.0.0.1:${sqlPort} check port ${restPort} inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions`,
  );
  const config = [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 30m',
    '  timeout server 30m',
    'listen primary',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk OPTIONS /primary',
    '  http-check expect status 200',
    ...servers,
    '',
  ];
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, config.join('\n'));
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  return spawn('haproxy', ['-db', '-f', file], { env, stdio: 'ignore' });
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

/** The processes of a PostgreSQL: its first one, and the children of that. */
function processesOf(dataDir: string): number[] {
  try {
    const first = execFileSync('head', ['-1', join(dataDir, 'postmaster.pid')], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
    const list = execFileSync('ps', ['-o', 'pid=', '--ppid', first], { encoding: 'utf8', stdio: 'pipe' });
    return [Number(first), ...list.trim().split(/\s+/).map(Number)].filter((pid) => pid > 1);
  } catch {
    return [];
  }
}
