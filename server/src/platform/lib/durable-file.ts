import { access, constants, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Not every file system can sync a folder, and not everybody may open it. Names are then as safe as they can be there. */
const CANNOT_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EISDIR', 'EACCES', 'EPERM']);

/**
 * Replaces a file so that a crash or a power cut leaves the old content or the new one, whole:
 *
 *   write beside it ─► sync the file ─► rename ─► sync the folder
 *
 * Without the first sync the name can reach the disk before the content, and the file is empty after a power cut. Without
 * the second, the name may be missing.
 */
export async function writeFileDurably(path: string, content: string, mode = 0o600): Promise<void> {
  const temporary = `${path}.new`;
  // One that a crash left behind may have other permissions.
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', mode);
  try {
    await giveToFolderOwner(file, dirname(path));
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/**
 * What root makes in the folder of another user belongs to that user, who could else not read it: after `sudo savepoint upgrade` the service
 * starts as before. By the open file, because whoever has the folder can have put another file under the name.
 */
export async function giveToFolderOwner(file: FileHandle, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  // Root of a container may lack the right, and not every file system knows owners: then it stays root's.
  if (uid !== 0) await file.chown(uid, gid).catch(() => {});
}

/**
 * Makes a folder, with those above it that are missing, and gives them away like a file.
 *
 * @param otherwise whose owner they belong to if the folder that they are made in is root's
 */
export async function makeFolder(path: string, mode = 0o777, otherwise?: string): Promise<void> {
  const first = await makeFolders(path, mode);
  if (first === undefined || process.getuid?.() !== 0) return;
  const above = dirname(resolve(first));
  const isRoots = (await stat(above)).uid === 0;
  const owned = isRoots && otherwise !== undefined && (await isThere(otherwise)) ? otherwise : above;
  // From the innermost on: the owner of one could put a link into the place of the next.
  for (let made = resolve(path); made.length > above.length; made = dirname(made)) {
    // If somebody has put a link in its place since, what that leads to must not change hands.
    const folder = await open(made, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      await giveToFolderOwner(folder, owned);
    } finally {
      await folder.close();
    }
  }
}

/**
 * Makes a folder, with those above it that are missing. Gives the outermost one that was made. In place of Node's recursive `mkdir`, which
 * spins for ever where a folder cannot be made with ENOENT, as in /proc.
 */
export async function makeFolders(path: string, mode = 0o777): Promise<string | undefined> {
  const folder = resolve(path);
  const above = dirname(folder);
  try {
    return await makeOne(folder, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
  }
  const first = await makeFolders(above, mode);
  const own = await makeOne(folder, mode);
  return first ?? own;
}

/** Undefined if the folder is there. */
async function makeOne(folder: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(folder, mode);
    return folder;
  } catch (error) {
    const isFolder = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isFolder) return undefined;
    throw error;
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What was made, renamed or deleted in a folder survives a power cut from then on. */
export async function syncFolder(path: string): Promise<void> {
  await syncFile(path).catch((error: NodeJS.ErrnoException) => {
    if (!CANNOT_SYNC.has(error.code ?? '')) throw error;
  });
}
