import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BackupStore, putFile } from '../../platform/embedded-postgres/backup/backup-store.js';
import { makeFolder } from '../../platform/lib/durable-file.js';
import { addErasedList } from './erased-list.js';

const FILE = 'erased-players';

/** Adds to a list of this machine whom the list in the bucket names besides. */
export async function addStoredErasedList(
  { client, prefix }: BackupStore,
  erasedFile: string,
): Promise<void> {
  await makeFolder(dirname(erasedFile));
  const stored = await client.get(`${prefix}${FILE}`);
  if (stored === undefined) return;
  const fetched = `${erasedFile}.fetched`;
  try {
    await pipeline(stored, createWriteStream(fetched, { mode: 0o600 }));
    await addErasedList(fetched, erasedFile);
  } finally {
    await rm(fetched, { force: true });
  }
}

export async function storeErasedList({ client, prefix }: BackupStore, erasedFile: string): Promise<void> {
  await putFile(client, `${prefix}${FILE}`, erasedFile);
}
