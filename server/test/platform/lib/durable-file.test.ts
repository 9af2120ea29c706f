import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeFolder,
  makeFolders,
  syncFolder,
  writeFileDurably,
} from '../../../src/platform/lib/durable-file.js';
import { isRoot, listNotOthers, makeOthersFolder } from '../../support/owners.js';

describe('a file that is written durably', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'savepoint-durable-'));
    file = join(folder, 'secret');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const mode = async (path: string) => (await stat(path)).mode & 0o777;

  it('holds the content, for its owner only, and nothing is left beside it', async () => {
    await writeFileDurably(file, 'first\n');
    expect(await readFile(file, 'utf8')).toBe('first\n');
    expect(await mode(file)).toBe(0o600);
    await writeFileDurably(file, 'second\n');
    expect(await readFile(file, 'utf8')).toBe('second\n');
    expect(await readdir(folder)).toEqual(['secret']);
  });

  it('is another file each time: a reader of the old one reads all of it', async () => {
    await writeFileDurably(file, 'old');
    const old = await stat(file);
    await writeFileDurably(file, 'new');
    expect((await stat(file)).ino).not.toBe(old.ino);
  });

  it('does not take over the permissions of what a crash left behind', async () => {
    await writeFile(`${file}.new`, 'half', { mode: 0o644 });
    await chmod(`${file}.new`, 0o644);
    await writeFileDurably(file, 'whole');
    expect(await mode(file)).toBe(0o600);
  });

  it.skipIf(!isRoot)('belongs to the owner of the folder, if root writes it', async () => {
    await writeFileDurably(file, 'of root');
    expect((await stat(file)).uid).toBe(0);
    await chown(folder, 4242, 4243);
    await writeFileDurably(file, 'of another user');
    expect(await stat(file)).toMatchObject({ uid: 4242, gid: 4243 });
  });

  it('stays as it was when it cannot be replaced', async () => {
    await mkdir(join(file, 'in the way'), { recursive: true });
    await expect(writeFileDurably(file, 'content')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(await readdir(file)).toEqual(['in the way']);
  });

  it.skipIf(!isRoot)('as root, a folder belongs to the owner of the one that it is made in', async () => {
    const others = await makeOthersFolder(join(folder, 'others'));
    await makeFolder(join(others, 'a', 'b', 'c'), 0o700);
    expect(await listNotOthers(others)).toEqual([]);
    expect(await mode(join(others, 'a'))).toBe(0o700);
    // One that is there keeps its owner.
    await mkdir(join(folder, 'own'));
    await makeFolder(join(folder, 'own'), 0o700, others);
    expect((await stat(join(folder, 'own'))).uid).toBe(0);
  });

  it.skipIf(!isRoot)('as root, one that is made in a folder of root belongs to the other owner', async () => {
    const others = await makeOthersFolder(join(folder, 'others'));
    await makeFolder(join(folder, 'a', 'b'), 0o700, others);
    expect(await listNotOthers(join(folder, 'a'))).toEqual([]);
    for (const otherwise of [undefined, join(folder, 'nowhere')]) {
      await rm(join(folder, 'a'), { recursive: true });
      await makeFolder(join(folder, 'a', 'b'), 0o700, otherwise);
      expect((await stat(join(folder, 'a', 'b'))).uid).toBe(0);
    }
  });

  it('gives the outermost folder that it made, and refuses what cannot be made', async () => {
    expect(await makeFolders(join(folder, 'a', 'b'), 0o700)).toBe(join(folder, 'a'));
    expect(await makeFolders(join(folder, 'a', 'b'))).toBeUndefined();
    expect(await mode(join(folder, 'a'))).toBe(0o700);
    await writeFile(file, '');
    await expect(makeFolders(file)).rejects.toThrow('EEXIST');
    await expect(makeFolders(join(file, 'below'))).rejects.toThrow('ENOTDIR');
  });

  it.runIf(process.platform === 'linux')('is refused in /proc, where Node would try for ever', async () => {
    await expect(makeFolder('/proc/nope/deeper', 0o700)).rejects.toThrow('ENOENT');
  });

  it('needs a folder that exists', async () => {
    await expect(syncFolder(join(folder, 'nowhere'))).rejects.toThrow('ENOENT');
  });
});
