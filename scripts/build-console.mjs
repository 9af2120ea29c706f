// Builds the console into console/dist, unless the build there was made from the same sources. Used by `npm start` and `npm run build`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { filesIn, root, sourcesHash } from './sources-hash.mjs';

const folder = join(root, 'console');
/** In the folder of the pages, so that deleting them deletes this file, too. The server does not serve it. */
const stamp = join(folder, 'dist', '.built-from');

function consoleHash() {
  const beside = ['index.html', 'package.json', 'vite.config.ts', 'tsconfig.json', 'generate-api.mjs'];
  return sourcesHash([
    ...filesIn('console/public'),
    ...filesIn('console/src'),
    ...beside.map((name) => `console/${name}`),
    'openapi/admin.json',
    'package-lock.json',
  ]);
}

/** Returns whether the console is built from its present sources. Prints how long a build took. */
export function buildConsole(say) {
  const hash = consoleHash();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return true;
  const vite = viteProgram();
  if (vite === undefined) {
    say('The console was not built: its build tool is not installed. Run `npm ci`.');
    return false;
  }
  const begun = performance.now();
  for (const args of [[join(folder, 'generate-api.mjs')], [vite, 'build', '--logLevel', 'error']]) {
    const { status } = spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' });
    if (status !== 0) return false;
  }
  compressAssets();
  writeFileSync(stamp, hash);
  say(`Built the console in ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
  return true;
}

/** Compresses the files once, so that the service does not do it for every request. */
function compressAssets() {
  const assets = join(folder, 'dist', 'assets');
  for (const name of readdirSync(assets).filter((each) => /\.(?:js|css)$/.test(each))) {
    const file = join(assets, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
  }
}

function viteProgram() {
  try {
    const packageFile = createRequire(join(folder, 'package.json')).resolve('vite/package.json');
    return join(dirname(packageFile), 'bin', 'vite.js');
  } catch {
    return undefined;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && !buildConsole(console.log)) {
  process.exitCode = 1;
}
