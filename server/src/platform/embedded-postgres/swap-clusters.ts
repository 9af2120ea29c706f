import { lstat, readdir, readlink, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { syncFolder, writeFileDurably } from '../lib/durable-file.js';
import { StartupError } from '../lib/startup-error.js';
import { clusterPathIn } from './cluster-place.js';
import { ifExists } from './errno.js';
import { hasPassword } from './password-file.js';

/**
 * How an upgrade and a restore put a cluster into the place of another one. The names are beside the cluster; no server runs on any of them:
 *
 *   postgres.init-…                       the new cluster while it is made; never used, removed by the next start
 *   postgres.{upgraded,restored}-STAMP    the new one, whole and on the disk
 *   postgres.of-postgres-17-STAMP         the old one, from then on; after a restore `postgres.replaced-STAMP`
 *
 *   init-… ─► restored-STAMP │ postgres ─► replaced-STAMP │ secrets │ restored-STAMP ─► postgres
 *
 * From the second step to the last there is no cluster in the place. Both names then have the same stamp, by which the next start knows
 * what is left to do. Before that the old cluster is used, and whoever was killed begins anew. A restore into an empty place has nothing to set
 * aside, and a stamp of its own, STAMP-into-empty: the next start finishes it from the first step on, and the next restore begins anew.
 *
 * The secrets of a restored cluster come with it: `postgres-password.restored-STAMP` in the data folder becomes `postgres-password`, and what
 * was there `postgres-password.replaced-STAMP`.
 */
export type Swap = Readonly<{
  /** The data folder. */
  root: string;
  clusterDir: string;
  kind: Kind;
  /** What the old one is called from then on, before its stamp. */
  aside: 'replaced' | `of-postgres-${string}`;
  stamp: string;
}>;
type Kind = 'upgraded' | 'restored';

const KINDS: readonly Kind[] = ['upgraded', 'restored'];
const ASIDE = ['replaced-', 'of-postgres-'];
const INTO_EMPTY = '-into-empty';

/** What lies beside the cluster, and is of no use or cannot be replaced without it. */
export const SECRETS = ['postgres-password', 'master-key'];

/** `isEmpty`: there is no old cluster. */
export const newStamp = (isEmpty = false): string =>
  `${new Date().toISOString().replaceAll(':', '')}${isEmpty ? INTO_EMPTY : ''}`;

/** To be called before the swap is announced. */
export async function stageSecret({ root, kind, stamp }: Swap, name: string, content: string): Promise<void> {
  await writeFileDurably(join(root, `${name}.${kind}-${stamp}`), content);
}

/** The first step: `from` has to be on the disk. */
export async function announceSwap(swap: Swap, from: string): Promise<void> {
  await rename(from, readyName(swap));
  await syncFolder(dirname(swap.clusterDir));
}

/**
 * The others.
 *
 * @param onAside when there is no cluster in the place
 * @returns where the old cluster is; undefined if there was none
 */
export async function swapClusters(
  swap: Swap,
  onAside: () => Promise<void> = async () => {},
): Promise<string | undefined> {
  const { clusterDir, aside, stamp } = swap;
  const kept = `${clusterDir}.${aside}-${stamp}`;
  const found = isIntoEmpty(stamp) ? undefined : await ifExists(rename(clusterDir, kept).then(() => kept));
  // So that a power cut cannot leave the last step without this one.
  await syncFolder(dirname(clusterDir));
  await onAside();
  await putInPlace(swap);
  return found;
}

async function putInPlace(swap: Omit<Swap, 'aside'>): Promise<void> {
  const { root, clusterDir, kind, stamp } = swap;
  for (const name of SECRETS) {
    const [path, staged] = [join(root, name), join(root, `${name}.${kind}-${stamp}`)];
    // Where a kill came after this, it is in its place.
    if ((await ifExists(lstat(staged))) === undefined) continue;
    await ifExists(rename(path, `${path}.replaced-${stamp}`));
    // So that a power cut cannot leave the next rename without this one, and the old secret nowhere.
    await syncFolder(root);
    await rename(staged, path);
  }
  await syncFolder(root);
  await rename(readyName(swap), clusterDir);
  await syncFolder(dirname(clusterDir));
}

const readyName = ({ clusterDir, kind, stamp }: Pick<Swap, 'clusterDir' | 'kind' | 'stamp'>): string =>
  `${clusterDir}.${kind}-${stamp}`;

/**
 * For whoever holds the lock of the data folder, before he looks for its cluster: what a kill in the middle of a swap has left to do.
 *
 * @param isRestore begins anew where there was no database before, instead of refusing what the last restore has put there
 * @returns what was finished
 */
export async function finishSwap(root: string, isRestore = false): Promise<Kind | undefined> {
  const clusterDir = await findPlace(clusterPathIn(root));
  if (!(await isEmptyPlace(clusterDir))) return undefined;
  const endings = await listEndings(clusterDir);
  for (const kind of KINDS) {
    for (const ending of endings.filter((each) => each.startsWith(`${kind}-`))) {
      const stamp = ending.slice(`${kind}-`.length);
      const isBegun = isIntoEmpty(stamp)
        ? !isRestore
        : endings.some((each) => isAside(each) && each.endsWith(`-${stamp}`));
      if (!isBegun) continue;
      await putInPlace({ root, clusterDir, kind, stamp });
      return kind;
    }
  }
  return undefined;
}

/** An empty folder is as good as none: the last rename puts the cluster there. A link that leads to it never leads nowhere. */
async function isEmptyPlace(clusterDir: string): Promise<boolean> {
  const found = await ifExists(lstat(clusterDir));
  return found === undefined || (found.isDirectory() && (await readdir(clusterDir)).length === 0);
}

const isIntoEmpty = (stamp: string): boolean => stamp.endsWith(INTO_EMPTY);
const isAside = (ending: string): boolean => ASIDE.some((prefix) => ending.startsWith(prefix));
const isReady = (ending: string): boolean => KINDS.some((kind) => ending.startsWith(`${kind}-`));

/** New clusters of swaps that were killed before the old one was set aside: the old one may have been used since. */
export async function removeUnswapped(root: string, clusterDir: string, kind: Kind): Promise<void> {
  for (const ending of (await listEndings(clusterDir)).filter((each) => each.startsWith(`${kind}-`))) {
    // So that a kill does not leave half of it under the name of a whole one.
    const removed = `${clusterDir}.init-${ending}`;
    await rename(`${clusterDir}.${ending}`, removed);
    await syncFolder(dirname(clusterDir));
    await rm(removed, { recursive: true, force: true });
  }
  for (const base of SECRETS.map((name) => join(root, name))) {
    for (const ending of await listEndings(base)) {
      if (ending.startsWith(`${kind}-`)) await rm(`${base}.${ending}`, { force: true });
    }
  }
}

/**
 * For whoever is about to make an empty cluster.
 *
 * @throws StartupError if a swap has left databases beside the place: an empty one would look like the loss of all data
 */
export async function refuseEmptyBeside(root: string, clusterDir: string): Promise<void> {
  // The data folder was deleted, and its database lived elsewhere: that is how to start afresh.
  if (clusterDir !== clusterPathIn(root) && !(await hasPassword(root)) && !(await hasStagedSecret(root)))
    return;
  const found = (await listEndings(clusterDir))
    .filter((ending) => isAside(ending) || isReady(ending))
    .map((ending) => `\n  ${clusterDir}.${ending}`);
  if (found.length === 0) return;
  const place = basename(clusterDir);
  throw new StartupError(
    `There is no database in ${clusterDir}, but an upgrade or a restore has left these beside it:${found.join('')}
To use one of them, rename it to ${place}, and if ${root} has postgres-password.… or master-key.… with the same ending, rename those to postgres-password and master-key. To start with an empty database, move them to another folder.`,
  );
}

/** A restore that was killed may have no password in its place yet, or no longer. */
const hasStagedSecret = async (root: string): Promise<boolean> =>
  (await Promise.all(SECRETS.map((name) => listEndings(join(root, name))))).flat().some(isReady);

/** What comes after the name and a dot, of all that begins so. */
async function listEndings(path: string): Promise<string[]> {
  const prefix = `${basename(path)}.`;
  const names = (await ifExists(readdir(dirname(path)))) ?? [];
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** Where the cluster is or should be. A link may lead elsewhere, also to another link; then its end may be missing. */
async function findPlace(path: string): Promise<string> {
  const whole = await ifExists(realpath(path));
  if (whole !== undefined) return whole;
  const found = await ifExists(lstat(path));
  if (!found?.isSymbolicLink()) return path;
  return findPlace(resolve(await realpath(dirname(path)), await readlink(path)));
}
