import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SAVEPOINT = fileURLToPath(new URL('../../server/bin/savepoint.mjs', import.meta.url));
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
  const ports = [];
  for (let index = 0; index < servers * 3; index++) ports.push(await freePort());
  const routeOf = (index) => `nats://127.0.0.1:${ports[servers + index]}`;
  const children = Array.from({ length: servers }, (_, index) => {
    const others = Array.from({ length: servers }, (_, other) => other).filter((other) => other !== index);
    const cluster = [
      '--cluster_name',
      'bench',
      '--cluster',
      routeOf(index),
      '--routes',
      others.map(routeOf).join(),
    ];
    const store = join(folder, `nats-${ports[index]}`);
    const own = [
      '-p',
      String(ports[index]),
      '-m',
      String(ports[2 * servers + index]),
      '-n',
      `bench-${index}`,
    ];
    const args = [
      '-c',
      config,
      '-js',
      '-sd',
      store,
      '-a',
      '127.0.0.1',
      ...own,
      ...(servers > 1 ? cluster : []),
    ];
    return spawn('nats-server', args, { stdio: 'ignore', env: ENV });
  });
  await untilReady(ports.slice(2 * servers), servers);
  return {
    urls: ports
      .slice(0, servers)
      .map((port) => `nats://127.0.0.1:${port}`)
      .join(),
    servers,
    description: `NATS ${version}, ${canSync ? 'sync always' : 'sync every 2 min'}`,
    pids: children.map(({ pid }) => pid),
    stop: () => Promise.all(children.map((child) => ended(child, 'SIGKILL'))),
  };
}

async function untilReady(monitors, servers) {
  for (let attempt = 0; attempt < 300; attempt++) {
    const views = await Promise.all(
      monitors.map((port) =>
        fetch(`http://127.0.0.1:${port}/jsz`)
          .then((answer) => answer.json())
          .catch(() => {}),
      ),
    );
    const replicas = views.map((view) => view?.meta_cluster?.replicas?.length ?? 0);
    if (views.every(Boolean) && (servers === 1 || replicas.includes(servers - 1))) return;
    await sleep(100);
  }
  throw new Error('NATS did not come up');
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
