import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const TYPESCRIPT = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

const ROLLDOWN = dirname(createRequire(import.meta.url).resolve('rolldown/package.json'));

/** Stands for the build tool of the console: it makes a page of the sources, and fails where they say so. */
const BUILD_TOOL = `
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const source = readFileSync('src/main.ts', 'utf8');
if (source.includes('mistake')) process.exit(1);
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist/assets', { recursive: true });
writeFileSync('dist/assets/page.js', source);
`;

const FILES: Record<string, string> = {
  'package.json': '{"type":"module"}',
  'package-lock.json': '{}',
  'openapi/admin.json': '{}',
  'node_modules/vite/package.json': '{"name":"vite"}',
  'node_modules/vite/bin/vite.js': BUILD_TOOL,
  'server/package.json': '{"type":"module"}',
  'server/src/version.ts': `export const version: string = 'one';\n`,
  'server/src/app/bin/savepoint.ts': `import { version } from '../../version.js';
    console.log(process.argv[2], version, process.env.SAVEPOINT_ENV);`,
  ...Object.fromEntries(
    ['boot-worker', 'boot-operations', 'event-files-thread', 'predictions-thread', 'sql-child'].map(
      (name) => [`server/src/app/bin/${name}.ts`, ''],
    ),
  ),
  'statistics/src/index.ts': '',
  'server/bin/savepoint.mjs': `import '../dist/programs/savepoint.js';`,
  'console/index.html': '<html></html>',
  'console/package.json': '{}',
  'console/vite.config.ts': '',
  'console/tsconfig.json': '{}',
  'console/generate-api.mjs': `import { writeFileSync } from 'node:fs';
    writeFileSync('src/api.gen.ts', String(process.pid));`,
  'console/public/icon.svg': '<svg/>',
  'console/src/main.ts': 'first',
  'sdk/package.json': '{"name":"@savepoint/client","version":"1.0.0","type":"module","files":["dist"]}',
  'sdk/README.md': '',
  'sdk/src/index.ts': `export const client: string = 'one';\n`,
  'simulator/package.json': '{"type":"module"}',
  'simulator/src/index.ts': `export const simulate: string = 'one';\n`,
};

/** A folder with the scripts and build tools of the repository, a service, a client and a simulator of one file, and a console of one page. */
export async function makeCheckout(files: Record<string, string> = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'savepoint-checkout-'));
  for (const [path, text] of Object.entries({ ...FILES, ...files })) await writeIn(root, path, text);
  await cp(join(REPOSITORY, 'scripts'), join(root, 'scripts'), { recursive: true });
  await symlink(TYPESCRIPT, join(root, 'node_modules/typescript'));
  await symlink(ROLLDOWN, join(root, 'node_modules/rolldown'));
  const config = JSON.parse(await readFile(join(REPOSITORY, 'sdk/tsconfig.json'), 'utf8'));
  config.compilerOptions.types = [];
  for (const folder of ['sdk', 'simulator'])
    await writeIn(root, `${folder}/tsconfig.json`, JSON.stringify(config));
  return root;
}

export async function writeIn(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

/** Runs a script of a checkout, and keeps what it says. */
export function runScript(root: string, script: string) {
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return { child, output: () => output };
}
