import { spawn } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../', import.meta.url));
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
  'server/src/bin/savepoint.ts': `import { version } from '../version.js';
    console.log(process.argv[2], version, process.env.SAVEPOINT_ENV);`,
  ...Object.fromEntries(
    ['worker', 'operations', 'event-files-thread', 'predictions-thread', 'sql-child'].map((name) => [
      `server/src/bin/${name}.ts`,
      '',
    ]),
  ),
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

/** The scripts of the repository, in a checkout with a service, a client and a simulator of one file and a console of one page. */
describe('npm start', () => {
  let root: string;
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'savepoint-start-'));
    for (const [path, text] of Object.entries(FILES)) await write(path, text);
    await cp(join(REPOSITORY, 'scripts'), join(root, 'scripts'), { recursive: true });
    await symlink(TYPESCRIPT, join(root, 'node_modules/typescript'));
    await symlink(ROLLDOWN, join(root, 'node_modules/rolldown'));
    const config = JSON.parse(await readFile(join(REPOSITORY, 'sdk/tsconfig.json'), 'utf8'));
    config.compilerOptions.types = [];
    for (const folder of ['sdk', 'simulator']) await write(`${folder}/tsconfig.json`, JSON.stringify(config));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const start = () =>
    new Promise<{ code: number | null; output: string }>((resolve) => {
      const child = spawn(process.execPath, ['scripts/start.mjs'], {
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
      child.once('close', (code) => resolve({ code, output }));
    });
  const onlyBuilt = (name: string) =>
    new RegExp(`^Building ${name}…\\nBuilt ${name} in \\d+\\.\\d s\\.\\nstart two development\\n$`);
  const filesIn = async (folder: string) =>
    (await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  const writtenAt = async () => {
    const files = [...(await filesIn('server/dist')), ...(await filesIn('console/dist'))];
    return Promise.all(files.map(async (file) => [file, (await stat(file)).mtimeMs]));
  };

  it('builds the service, the console and the client at the first start, and says how long that took', async () => {
    const { code, output } = await start();
    expect(output).toMatch(
      /^Building the service, the console and the client…\nBuilt the service, the console and the client in \d+\.\d s\.\nstart one development\n$/,
    );
    expect(code).toBe(0);
    expect(await readFile(join(root, 'console/dist/assets/page.js'), 'utf8')).toBe('first');
    expect(await readFile(join(root, 'sdk/download/savepoint-client.js'), 'utf8')).toContain(
      'client = "one"',
    );
    expect((await stat(join(root, 'sdk/download/savepoint-client.tgz'))).size).toBeGreaterThan(100);
    expect(await readFile(join(root, 'simulator/dist/index.js'), 'utf8')).toContain('simulate');
  });

  it('builds nothing at the second start', async () => {
    const before = await writtenAt();
    expect(before.length).toBeGreaterThan(3);
    expect(await start()).toEqual({ code: 0, output: 'start one development\n' });
    expect(await writtenAt()).toEqual(before);
  });

  it('builds nothing where files are newer and say the same, as after a clone', async () => {
    const later = new Date(Date.now() + 60_000);
    for (const folder of ['server/src', 'console', 'sdk/src', 'openapi']) {
      for (const file of await filesIn(folder)) await utimes(file, later, later);
    }
    const before = await writtenAt();
    expect((await start()).output).toBe('start one development\n');
    const isOfConsole = ([file]: (string | number)[]) => String(file).includes('/console/');
    expect((await writtenAt()).filter(isOfConsole)).toEqual(before.filter(isOfConsole));
  });

  it('builds only the service after a change of the service', async () => {
    await write('server/src/version.ts', `export const version: string = 'two';\n`);
    const { output } = await start();
    expect(output).toMatch(onlyBuilt('the service'));
    expect((await start()).output).toBe('start two development\n');
  });

  it.each([
    ['console/src/main.ts', 'second'],
    ['console/src/page.ts', 'added'],
    ['console/public/icon.svg', '<svg></svg>'],
    ['console/index.html', '<html lang="en"></html>'],
    ['openapi/admin.json', '{"paths":{}}'],
    ['console/tsconfig.json', '{ }'],
  ])('builds only the console after a change of %s', async (path, text) => {
    await write(path, text);
    expect((await start()).output).toMatch(onlyBuilt('the console'));
    expect((await start()).output).toBe('start two development\n');
  });

  it('builds only the client after a change of the client, and starts without one that cannot be compiled', async () => {
    await write('sdk/src/index.ts', `export const client: string = 'two';\n`);
    expect((await start()).output).toMatch(onlyBuilt('the client'));
    await write('sdk/src/index.ts', `export const client: string = 3;\n`);
    const { code, output } = await start();
    expect(code).toBe(0);
    expect(output).toMatch(
      /index\.ts[\s\S]*\nThis failed: building the client\.\nStarting without the client and the simulator\.\nstart two development\n$/,
    );
    await write('sdk/src/index.ts', `export const client: string = 'two';\n`);
    expect((await start()).output).toMatch(onlyBuilt('the client'));
  });

  it('starts without a console that cannot be built, and builds it once it can', async () => {
    await write('console/src/main.ts', 'mistake');
    for (const time of ['first', 'second']) {
      const { code, output } = await start();
      expect([time, code]).toEqual([time, 0]);
      expect(output).toMatch(
        /This failed: building the console\.\nStarting without the console\.\nstart two development\n$/,
      );
    }
    await write('console/src/main.ts', 'mended');
    expect((await start()).output).toMatch(onlyBuilt('the console'));
    expect(await readFile(join(root, 'console/dist/assets/page.js'), 'utf8')).toBe('mended');
  });

  it('does not start a service with an error of syntax', async () => {
    await write('server/src/version.ts', `export const version: string = ;\n`);
    const { code, output } = await start();
    expect(code).not.toBe(0);
    expect(output).toContain('version.ts');
    expect(output).not.toContain('start two');
  });
});
