import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fetchCopies, pathIn } from '../../../../src/insight/event-files/asking/local-copies.js';
import { createFolderStore } from '../../../../src/insight/event-files/folder-store.js';

const NOW = Date.parse('2026-11-18T12:00:00.000Z');
const MINUTE_MS = 60_000;
const MIB = 1024 ** 2;
const OTHER_GAME = 'other-studio/one';
const fileOf = (generation: number) => `events-2026-11-14-g${generation}.parquet`;
const CONTENT = 'events';
const ASKED = {
  name: `studio/one/${fileOf(1)}`,
  bytes: CONTENT.length,
  sha256: createHash('sha256').update(CONTENT).digest('hex'),
};

let bucket: string;
let folder: string;
beforeEach(async () => {
  bucket = await mkdtemp(join(tmpdir(), 'savepoint-bucket-'));
  folder = await mkdtemp(join(tmpdir(), 'savepoint-copies-'));
  await addFile(bucket, ASKED.name);
  await writeFile(pathIn(bucket, ASKED.name), CONTENT);
});
afterEach(async () => {
  await rm(bucket, { recursive: true });
  await rm(folder, { recursive: true });
});

async function addFile(to: string, name: string, bytes = 0, unusedMs = 0): Promise<void> {
  const path = pathIn(to, name);
  const usedAt = new Date(NOW - unusedMs);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '');
  await truncate(path, Math.round(bytes));
  await utimes(path, usedAt, usedAt);
}

/** A copy of another studio's file that was last used so long ago. */
const addCopy = (generation: number, mib: number, minutes: number) =>
  addFile(folder, `${OTHER_GAME}/${fileOf(generation)}`, mib * MIB, minutes * MINUTE_MS);

/** Copies the file that is asked for, next to those of the other studio. Together they may take 1 MiB. */
const fetchAsked = (maxMb = 1) =>
  fetchCopies(createFolderStore(bucket), folder, [ASKED], {
    ...{ maxMb, nowMs: NOW },
    signal: new AbortController().signal,
  });
const copiesOf = (game: string) => readdir(pathIn(folder, game)).then((names) => names.sort());

it('copies of others make room, the longest unused first', async () => {
  await addCopy(1, 0.2, 20);
  await addCopy(2, 0.6, 40);
  await addCopy(3, 0.2, 9);
  expect(await fetchAsked()).toBeUndefined();
  expect(await copiesOf('studio/one')).toEqual([fileOf(1)]);
  expect(await copiesOf(OTHER_GAME)).toEqual([fileOf(1), fileOf(3)]);
});

it('a copy that was used in the last ten minutes stays, and the question is told so', async () => {
  await addCopy(1, 0.1, 20);
  await addCopy(2, 1, 9);
  expect(await fetchAsked()).toContain('other questions have used their copies in the last ten minutes');
  expect(await copiesOf(OTHER_GAME)).toEqual([fileOf(1), fileOf(2)]);
});

it('a copy of the game itself does not make room for it', async () => {
  await fetchAsked();
  await utimes(pathIn(folder, ASKED.name), new Date(NOW - 50 * MINUTE_MS), new Date(NOW - 50 * MINUTE_MS));
  await addCopy(1, 1, 20);
  expect(await fetchAsked()).toBeUndefined();
  expect(await copiesOf('studio/one')).toEqual([fileOf(1)]);
  expect(await copiesOf(OTHER_GAME)).toEqual([]);
});

it('a game that is too large alone removes nothing', async () => {
  await addCopy(1, 0.1, 20);
  expect(await fetchAsked(0)).toContain('Ask them with a DuckDB of your own');
  expect(await copiesOf(OTHER_GAME)).toEqual([fileOf(1)]);
});
