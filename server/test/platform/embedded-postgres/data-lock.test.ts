import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { attachToEmbeddedPostgres } from '../../../src/platform/embedded-postgres/attach.js';
import { isDataLocked, takeDataLock } from '../../../src/platform/embedded-postgres/data-lock.js';
import { upgrade } from '../../support/major-upgrade.js';
import { HAS_PID_NAMESPACES, NEEDS_PID_NAMESPACES, startContainer } from '../../support/pid-namespace.js';
import {
  children,
  clearAway,
  eventually,
  kill,
  leftovers,
  makeFolder,
  makePreparedFolder,
  query,
  start,
} from '../../support/postgres-folders.js';

afterEach(clearAway);

const ELSEWHERE = 'Another Savepoint is already running on this data folder, in another container (pid ';

/** A process that holds the lock. It runs what `npm test` has built. */
async function spawnHolder(root: string): Promise<ChildProcess> {
  const script = `
    const [module, root] = process.argv.slice(1);
    await (await import(module)).takeDataLock(root);
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const module = new URL('../../../dist/platform/embedded-postgres/data-lock.js', import.meta.url).href;
  const args = ['--input-type=module', '-e', script, module, root];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return child;
}

/** What another container reads of the holder: a pid that does not exist there. */
async function hidePid(root: string): Promise<void> {
  const path = join(root, 'savepoint.lock');
  const { pid } = spawnSync('true');
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), pid }));
}

describe('the lock of a data folder', () => {
  test('holds where the pid of its holder is unknown, also while he is paused, and is free after kill -9', async () => {
    const root = await makeFolder();
    const holder = await spawnHolder(root);
    await hidePid(root);
    await expect(takeDataLock(root)).rejects.toThrow(ELSEWHERE);
    expect(await isDataLocked(root)).toBe(true);
    holder.kill('SIGSTOP');
    await expect(takeDataLock(root)).rejects.toThrow(ELSEWHERE);
    await kill(holder);
    expect(await isDataLocked(root)).toBe(false);
    // The socket of the one that was killed goes with his lock.
    const release = await takeDataLock(root);
    const { socket } = JSON.parse(await readFile(join(root, 'savepoint.lock'), 'utf8'));
    expect((await readdir(root)).sort()).toEqual(['savepoint.lock', `savepoint.lock.${socket}`]);
    await release();
    expect(await readdir(root)).toEqual([]);
  });

  test('goes by the pid alone where there can be no socket', async () => {
    const root = join(await makeFolder(), 'x'.repeat(100));
    await mkdir(root);
    const release = await takeDataLock(root);
    expect(await readdir(root)).toEqual(['savepoint.lock']);
    await expect(takeDataLock(root)).rejects.toThrow(`(pid ${process.pid}). Stop it, or set`);
    await release();
    expect(await readdir(root)).toEqual([]);
  });
});

describe.skipIf(!HAS_PID_NAMESPACES)(`beside a container with the same volume${NEEDS_PID_NAMESPACES}`, () => {
  test('in which a service runs, nothing starts', async () => {
    const dataDir = await makePreparedFolder();
    const { child, url } = await startContainer(dataDir);
    await query(url, 'create table kept as select 1 as n');
    await expect(start(dataDir)).rejects.toThrow(ELSEWHERE);
    await expect(upgrade(dataDir)).rejects.toThrow(ELSEWHERE);
    await expect(attachToEmbeddedPostgres(dataDir)).rejects.toThrow('PostgreSQL runs on');
    expect(await query(url, 'select n from kept')).toEqual([{ n: 1 }]);

    await kill(child);
    const server = await eventually(() => start(dataDir));
    expect(server.adopted).toBe(false);
    expect(await query(server.url, 'select n from kept')).toEqual([{ n: 1 }]);
    expect(await leftovers(dataDir)).toEqual([]);
  });

  test('in which PostgreSQL outlives its service, no second one starts', async () => {
    const dataDir = await makePreparedFolder();
    const { child, url, killService } = await startContainer(dataDir);
    killService();
    await eventually(async () => expect(await isDataLocked(dataDir)).toBe(false));
    const sentence = /^PostgreSQL runs on \S+ in another container \(pid \d+ there\). Stop that container/;
    await expect(start(dataDir)).rejects.toThrow(sentence);
    await expect(upgrade(dataDir)).rejects.toThrow(sentence);
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);

    await kill(child);
    await (await eventually(() => start(dataDir))).stop();
  });
});
