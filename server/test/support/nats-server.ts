import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { NatsConfig } from '../../src/config.js';

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];

/** A real nats-server, where there is one; tests that need it are skipped, and said to be, where there is not. */
export const NATS_SERVER = FOLDERS.map((folder) => join(folder, 'nats-server')).find(existsSync);
export const NEEDS_NATS = NATS_SERVER === undefined ? ' (skipped: nats-server is not installed)' : '';

export type NatsServer = {
  url: string;
  /** What a context needs to work on it; each test takes a stream of its own. */
  config(stream: string, overrides?: Partial<NatsConfig>): NatsConfig;
  /** Dies without a word, as if the machine had. What was written to files is still there. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops answering, and goes on where it was. */
  pause(): void;
  resume(): void;
  dispose(): Promise<void>;
};

export async function startNatsServer(
  extraArguments: readonly string[] = [],
  port?: number,
): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-nats-'));
  const ownPort = port ?? (await freePort());
  const url = `nats://127.0.0.1:${ownPort}`;
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    child = spawn(
      NATS_SERVER ?? 'nats-server',
      ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(ownPort), ...extraArguments],
      { stdio: 'ignore' },
    );
    await untilListening(ownPort);
  };
  const kill = async (): Promise<void> => {
    if (child === undefined) return;
    const gone = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    child = undefined;
  };

  await start();
  return {
    url,
    config: (stream, overrides) => natsConfig([url], stream, overrides),
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async dispose() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function natsConfig(servers: string[], stream: string, overrides: Partial<NatsConfig> = {}): NatsConfig {
  return {
    servers,
    credentialsFile: undefined,
    stream,
    partitions: 4,
    replicas: 1,
    consume: true,
    ...overrides,
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const answered = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('data', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      setTimeout(() => socket.destroy(), 500).unref();
    });
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nats-server does not listen on port ${port}`);
}
