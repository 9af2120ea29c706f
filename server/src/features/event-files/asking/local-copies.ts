import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HOUR_MS } from '../../../lib/day.js';
import { inUnits } from '../../../lib/free-space.js';
import { inParallel } from '../../../lib/in-parallel.js';
import type { FileStore } from '../file-store.js';
import { createFolderStore } from '../folder-store.js';

/**
 * So long a copy stays after the last question that read it. A file that was replaced, because players were erased, is read by no question any
 * more, so its copy goes as soon.
 */
const KEPT_MS = HOUR_MS;
/** Nothing else in the folder is removed. */
const COPY = /^[^/]+\/[^/]+\/events-\d{4}-\d{2}-\d{2}-g\d+\.parquet(\.[\da-f-]+\.unfinished)?$/;
const MIB = 1024 ** 2;

export type NamedFile = Readonly<{ name: string; bytes: number; sha256: string }>;

export const pathIn = (folder: string, name: string): string => join(folder, ...name.split('/'));

/**
 * Copies files of a bucket to the folder, but for those that are there. Returns a sentence if they would take more than they may. Copies that
 * no question has read for an hour make room.
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
    if (copies.get(file.name) !== file.bytes || !(await touch(pathIn(folder, file.name), nowMs)))
      missing.push(file);
  const sum = [...copies.values(), ...missing.map(({ bytes }) => bytes)].reduce((a, b) => a + b, 0);
  if (sum > maxMb * MIB) return tooLarge(files, maxMb);
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

function tooLarge(files: readonly NamedFile[], maxMb: number): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `The files of the game take ${inUnits(bytes)} in the bucket, and ${inUnits(maxMb * MIB)} of files may be copied to this node at a time. Ask them with a DuckDB of your own, or raise SAVEPOINT_EVENT_FILES_CACHE.`;
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
  await mkdir(dirname(path), { recursive: true });
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

/** Returns the bytes of the others, by their names. */
export async function removeUnusedCopies(folder: string, nowMs: number): Promise<Map<string, number>> {
  const left = new Map<string, number>();
  for (const [name, bytes] of await createFolderStore(folder).list()) {
    if (!COPY.test(name)) continue;
    const path = pathIn(folder, name);
    const usedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
    if (usedAt < nowMs - KEPT_MS) await rm(path, { force: true });
    else left.set(name, bytes);
  }
  return left;
}
