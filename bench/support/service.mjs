import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attachToEmbeddedPostgres } from '../../server/dist/platform/embedded-postgres/attach.js';
import { undoing } from './interrupt.mjs';

const SAVEPOINT = fileURLToPath(new URL('../../server/bin/savepoint.mjs', import.meta.url));

/** The service as a user runs it, on a data folder of its own, without rate limits; `savepoint` is the command of another checkout. */
export async function startService(settings = {}, savepoint = SAVEPOINT) {
  const dataDir = settings.SAVEPOINT_DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'savepoint-bench-')));
  await chmod(dataDir, 0o755);
  const remove = undoing(() => rm(dataDir, { recursive: true, force: true }));
  const begun = performance.now();
  const { child, text, stop } = await startProcess(process.execPath, [savepoint, 'start'], 'Press Ctrl-C', {
    SAVEPOINT_ENV: 'development',
    SAVEPOINT_PORT: '0',
    SAVEPOINT_OPS_PORT: '0',
    SAVEPOINT_RATE_LIMITS: 'off',
    // Other sections measure rates without refusals; the section overload measures refusals.
    SAVEPOINT_MAX_WAIT_MS: '60000',
    SAVEPOINT_DATA_DIR: dataDir,
    ...settings,
  });
  return {
    api: /Player API\s+(http:\S+)/.exec(text())?.[1] ?? '',
    ops: /Operations\s+(http:\S+)/.exec(text())?.[1] ?? '',
    dataDir,
    pid: child.pid,
    startedInMs: performance.now() - begun,
    databaseUrl: await attachToEmbeddedPostgres(dataDir),
    stop,
    remove,
  };
}

/** A floor: prints one line with its addresses as JSON when it listens. */
export async function startFloor(file, env = {}) {
  const path = fileURLToPath(new URL(`../floors/${file}`, import.meta.url));
  const { child, text, stop } = await startProcess(process.execPath, [path], '\n', env);
  return { ...JSON.parse(text()), pid: child.pid, stop };
}

function startProcess(command, args, readyText, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Either signal stops PostgreSQL cleanly, too.
    const stop = undoing(() => stopProcess(child));
    let text = '';
    const hear = (chunk) => {
      text += chunk;
      if (text.includes(readyText)) resolve({ child, text: () => text, stop });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => reject(new Error(`${args[0]} ended: ${text}`)));
  });
}

function stopProcess(child) {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });
}

/** The key of the demo game. */
const DEMO_KEY = { id: 'dev-key', secret: 'dev-secret' };

export function loginBody(deviceId, { id, secret } = DEMO_KEY) {
  const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
  const signature = createHmac('sha256', secret).update(`${id}|${deviceId}|${timestamp}`).digest('base64');
  return JSON.stringify({ apiKey: id, deviceId, timestamp, signature });
}

export async function login(api, deviceId, key = DEMO_KEY) {
  const response = await fetch(`${api}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: loginBody(deviceId, key),
  });
  if (response.status !== 200) throw new Error(`login: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Several at a time, so that thousands of logins take seconds. */
export async function loginMany(api, count, prefix, key = DEMO_KEY) {
  const sessions = [];
  let next = 0;
  const one = async () => {
    while (next < count) {
      const index = next++;
      sessions[index] = await login(api, `${prefix}-${index}`, key);
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  return sessions;
}

export function playerHeaders({ accessToken, tenantId, gameId, userId }) {
  return {
    authorization: `Bearer ${accessToken}`,
    'x-tenant-id': tenantId,
    'x-game-id': gameId,
    'x-player-id': userId,
  };
}

/** One batch of events of every session, several at a time. */
export async function postEvents(api, sessions, bodyOf) {
  let next = 0;
  const one = async () => {
    while (next < sessions.length) {
      const index = next++;
      const response = await fetch(`${api}/v1/events`, {
        method: 'POST',
        headers: { ...playerHeaders(sessions[index]), 'content-type': 'application/json' },
        body: bodyOf(index),
      });
      const text = await response.text();
      if (response.status !== 202 || !text.includes('"rejected":[]')) {
        throw new Error(`events: ${response.status} ${text}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
}
