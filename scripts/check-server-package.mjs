// Part of `npm run check:package`: the package of the server holds everything that the service reads at run time.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const NEEDED = [
  'bin/savepoint.mjs',
  'client/savepoint-client.js',
  'client/savepoint-client.tgz',
  'console/index.html',
  'dist/bin/operations.js',
  'dist/bin/worker.js',
  'migrations/0001_baseline.sql',
  'openapi/admin.json',
  'openapi/player.json',
  'reference/reference.js',
];

const cwd = fileURLToPath(new URL('../server', import.meta.url));
const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--loglevel=error'], {
  cwd,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
});
const [{ files }] = JSON.parse(output.slice(output.indexOf('[\n')));
const packed = new Set(files.map(({ path }) => path));
const missing = NEEDED.filter((path) => !packed.has(path));
if (missing.length > 0) {
  console.error(`The package of the server lacks ${missing.join(', ')}. See "files" in server/package.json.`);
  process.exit(1);
}
console.log(`The package of the server holds what it needs (${packed.size} files).`);
