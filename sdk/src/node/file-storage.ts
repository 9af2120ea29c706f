import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyValueStorage } from '../storage/key-value-storage.js';
import type { SavepointStorage } from '../storage/storage.js';

/**
 * Keeps everything in a folder, for Node, Bun, Deno and Electron. One process at a time. The folder survives a killed process; a
 * copy of it is noticed, and its events get numbers of their own.
 *
 * @example
 * ```ts
 * import { Savepoint } from '@savepoint/client';
 * import { fileStorage } from '@savepoint/client/node';
 *
 * const savepoint = new Savepoint({ baseUrl, sign, storage: fileStorage('./player-data') });
 * ```
 */
export function fileStorage(folder: string): SavepointStorage {
  let made: Promise<unknown> | undefined;
  const make = () => {
    made ??= mkdir(folder, { recursive: true, mode: 0o700 });
    return made;
  };
  // Keys hold addresses and device ids: too long for names, and with characters that some systems refuse.
  const pathOf = (key: string) => join(folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  const storage = keyValueStorage({
    getItem: (key) => readFile(pathOf(key), 'utf8').catch(absent),
    async setItem(key, value) {
      await make();
      const path = pathOf(key);
      // Renamed into place: a reader finds the old text or the new one. Only the owner may read it, because it holds tokens.
      await writeFile(`${path}.new`, value, { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    removeItem: (key) => rm(pathOf(key), { force: true }),
  });
  return {
    ...storage,
    async identity() {
      await make();
      const { dev, ino, birthtimeMs } = await stat(folder);
      return `${dev}:${ino}:${birthtimeMs}`;
    },
  };
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
