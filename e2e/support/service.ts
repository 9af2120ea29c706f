import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const SAVEPOINT = join(ROOT, 'server/bin/savepoint.mjs');
const START_TIMEOUT_MS = 300_000;
/**
 * A busy machine must not decide a test: nothing is refused because it would wait for half a second, or the database for five. And no
 * balancer has to notice that a service stops.
 */
const PATIENT = {
  SAVEPOINT_MAX_WAIT_MS: '60000',
  SAVEPOINT_DB_TIMEOUT_MS: '60000',
  SAVEPOINT_DRAIN_SECONDS: '0',
};

/** A running installation, driven from outside only: settings, signals, HTTP. */
export type Service = {
  api: string;
  ops: string;
  pid: number;
  output(): string;
  /** Ctrl-C, as a terminal sends it: to the whole process group. Resolves with the exit code. */
  interrupt(): Promise<number | null>;
  /** kill -9 of the first process only; its database is orphaned. */
  kill(): Promise<void>;
};

export type Settings = Record<string, string>;

const running = new Set<ChildProcess>();
const folders = new Set<string>();

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-e2e-'));
  // As root, PostgreSQL runs as a user who could not enter a 0700 folder.
  await chmod(folder, 0o755);
  folders.add(folder);
  return folder;
}

/** Ends the processes that a test left running. Call in afterAll. */
export async function cleanUp(): Promise<void> {
  for (const child of running) await endGroup(child);
  for (const folder of folders) {
    // Ends a PostgreSQL that its service has left behind.
    if (existsSync(join(folder, 'postgres')))
      await runSavepoint(['doctor'], { SAVEPOINT_DATA_DIR: folder, SAVEPOINT_ENV: 'development' });
    await rm(folder, { recursive: true, force: true });
    // Files of tests share this list: what is gone is not looked at again, and what could not be removed is.
    folders.delete(folder);
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  process.kill(-child.pid, 'SIGINT');
  await gone;
}

/** Starts the service, of this build or another, and waits until it says that it is ready. */
export async function startService(settings: Settings, program = SAVEPOINT): Promise<Service> {
  const { child, output } = launch(settings, 'start', program);
  await until(
    () => output().includes('Press Ctrl-C to stop'),
    START_TIMEOUT_MS,
    () => {
      if (child.exitCode !== null) throw new Error(`the service ended: ${output()}`);
    },
  );
  const address = (name: string) => new RegExp(`${name}\\s+(http://\\S+)`).exec(output())?.[1] ?? '';
  return {
    api: address('Player API'),
    ops: address('Operations'),
    pid: child.pid ?? 0,
    output,
    interrupt() {
      const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
      process.kill(-(child.pid ?? 0), 'SIGINT');
      return code;
    },
    async kill() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Starts the service, or another long-running command, without waiting; also for starts that are expected to fail. */
export function launch(
  settings: Settings,
  command: 'start' | 'consume' = 'start',
  program = SAVEPOINT,
): {
  child: ChildProcess;
  output: () => string;
  exit: Promise<number | null>;
} {
  const child = spawn(process.execPath, [program, command], {
    // A process group of its own, as a terminal gives it.
    detached: true,
    cwd: tmpdir(),
    env: environment({
      SAVEPOINT_PORT: '0',
      SAVEPOINT_OPS_PORT: '0',
      SAVEPOINT_ENV: 'development',
      ...settings,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.once('exit', () => running.delete(child));
  return { child, output: () => text, exit };
}

export async function runSavepoint(
  args: string[],
  settings: Settings,
  program = SAVEPOINT,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [program, ...args], { cwd: tmpdir(), env: environment(settings) });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

/** The settings of the test, those of all tests, and the variables that every program needs. */
function environment(settings: Settings): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME, ...PATIENT, ...settings };
}

export async function until(condition: () => boolean | Promise<boolean>, ms: number, check?: () => void) {
  const deadline = performance.now() + ms;
  for (;;) {
    if (await condition()) return;
    check?.();
    if (performance.now() > deadline) throw new Error(`still waiting after ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function freePort(): Promise<{ port: number; release(): Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, release: () => new Promise((resolve) => server.close(() => resolve())) };
}

export type Login = {
  userId: string;
  accessToken: string;
  refreshToken: string;
  /** What the player is told with it. */
  playerConfig: unknown;
  headers: Record<string, string>;
};

export async function login(
  api: string,
  deviceId: string,
  key = { id: 'dev-key', secret: 'dev-secret' },
): Promise<Login> {
  const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
  const signature = createHmac('sha256', key.secret)
    .update(`${key.id}|${deviceId}|${timestamp}`)
    .digest('base64');
  const response = await post(`${api}/auth/login`, {}, { apiKey: key.id, deviceId, timestamp, signature });
  if (response.status !== 200) throw new Error(`login: ${response.status} ${JSON.stringify(response.body)}`);
  const { playerConfig, ...session } = response.body as Record<string, unknown>;
  const { userId, accessToken, refreshToken, tenantId, gameId } = session;
  return {
    userId: String(userId),
    accessToken: String(accessToken),
    refreshToken: String(refreshToken),
    playerConfig,
    headers: {
      authorization: `Bearer ${accessToken}`,
      'x-tenant-id': String(tenantId),
      'x-game-id': String(gameId),
      'x-player-id': String(userId),
    },
  };
}

export type JsonResponse = { status: number; body: unknown };

/** A new connection each time, so that requests reach all workers. */
export async function post(
  url: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<JsonResponse> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<JsonResponse> {
  const response = await fetch(url, { headers: { connection: 'close', ...headers } });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}
