import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownCpuMs } from './processes.mjs';

const run = promisify(execFile);
const SAVEPOINT = fileURLToPath(new URL('../../server/bin/savepoint.mjs', import.meta.url));

/** Runs `savepoint …` beside a service; returns what it printed. */
export async function savepoint(service, ...args) {
  return (await measureSavepoint(service, ...args)).stdout;
}

/** The same, with the CPU time of the command. */
export async function measureSavepoint({ dataDir }, ...args) {
  const env = { ...process.env, SAVEPOINT_ENV: 'development', SAVEPOINT_DATA_DIR: dataDir };
  const running = run(process.execPath, [SAVEPOINT, ...args], { env });
  let cpuMs = 0;
  const watch = setInterval(() => {
    cpuMs = Math.max(cpuMs, ownCpuMs(running.child.pid));
  }, 100);
  try {
    return { stdout: (await running).stdout, cpuMs };
  } finally {
    clearInterval(watch);
  }
}

/** Calls the admin API of a service with a token of its own. */
export async function createAdmin(service) {
  const text = await savepoint(service, 'admin-token', 'create', '--role', 'owner');
  const token = /Admin token\s+(\S+)/.exec(text)?.[1];
  return async (path, body, method = 'POST') => {
    const init =
      body === undefined
        ? {}
        : {
            method,
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json' },
          };
    const response = await fetch(service.ops + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: await response.json() };
  };
}

/** Creates a game of a studio and a key for it. */
export async function createGame(service, slug, tenant = 'demo-studio') {
  const place = ['--tenant', tenant];
  await savepoint(service, 'game', 'create', slug, ...place);
  const text = await savepoint(service, 'key', 'create', ...place, '--game', slug);
  const [, id] = /API key\s+(\S+)/.exec(text);
  const [, secret] = /API secret\s+(\S+)/.exec(text);
  return { id, secret };
}
