import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inParallel } from '../../lib/in-parallel.js';
import { createS3Client, type S3Client, type S3Settings } from '../../lib/s3/s3-client.js';
import { StartupError } from '../../lib/startup-error.js';
import { type Backup, isBackupName, walFolderOf } from './backup-folder.js';
import { hashFile } from './hashed-files.js';
import { MANIFEST_FILE, parseManifest } from './manifest.js';
import { divideBackups, unneededFiles } from './prune-backups.js';

/**
 * A bucket with a copy of the folder of backups, with the same names below `prefix`. The manifest of a backup is written after its files and
 * deleted before them: a backup with a manifest is whole.
 */
export type BackupStore = Readonly<{ client: S3Client; prefix: string }>;

export type CopyOptions = Readonly<{
  signal?: AbortSignal;
  onProgress?: (doneBytes: number, totalBytes: number) => void;
}>;

const WAL = 'wal/';
const OWNER = 'system-identifier';

export function openStore(
  { prefix, ...settings }: S3Settings & { prefix: string },
  now: () => number,
): BackupStore {
  return { client: createS3Client(settings, now), prefix };
}

/** The same store, whose calls end with the signal: one that hangs must not hold up a stop. */
export const storeUntil = ({ client, prefix }: BackupStore, signal: AbortSignal): BackupStore => ({
  client: client.until(signal),
  prefix,
});

/** The store belongs to one database, as the folder does. */
export async function claimStore({ client, prefix }: BackupStore, folder: string): Promise<void> {
  const path = join(folder, OWNER);
  const stored = await client.get(`${prefix}${OWNER}`);
  if (stored === undefined) return putFile(client, `${prefix}${OWNER}`, path);
  const owner = (await text(stored)).trim();
  const own = (await text(createReadStream(path))).trim();
  if (owner === own) return;
  throw new StartupError(
    `The bucket holds the backups of another database (system identifier ${owner}, and this one has ${own}). Choose another bucket or SAVEPOINT_BACKUP_S3_PREFIX.`,
  );
}

/** Copies the segments and histories of the log that the store does not have. `stored` is what it has, and is kept up to date. */
export async function copyLog(
  { client, prefix }: BackupStore,
  folder: string,
  stored: Set<string>,
): Promise<void> {
  const wal = walFolderOf(folder);
  const names = (await readdir(wal)).filter((name) => name.endsWith('.gz') && !stored.has(name)).sort();
  await inParallel(names, undefined, async (name) => {
    await putFile(client, `${prefix}${WAL}${name}`, join(wal, name));
    stored.add(name);
  });
}

/** What the store has of the log. */
export async function listStoredLog({ client, prefix }: BackupStore): Promise<Set<string>> {
  const { objects } = await client.list(`${prefix}${WAL}`);
  return new Set(objects.map(({ key }) => key.slice(prefix.length + WAL.length)));
}

/** Copies a backup, but for the files that an interrupted copy has left there. */
export async function copyBackup(
  { client, prefix }: BackupStore,
  { name, folder, manifest }: Backup,
  { signal, onProgress }: CopyOptions = {},
): Promise<void> {
  const base = `${prefix}${name}/`;
  const { objects } = await client.list(base);
  const stored = new Map(objects.map(({ key, size }) => [key.slice(base.length), size]));
  if (stored.has(MANIFEST_FILE)) return;
  const totalBytes = manifest.files.reduce((sum, { size }) => sum + size, 0);
  let doneBytes = 0;
  await inParallel(manifest.files, signal, async ({ path, size, sha256 }) => {
    const open = () => createReadStream(join(folder, path));
    if (stored.get(path) !== size) await client.put(`${base}${path}`, { size, sha256, open });
    doneBytes += size;
    onProgress?.(doneBytes, totalBytes);
  });
  await putFile(client, `${base}${MANIFEST_FILE}`, join(folder, MANIFEST_FILE));
}

/** Whole backups, the oldest first. A manifest that cannot be read is reported, and its backup is left out. Other folders are not looked at. */
export async function listStoredBackups(
  store: BackupStore,
  onUnreadable: (name: string, reason: string) => void = () => {},
): Promise<Backup[]> {
  const { client, prefix } = store;
  const found: Backup[] = [];
  for (const name of await listNames(store)) {
    const base = `${prefix}${name}/`;
    const stored = await client.get(`${base}${MANIFEST_FILE}`);
    if (stored === undefined) continue;
    const content = await text(stored);
    try {
      found.push({ name, folder: `s3:${base}`, manifest: parseManifest(content) });
    } catch (error) {
      onUnreadable(name, (error as Error).message);
    }
  }
  return found;
}

/** Of whole backups and others, the oldest first. */
async function listNames({ client, prefix }: BackupStore): Promise<string[]> {
  const { prefixes } = await client.list(prefix, { folders: true });
  return prefixes
    .map((base) => base.slice(prefix.length, -1))
    .filter(isBackupName)
    .sort();
}

/**
 * Deletes all but the newest backups of the store, and the log that none of these needs. What an interrupted copy or deletion has left before
 * them is deleted, too: it holds data of players who were erased since. `spared` are copies that are tried again. Manifests that cannot be read
 * may be of a newer Savepoint, so their backups stay.
 */
export async function pruneStore(
  store: BackupStore,
  keptCount: number,
  spared: readonly string[] = [],
): Promise<void> {
  const { client, prefix } = store;
  const stay = new Set(spared);
  const { kept } = divideBackups(await listStoredBackups(store, (name) => stay.add(name)), keptCount);
  const oldest = kept[0]?.name ?? '';
  for (const name of await listNames(store)) {
    if (name >= oldest || stay.has(name)) continue;
    await client.delete(`${prefix}${name}/${MANIFEST_FILE}`);
    const { objects } = await client.list(`${prefix}${name}/`);
    await inParallel(objects, undefined, ({ key }) => client.delete(key));
  }
  const log = await listStoredLog(store);
  await inParallel(unneededFiles([...log], kept), undefined, (name) =>
    client.delete(`${prefix}${WAL}${name}`),
  );
}

export async function putFile(client: S3Client, key: string, path: string): Promise<void> {
  const hashed = await hashFile(path);
  // A list may become longer meanwhile: what was hashed is sent.
  const open = () => createReadStream(path, { end: Math.max(0, hashed.size - 1) });
  await client.put(key, { ...hashed, open });
}
