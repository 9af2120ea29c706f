// The console, in console/dist.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runNode } from './build-parts.mjs';
import { filesIn, root } from './sources-hash.mjs';

const folder = join(root, 'console');
const BESIDE = ['index.html', 'package.json', 'vite.config.ts', 'tsconfig.json', 'generate-api.mjs'];

export const consolePages = {
  name: 'the console',
  /** The server does not serve it. */
  stamp: 'console/dist/.built-from',
  sources: () => [
    ...filesIn('console/public'),
    // Not what the build itself generates there.
    ...filesIn('console/src').filter((file) => !file.endsWith('.gen.ts')),
    ...BESIDE.map((name) => `console/${name}`),
    'openapi/admin.json',
    'package-lock.json',
  ],
  async build() {
    const vite = viteProgram();
    await runNode([join(folder, 'generate-api.mjs')], folder);
    await runNode([vite, 'build', '--logLevel', 'error'], folder);
    compressAssets();
  },
};

/** Compresses the files once, so that the service does not do it for every request. */
function compressAssets() {
  const assets = join(folder, 'dist', 'assets');
  for (const name of readdirSync(assets).filter((each) => /\.(?:js|css)$/.test(each))) {
    const file = join(assets, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
  }
}

export function viteProgram() {
  try {
    const packageFile = createRequire(join(folder, 'package.json')).resolve('vite/package.json');
    return join(dirname(packageFile), 'bin', 'vite.js');
  } catch (cause) {
    throw new Error('The build tool of the console is not installed. Run `npm ci`.', { cause });
  }
}
