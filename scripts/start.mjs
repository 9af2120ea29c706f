// `npm start`: builds what changed and runs the service in development, as one process that signals reach directly.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
if (!existsSync(join(root, 'server', 'dist'))) console.log('Building Savepoint (first start only)…');
const built = spawnSync(process.execPath, [tsc, '-b', join(root, 'server')], { stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);
// Without a console the service still serves players, and the address of the console says what to do.
if (!buildConsole(console.log)) console.log('Starting without the console.');

process.env.SAVEPOINT_ENV ??= 'development';
process.argv.splice(2, process.argv.length, 'start', ...process.argv.slice(2));
await import('../server/bin/savepoint.mjs');
