import { chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  addErasedList,
  appendToErasedList,
  readErasedList,
} from '../../../src/trust/erasures/erased-list.js';
import { erasedListFile } from '../../../src/trust/erasures/list-file.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'savepoint-erased-'));
});
afterAll(() => rm(folder, { recursive: true }));

const entry = (digit: string) => ({
  gameId: 1,
  playerHash: digit.repeat(64),
  erasedAt: '2026-11-18T07:00:00.000Z',
});

it('adds whom another list names besides, under the key of that list, and takes nobody away', async () => {
  const [ours, theirs] = [join(folder, 'ours'), join(folder, 'theirs')];
  await appendToErasedList(ours, 'a', [entry('1'), entry('2')]);
  await appendToErasedList(theirs, 'a', [entry('2'), entry('3')]);
  await appendToErasedList(theirs, 'b', [entry('4')]);

  expect(await addErasedList(theirs, ours)).toBe(2);
  expect(await addErasedList(theirs, ours)).toBe(0);
  expect(await addErasedList(join(folder, 'none'), ours)).toBe(0);
  expect(await readErasedList(ours)).toEqual([
    { sealedKey: 'a', entries: [entry('1'), entry('2')] },
    { sealedKey: 'a', entries: [entry('3')] },
    { sealedKey: 'b', entries: [entry('4')] },
  ]);
});

it.skipIf(process.getuid?.() !== 0)('belongs to the owner of the folder, if root writes it', async () => {
  const theirs = join(folder, 'of-another-user');
  await mkdir(theirs);
  await chown(theirs, 4242, 4243);
  await appendToErasedList(join(theirs, 'erased-players'), 'a', [entry('1')]);
  expect(await stat(join(theirs, 'erased-players'))).toMatchObject({ uid: 4242, gid: 4243 });
});

it('is kept beside the backups where the service makes them', () => {
  const dataDir = '/data';
  expect(erasedListFile({ erasedList: undefined, backupDir: undefined, dataDir })).toBe(
    '/data/erased-players',
  );
  expect(erasedListFile({ erasedList: undefined, backupDir: '/b', dataDir })).toBe('/b/erased-players');
  expect(erasedListFile({ erasedList: '/e', backupDir: '/b', dataDir })).toBe('/e');
});
