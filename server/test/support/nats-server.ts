import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isSafeVersion, OLDEST_SAFE_VERSION } from '../../src/operations/queue/server-version.js';
import type { NatsSettings } from '../../src/platform/settings/settings.js';
import { stablePort } from './stable-port.js';

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/sbin'];
const installed = FOLDERS.map((folder) => join(folder, 'nats-server')).filter(existsSync);

/**
 * A real nats-server that is new enough for production, where there is one. Tests that need it are skipped, and said to be,
 * where there is not: an old one loses messages, and a test would fail for that at random.
 */
export const NATS_SERVER = installed.find((file) => isSafeVersion(versionOf(file)));
export const NEEDS_NATS = NATS_SERVER === undefined ? ` (skipped: ${whatIsMissing()})` : '';

/** `2.10.27`, or an empty text for a program that does not say. */
export function versionOf(file: string): string {
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return /v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1] ?? '';
}

function whatIsMissing(): string {
  const [old] = installed;
  return old === undefined
    ? 'nats-server is not installed'
    : `nats-server ${versionOf(old)} is older than ${OLDEST_SAFE_VERSION}`;
}

/** It listens after milliseconds, unless the machine is busy. */
const START_TIMEOUT_MS = 120_000;

export type NatsServer = {
  url: string;
  /** What a context needs to work on it; each test takes a stream of its own. */
  config(stream: string, overrides?: Partial<NatsSettings>): NatsSettings;
  /** Dies without a word, as if the machine had. What was written to files is still there. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Pauses the server; it resumes where it was. */
  pause(): void;
  resume(): void;
  dispose(): Promise<void>;
};

export async function startNatsServer(
  extraArguments: readonly string[] = [],
  port?: number,
  program = NATS_SERVER ?? 'nats-server',
): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-nats-'));
  const ownPort = port ?? (await stablePort());
  const url = `nats://127.0.0.1:${ownPort}`;
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    child = spawn(
      program,
      ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(ownPort), ...extraArguments],
      { stdio: 'ignore' },
    );
    await untilListening(ownPort);
  };
  const kill = async (): Promise<void> => {
    const running = child;
    child = undefined;
    // It may have ended by itself, because another process had taken its port.
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await gone;
  };
  const dispose = async (): Promise<void> => {
    await kill();
    await rm(folder, { recursive: true, force: true });
  };

  try {
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url,
    config: (stream, overrides) => natsConfig([url], stream, overrides),
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    dispose,
  };
}

function natsConfig(servers: string[], stream: string, overrides: Partial<NatsSettings> = {}): NatsSettings {
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

async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const responded = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('data', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      setTimeout(() => socket.destroy(), 500).unref();
    });
    if (responded) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nats-server does not listen on port ${port}`);
}
