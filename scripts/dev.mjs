// `npm run dev`: the service, started again after a change of its sources, and the console with hot reload. One data folder, that of
// `npm start`. What cannot be built is shown, and the service that runs goes on until the next change that can.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { client } from './build-client.mjs';
import { viteProgram } from './build-console.mjs';
import { buildParts, runNode } from './build-parts.mjs';
import { programs } from './build-server.mjs';
import { root } from './sources-hash.mjs';
import { WORKSPACES } from './workspaces.mjs';

/** Editors write a file in several steps, and people save several files. */
const QUIET_MS = 100;
/** A service that does not end by then is killed; the next one takes over its database. */
const STOP_MS = 15_000;
const READY = 'Savepoint is ready';
const READY_END = 'Press Ctrl-C to stop.';

const say = console.log;
const environment = {
  SAVEPOINT_ENV: 'development',
  SAVEPOINT_LOG_PRETTY: 'on',
  SAVEPOINT_DRAIN_SECONDS: '0',
  ...process.env,
};
let isStopping = false;
let isFirst = true;
let service;
let vite;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stopAll());
const failed = await buildParts([programs, client], { say });
vite = await startVite();
if (failed.has(programs.name)) say('The service starts after the next change that can be built.');
else service = startService();
watchSources();

/** Resolves when the pages are served. */
async function startVite() {
  const folder = join(root, 'console');
  await runNode([join(folder, 'generate-api.mjs')], folder);
  const args = [viteProgram(), '--host', '127.0.0.1', '--clearScreen', 'false'];
  const child = start(args, folder);
  const address = await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('The console cannot be served.')));
    readLines(child, (line) => {
      const found = /Local:\s+(http:\/\/[^/]+)/.exec(stripVTControlCharacters(line));
      if (found) resolve(found[1]);
      // The address is in what the service says when it is ready.
      else if (
        stripVTControlCharacters(line).trim() !== '' &&
        !/VITE v|Network:/.test(stripVTControlCharacters(line))
      )
        say(`[console] ${line}`);
    });
  });
  return { child, address };
}

function startService() {
  const begun = performance.now();
  const child = start([join(root, 'server/bin/savepoint.mjs'), 'start'], root);
  const isAgain = !isFirst;
  let isWelcome = false;
  readLines(child, (line) => {
    if (line.startsWith(READY)) {
      isFirst = false;
      isWelcome = true;
      if (isAgain) say(`The service runs again, after ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
    }
    if (!(isAgain && isWelcome)) say(line.replace(/http:\/\/[^/\s]+(?=\/console\/)/, vite.address));
    if (line === READY_END) isWelcome = false;
  });
  child.once('exit', () => {
    if (isStopping || child.isReplaced) return;
    say('The service has ended. It starts again after the next change.');
  });
  return child;
}

function watchSources() {
  let timer;
  let isChanged = false;
  let isBusy = false;
  const apply = async () => {
    if (isBusy || isStopping) return;
    isBusy = true;
    while (isChanged) {
      isChanged = false;
      await replaceService();
    }
    isBusy = false;
  };
  for (const folder of ['server/src', 'server/migrations', ...WORKSPACES.map((name) => `${name}/src`)]) {
    watch(join(root, folder), { recursive: true }, (_event, file) => {
      if (!/\.(?:ts|sql|json)$/.test(file ?? '')) return;
      isChanged = true;
      clearTimeout(timer);
      timer = setTimeout(() => void apply(), QUIET_MS);
    });
  }
}

async function replaceService() {
  if ((await buildParts([programs], { say })).size > 0 || isStopping) return;
  if (service !== undefined) await end(service);
  if (!isStopping) service = startService();
}

async function stopAll() {
  if (isStopping) return;
  isStopping = true;
  await Promise.all([service, vite?.child].filter((child) => child !== undefined).map(end));
  process.exit(0);
}

/** In a process group of its own: Ctrl-C reaches only this process, which ends the others in order. */
function start(args, cwd) {
  return spawn(process.execPath, args, {
    cwd,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function end(child) {
  child.isReplaced = true;
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(timer);
}

function readLines(child, onLine) {
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
}
