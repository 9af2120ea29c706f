/** @module-tag full */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCheckout, runScript, writeIn } from './support/checkout.js';

/** The scripts of the repository, in a checkout with a service, a client and a simulator of one file and a console of one page. */
describe('npm start', () => {
  let root: string;
  const write = (path: string, text: string) => writeIn(root, path, text);
  beforeAll(async () => {
    root = await makeCheckout();
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const start = () =>
    new Promise<{ code: number | null; output: string }>((resolve) => {
      const { child, output } = runScript(root, 'scripts/start.mjs');
      child.once('close', (code) => resolve({ code, output: output() }));
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

  it('stops the service when npm is gone, which passes no signal on then', async () => {
    const program = await readFile(join(root, 'server/bin/savepoint.mjs'), 'utf8');
    await write(
      'server/bin/savepoint.mjs',
      `process.on('SIGTERM', () => { console.log('stopped'); process.exit(0); });
       setInterval(() => {}, 1_000);
       console.log('serving');`,
    );
    const npm = spawn('sh', ['-c', 'node scripts/start.mjs & wait'], {
      cwd: root,
      env: { PATH: process.env.PATH, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    npm.stdout.on('data', (chunk) => {
      output += chunk;
      if (String(chunk).includes('serving')) npm.kill('SIGKILL');
    });
    await once(npm, 'close');
    expect(output).toMatch(/serving\nstopped\n$/);
    await write('server/bin/savepoint.mjs', program);
  });

  it('does not start a service with an error of syntax', async () => {
    await write('server/src/version.ts', `export const version: string = ;\n`);
    const { code, output } = await start();
    expect(code).not.toBe(0);
    expect(output).toContain('version.ts');
    expect(output).not.toContain('start two');
  });
});
