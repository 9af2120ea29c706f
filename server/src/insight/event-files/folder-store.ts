import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import {
  giveToFolderOwner,
  makeFolder,
  syncFolder,
  writeFileDurably,
} from '../../platform/lib/durable-file.js';
import type { FileStore, NewFile } from './file-store.js';

/** Under this ending a file is written before it gets its name. */
const UNFINISHED = '.unfinished';
/** Nobody has to write to a file that stands; a later generation has another name. */
const FILE_MODE = 0o440;
const MANIFEST_MODE = 0o640;

/** Files in a folder of this machine, or of one that is mounted here. */
export function createFolderStore(folder: string): FileStore {
  const pathOf = (name: string) => join(folder, ...name.split('/'));
  const withFolder = async (name: string): Promise<string> => {
    const path = pathOf(name);
    await makeFolder(dirname(path));
    return path;
  };
  return {
    async list() {
      const entries =
        (await readdir(folder, { recursive: true, withFileTypes: true }).catch(nothingThere)) ?? [];
      const found = new Map<string, number>();
      for (const entry of entries) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const size = (await stat(path).catch(nothingThere))?.size;
        if (size !== undefined) found.set(path.slice(join(folder, sep).length).split(sep).join('/'), size);
      }
      return found;
    },
    async create(name) {
      const path = await withFolder(name);
      const unfinished = `${path}${UNFINISHED}`;
      await rm(unfinished, { force: true });
      const file = await open(unfinished, 'wx', FILE_MODE);
      await giveToFolderOwner(file, dirname(path));
      return newFile(file, unfinished, path);
    },
    async open(name) {
      return (await open(pathOf(name)).catch(nothingThere))?.createReadStream();
    },
    async replace(name, content) {
      await writeFileDurably(await withFolder(name), content, MANIFEST_MODE);
    },
    remove: (name) => rm(pathOf(name), { force: true }),
  };
}

function newFile(file: FileHandle, unfinished: string, path: string): NewFile {
  let isOpen = true;
  const close = async () => {
    isOpen = false;
    await file.close();
  };
  return {
    async write(bytes) {
      await file.writeFile(bytes);
    },
    async commit() {
      await file.sync();
      await close();
      await rename(unfinished, path);
      await syncFolder(dirname(path));
    },
    async discard() {
      if (!isOpen) return;
      await close();
      await rm(unfinished, { force: true });
    },
  };
}

function nothingThere(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
