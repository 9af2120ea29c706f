import { lstat, readdir, readlink, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { syncFolder } from '../../lib/durable-file.js';
import { clusterPathIn } from './cluster-place.js';
import { ifExists } from './errno.js';

/**
 * The names of an upgrade, beside the cluster; both servers are stopped before the first of them is renamed:
 *
 *   postgres.init-…                  the new cluster while it is filled; never used, removed by the next start
 *   postgres.upgraded-STAMP          the new one, whole and on the disk
 *   postgres.of-postgres-17-STAMP    the old one, from then on
 *
 *   init-… ─► upgraded-STAMP │ postgres ─► of-postgres-17-STAMP │ upgraded-STAMP ─► postgres
 *
 * Between the last two steps there is no cluster in the place. Both names then have the same stamp, by which the next start knows
 * what is left to do. Before them the old cluster is used, and an upgrade begins anew.
 */
const READY = 'upgraded-';

export type Swap = Readonly<{ clusterDir: string; from: string; oldMajor: string; stamp: string }>;

/** The first step: `from` has to be on the disk. */
export async function announceSwap({ clusterDir, from, stamp }: Swap): Promise<void> {
  await rename(from, readyName(clusterDir, stamp));
  await syncFolder(dirname(clusterDir));
}

/** The other two. Returns where the old cluster is. */
export async function swapClusters({ clusterDir, oldMajor, stamp }: Swap): Promise<string> {
  const kept = `${clusterDir}.of-postgres-${oldMajor}-${stamp}`;
  await rename(clusterDir, kept);
  // So that a power cut cannot leave the second without the first.
  await syncFolder(dirname(clusterDir));
  await rename(readyName(clusterDir, stamp), clusterDir);
  await syncFolder(dirname(clusterDir));
  return kept;
}

const readyName = (clusterDir: string, stamp: string): string => `${clusterDir}.${READY}${stamp}`;

/** For whoever holds the lock of the data folder, before he looks for its cluster: what a kill in the middle of a swap has left to do. */
export async function finishSwap(root: string): Promise<void> {
  const clusterDir = await findPlace(clusterPathIn(root));
  if ((await ifExists(lstat(clusterDir))) !== undefined) return;
  for (const { path, stamp, names } of await listReady(clusterDir)) {
    const isAside = (name: string) =>
      name.startsWith(`${basename(clusterDir)}.of-postgres-`) && name.endsWith(`-${stamp}`);
    if (!names.some(isAside)) continue;
    await rename(path, clusterDir);
    await syncFolder(dirname(clusterDir));
    return;
  }
}

/** New clusters of upgrades that were killed before the swap: the old one may have been used since. */
export async function removeUnswapped(clusterDir: string): Promise<void> {
  for (const { path } of await listReady(clusterDir)) await rm(path, { recursive: true, force: true });
}

async function listReady(clusterDir: string): Promise<{ path: string; stamp: string; names: string[] }[]> {
  const parent = dirname(clusterDir);
  const prefix = `${basename(clusterDir)}.${READY}`;
  const names = (await ifExists(readdir(parent))) ?? [];
  return names
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ path: join(parent, name), stamp: name.slice(prefix.length), names }));
}

/** Where the cluster is or should be; a link may lead elsewhere. */
async function findPlace(path: string): Promise<string> {
  const found = await ifExists(lstat(path));
  return found?.isSymbolicLink() ? resolve(dirname(path), await readlink(path)) : path;
}
