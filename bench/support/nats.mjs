import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SAVEPOINT = fileURLToPath(new URL('../../server/bin/savepoint.mjs', import.meta.url));
const ATTEMPTS = 3;
const ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/bin` };

/** The version of the machine's nats-server, or undefined without one. */
export async function findServer() {
  try {
    return /v([\d.]+)/.exec((await run('nats-server', ['--version'], { env: ENV })).stdout)?.[1];
  } catch {
    return undefined;
  }
}

/** One NATS server, or a cluster on one machine, writing through to the disk where it can (2.10 and newer). */
export async function startNats(servers, folder) {
  const version = (await findServer()) ?? '0.0';
  const [major, minor] = version.split('.').map(Number);
  const canSync = major > 2 || (major === 2 && minor >= 10);
  const config = join(folder, 'nats.conf');
  await writeFile(config, canSync ? 'jetstream { sync_interval: always }\n' : '\n');
  const { ports, children } = await startComplete(servers, folder, config);
  return {
    urls: ports.map(({ client }) => `nats://127.0.0.1:${client}`).join(),
    servers,
    description: `NATS ${version}, ${canSync ? 'sync always' : 'sync every 2 min'}`,
    pids: children.map(({ pid }) => pid),
    stop: () => stopAll(children),
  };
}

/** On a busy machine new servers sometimes form a cluster without the last of them, for good. Then all are started anew. */
async function startComplete(servers, folder, config) {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const ports = [];
    while (ports.length < servers) {
      ports.push({ client: await freePort(), route: await freePort(), monitor: await freePort() });
    }
    const routes = ports.map(({ route }) => `nats://127.0.0.1:${route}`).join();
    const children = ports.map(({ client, route, monitor }, index) => {
      const own = ['-p', String(client), '-m', String(monitor), '-n', `bench-${index}`];
      const cluster = [
        '--cluster_name',
        'bench',
        '--cluster',
        `nats://127.0.0.1:${route}`,
        '--routes',
        routes,
      ];
      const store = ['-js', '-sd', join(folder, `nats-${client}`), '-a', '127.0.0.1'];
      const args = ['-c', config, ...store, ...own, ...(servers > 1 ? cluster : [])];
      return spawn('nats-server', args, { stdio: 'ignore', env: ENV });
    });
    if (await becomesReady(ports, servers)) return { ports, children };
    await stopAll(children);
  }
  throw new Error('NATS did not come up');
}

const stopAll = (children) => Promise.all(children.map((child) => ended(child, 'SIGKILL')));

async function becomesReady(ports, servers) {
  for (let attempt = 0; attempt < 150; attempt++) {
    const views = await Promise.all(
      ports.map(({ monitor }) =>
        fetch(`http://127.0.0.1:${monitor}/jsz`)
          .then((response) => response.json())
          .catch(() => {}),
      ),
    );
    const replicas = views.map((view) => view?.meta_cluster?.replicas?.length ?? 0);
    if (views.every(Boolean) && (servers === 1 || replicas.includes(servers - 1))) return true;
    await sleep(100);
  }
  return false;
}

/** `savepoint consume` beside a running service. */
export async function startConsumer(dataDir, urls, replicas) {
  const child = spawn(process.execPath, [SAVEPOINT, 'consume'], {
    env: {
      ...process.env,
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_DATA_DIR: dataDir,
      SAVEPOINT_OPS_PORT: '0',
      NATS_URL: urls,
      SAVEPOINT_NATS_REPLICAS: String(replicas),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error('the consumer ended')));
  });
  return { pid: child.pid, stop: () => ended(child, 'SIGTERM') };
}

function ended(child, signal) {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', resolve);
    child.kill(signal);
  });
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
