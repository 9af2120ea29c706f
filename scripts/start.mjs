// `npm start`: builds what changed and runs the service in development, as one process that signals reach directly.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildClient } from './build-client.mjs';
import { buildConsole } from './build-console.mjs';
import { root } from './sources-hash.mjs';

buildService();
// Without a console the service still serves players, and the address of the console says what to do.
if (!buildConsole(console.log)) console.log('Starting without the console.');
// `savepoint simulate` needs the simulator, and the console offers the client for download.
if (!(await buildClient(console.log))) console.log('Starting without the client and the simulator.');

process.env.SAVEPOINT_ENV ??= 'development';
process.argv.splice(2, process.argv.length, 'start', ...process.argv.slice(2));
await import('../server/bin/savepoint.mjs');

/** Ends the process if the service cannot be built. Prints how long a build took. */
function buildService() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const before = buildRecord();
  if (before === undefined) console.log('Building Savepoint (first start only)…');
  const begun = performance.now();
  const { status } = spawnSync(process.execPath, [tsc, '-b', join(root, 'server')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  if (buildRecord() === before) return;
  console.log(`Built the service in ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
}

/** In which the compiler notes hashes of the sources: if it is the same after a build, nothing was built. */
function buildRecord() {
  const file = join(root, 'server', 'dist', '.tsbuildinfo');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
