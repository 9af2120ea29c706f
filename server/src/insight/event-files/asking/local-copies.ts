import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HOUR_MS, MINUTE_MS } from '../../../platform/lib/day.js';
import { makeFolder } from '../../../platform/lib/durable-file.js';
import { inUnits } from '../../../platform/lib/free-space.js';
import { inParallel } from '../../../platform/lib/in-parallel.js';
import type { FileStore } from '../file-store.js';
import { createFolderStore } from '../folder-store.js';

/**
 * So long a copy stays after the last question that read it, unless others need its room. A file that was replaced, because players were
 * erased, is read by no question any more, so its copy goes as soon.
 */
const KEPT_MS = HOUR_MS;
/**
 * A copy that a question has asked for since then is not removed to make room: the question may still read it. Questions of the console take half
 * a minute at most. One of the command may take longer (`--seconds`). It then fails if its copies had to make room, and can be asked again.
 */
const IN_USE_MS = 10 * MINUTE_MS;
/** Nothing else in the folder is removed. */
const COPY = /^[^/]+\/[^/]+\/events-\d{4}-\d{2}-\d{2}-g\d+\.parquet(\.[\da-f-]+\.unfinished)?$/;
const MIB = 1024 ** 2;

type Copy = Readonly<{ bytes: number; usedAt: number }>;
export type NamedFile = Readonly<{ name: string; bytes: number; sha256: string }>;

export const pathIn = (folder: string, name: string): string => join(folder, ...name.split('/'));

/**
 * Copies files of a bucket to the folder, but for those that are there. Returns a sentence if they would take more than they may. Copies of
 * other files make room, those first that no question has asked for longest.
 */
export async function fetchCopies(
  store: FileStore,
  folder: string,
  files: readonly NamedFile[],
  { maxMb, nowMs, signal }: Readonly<{ maxMb: number; nowMs: number; signal: AbortSignal }>,
): Promise<string | undefined> {
  const copies = await removeUnusedCopies(folder, nowMs);
  const missing: NamedFile[] = [];
  for (const file of files)
    if (copies.get(file.name)?.bytes !== file.bytes || !(await touch(pathIn(folder, file.name), nowMs)))
      missing.push(file);
  if (sumOf(files) > maxMb * MIB) return tooLarge(files, maxMb);
  for (const { name } of files) copies.delete(name);
  if (!(await makeRoom(folder, copies, maxMb * MIB - sumOf(files), nowMs))) return othersInUse(files, maxMb);
  await inParallel(missing, signal, (file) => fetchCopy(store, folder, file, nowMs));
  return undefined;
}

/** A copy that is being read stays. False if it has just been removed. */
function touch(path: string, nowMs: number): Promise<boolean> {
  const used = new Date(nowMs);
  return utimes(path, used, used).then(
    () => true,
    () => false,
  );
}

/** Removes copies until the others take no more than given. False, and all of them stay, if too many are in use. */
async function makeRoom(
  folder: string,
  copies: ReadonlyMap<string, Copy>,
  maxBytes: number,
  nowMs: number,
): Promise<boolean> {
  const unused = [...copies]
    .map(([name, copy]) => ({ name, ...copy }))
    .filter(({ usedAt }) => usedAt < nowMs - IN_USE_MS)
    .sort((a, b) => a.usedAt - b.usedAt);
  let excess = sumOf([...copies.values()]) - maxBytes;
  if (sumOf(unused) < excess) return false;
  for (const { name, bytes } of unused) {
    if (excess <= 0) break;
    await rm(pathIn(folder, name), { force: true });
    excess -= bytes;
  }
  return true;
}

const sumOf = (files: readonly Readonly<{ bytes: number }>[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

function tooLarge(files: readonly NamedFile[], maxMb: number): string {
  return `The files of the game take ${inUnits(sumOf(files))} in the bucket, and ${inUnits(maxMb * MIB)} of files may be copied to this node at a time. Ask them with a DuckDB of your own, or raise SAVEPOINT_EVENT_FILES_CACHE.`;
}

function othersInUse(files: readonly NamedFile[], maxMb: number): string {
  return `The files of the game take ${inUnits(sumOf(files))}, which is not free: ${inUnits(maxMb * MIB)} of files may be copied to this node at a time, and other questions have used their copies in the last ten minutes. Ask again later, or raise SAVEPOINT_EVENT_FILES_CACHE.`;
}

/** A copy has its name when it is whole: two questions may fetch the same file. */
async function fetchCopy(
  store: FileStore,
  folder: string,
  { name, sha256 }: NamedFile,
  nowMs: number,
): Promise<void> {
  const content = await store.open(name);
  if (content === undefined) throw new Error(`${name} is missing in the bucket`);
  const path = pathIn(folder, name);
  const unfinished = `${path}.${randomUUID()}.unfinished`;
  await makeFolder(dirname(path));
  try {
    const hash = createHash('sha256');
    content.on('data', (chunk) => hash.update(chunk));
    await pipeline(content, createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }));
    if (hash.digest('hex') !== sha256)
      throw new Error(`${name} in the bucket does not agree with its digest`);
    await touch(unfinished, nowMs);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Returns the others, by their names. */
export async function removeUnusedCopies(folder: string, nowMs: number): Promise<Map<string, Copy>> {
  const left = new Map<string, Copy>();
  for (const [name, bytes] of await createFolderStore(folder).list()) {
    if (!COPY.test(name)) continue;
    const path = pathIn(folder, name);
    const usedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
    if (usedAt < nowMs - KEPT_MS) await rm(path, { force: true });
    else left.set(name, { bytes, usedAt });
  }
  return left;
}
