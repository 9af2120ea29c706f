// The TypeScript client and the simulator, and from the client the two files that the operations listener offers for download: the npm
// package, and one ES module for pages without a bundler. Compiled, because the package has declarations of types.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { run, runNode } from './build-parts.mjs';
import { filesIn, root } from './sources-hash.mjs';

const downloads = join(root, 'sdk', 'download');
const FOLDERS = ['sdk', 'simulator'];

export const client = {
  name: 'the client',
  /** The server does not serve it. */
  stamp: 'sdk/download/.built-from',
  outputs: ['sdk/dist/index.js', 'simulator/dist/index.js'],
  sources: () => [
    ...FOLDERS.flatMap((folder) => filesIn(`${folder}/src`)),
    ...FOLDERS.flatMap((folder) => [`${folder}/package.json`, `${folder}/tsconfig.json`]),
    'sdk/README.md',
    'package-lock.json',
  ],
  async build() {
    rmSync(downloads, { recursive: true, force: true });
    mkdirSync(downloads);
    await compile(...FOLDERS);
    await Promise.all([pack(), bundle()]);
  },
};

/** The suite of examples that every client passes, and its drivers. Its types come from the client, which is built before. */
export const conformance = {
  name: 'the conformance suite',
  stamp: 'clients/conformance/dist/.built-from',
  outputs: ['clients/conformance/dist/src/main.js'],
  sources: () => [
    ...filesIn('sdk/src'),
    ...['src', 'drivers'].flatMap((folder) => filesIn(`clients/conformance/${folder}`)),
    'clients/conformance/tsconfig.json',
    'package-lock.json',
  ],
  build: () => compile('clients/conformance'),
};

function compile(...folders) {
  const tsc = join(programFolder('typescript'), 'bin', 'tsc');
  return runNode([tsc, '-b', ...folders.map((folder) => join(root, folder))]);
}

/** What `npm publish` would upload. */
async function pack() {
  const args = ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', downloads];
  const stdout = await run('npm', args, { cwd: join(root, 'sdk'), shell: process.platform === 'win32' });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  renameSync(join(downloads, filename), join(downloads, 'savepoint-client.tgz'));
}

/** In a process of its own, as the bundles of the server. */
function bundle() {
  const program = join(programFolder('rolldown'), 'bin', 'cli.mjs');
  const file = join(downloads, 'savepoint-client.js');
  const input = join(root, 'sdk/dist/index.js');
  return runNode([program, input, '--file', file, '--format', 'es', '--platform', 'browser']);
}

function programFolder(name) {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}
