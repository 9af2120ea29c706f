// Builds the TypeScript client and the simulator, and from the client the two files that the operations listener offers for
// download: the npm package, and one ES module for pages without a bundler. Does nothing if they were built from the same sources.
// Used by `npm start` and `npm run build`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesIn, root, sourcesHash } from './sources-hash.mjs';

const downloads = join(root, 'sdk', 'download');
/** In the folder of the files, so that deleting them deletes this file, too. The server does not serve it. */
const stamp = join(downloads, '.built-from');
const FOLDERS = ['sdk', 'simulator'];
const BUILT = ['sdk/dist/index.js', 'simulator/dist/index.js'];

/** Returns whether client and simulator are built from their present sources. Prints how long a build took. */
export async function buildClient(say) {
  const hash = sourcesHash([
    ...FOLDERS.flatMap((folder) => filesIn(`${folder}/src`)),
    ...FOLDERS.flatMap((folder) => [`${folder}/package.json`, `${folder}/tsconfig.json`]),
    'sdk/README.md',
    'package-lock.json',
  ]);
  const isThere = BUILT.every((file) => existsSync(join(root, file))) && existsSync(stamp);
  if (isThere && readFileSync(stamp, 'utf8') === hash) return true;
  const begun = performance.now();
  rmSync(downloads, { recursive: true, force: true });
  mkdirSync(downloads);
  if (!compile() || !pack() || !(await bundle(say))) return false;
  writeFileSync(stamp, hash);
  say(`Built the client in ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
  return true;
}

function compile() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const args = [tsc, '-b', ...FOLDERS.map((folder) => join(root, folder))];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0;
}

/** What `npm publish` would upload. */
function pack() {
  const args = ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', downloads];
  const { status, stdout } = spawnSync('npm', args, {
    cwd: join(root, 'sdk'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) return false;
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  renameSync(join(downloads, filename), join(downloads, 'savepoint-client.tgz'));
  return true;
}

async function bundle(say) {
  try {
    const { rolldown } = await import('rolldown');
    const built = await rolldown({ input: join(root, 'sdk/dist/index.js'), platform: 'browser' });
    await built.write({ file: join(downloads, 'savepoint-client.js'), format: 'es' });
    await built.close();
    return true;
  } catch (error) {
    say(`The client could not be made one file: ${error.message}`);
    return false;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && !(await buildClient(console.log))) {
  process.exitCode = 1;
}
