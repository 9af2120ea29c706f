import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../errno.js';

/** Their content is of no use to a restored server, or comes another way (pg_wal). The folders themselves have to be there. */
const EMPTY_FOLDERS: ReadonlySet<string> = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]);

/** As PostgreSQL's manual lists them ("Making a Base Backup Using the Low Level API"). */
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|postgresql\.auto\.conf\.tmp|current_logfiles(\.tmp)?|recovery\.(signal|done)|standby\.signal)$/;
/** Temporary files and relations, and a cache that is written again at need. */
const LEFT_OUT_ANYWHERE = /^(pgsql_tmp.*|pg_internal\.init.*|t\d+_\d+(_\w+)?(\.\d+)?)$/;

/** It says where recovery begins, so it is copied after all that it may speak of. */
const LAST = 'global/pg_control';

export type ClusterContent = Readonly<{
  folders: readonly string[];
  files: readonly { path: string; size: number }[];
}>;

/** What belongs into a backup, by paths from the cluster's folder. */
export async function listClusterFiles(clusterDir: string): Promise<ClusterContent> {
  const folders: string[] = [];
  const files: { path: string; size: number }[] = [];
  const visit = async (folder: string): Promise<void> => {
    // Tables and databases are dropped meanwhile.
    for (const entry of (await ifExists(readdir(join(clusterDir, folder), { withFileTypes: true }))) ?? []) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isLeftOut(path, entry.name)) continue;
      if (entry.isDirectory()) {
        folders.push(path);
        if (!EMPTY_FOLDERS.has(path)) await visit(path);
      } else {
        const stats = await ifExists(stat(join(clusterDir, path)));
        if (stats !== undefined) files.push({ path, size: stats.size });
      }
    }
  };
  await visit('');
  files.sort((a, b) => Number(a.path === LAST) - Number(b.path === LAST));
  return { folders, files };
}

function isLeftOut(path: string, name: string): boolean {
  return LEFT_OUT.test(path) || LEFT_OUT_ANYWHERE.test(name);
}
