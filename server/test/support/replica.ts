import { chown, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ensureEventPartitions } from '../../src/core/events/storage/event-partitions.js';
import { migrate } from '../../src/platform/db/migrate.js';
import { createPool } from '../../src/platform/db/pool.js';
import { findServer } from '../../src/platform/embedded-postgres/attach.js';
import { restoreFiles } from '../../src/platform/embedded-postgres/backup/restore-files.js';
import { takeBackup } from '../../src/platform/embedded-postgres/backup/take-backup.js';
import { clusterPathIn } from '../../src/platform/embedded-postgres/cluster-place.js';
import { withSuperuser } from '../../src/platform/embedded-postgres/login.js';
import { chooseServerUser } from '../../src/platform/embedded-postgres/server-user.js';
import { makeFolder, makePreparedFolder, start } from './postgres-folders.js';

export type TestPrimary = Readonly<{ dataDir: string; url: string }>;

export type TestReplica = Readonly<{
  url: string;
  /** From here on it keeps what it has. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}>;

/** A server of its own: the one of the run has the databases of all test files, which a standby would have to copy. */
export async function startPrimary(): Promise<TestPrimary> {
  const dataDir = await makePreparedFolder();
  // A standby that is stopped for a while finds its log again. Nothing but the test changes tables.
  const { url } = await start(dataDir, [], { wal_keep_size: '256MB', autovacuum: 'off' });
  await migrate(url, () => {});
  const pool = createPool({ url, size: 1, timeoutMs: 180_000, onError: () => {} });
  await ensureEventPartitions(pool, Date.now());
  await pool.end();
  return { dataDir, url };
}

/**
 * A streaming standby, made from a base backup as an operator makes it. `clearAway` stops and deletes it. The replay waits for reads
 * that are in its way, however slow the machine is, unless `maxHoldUp` says for how long.
 */
export async function startReplica(
  { dataDir: primaryDir }: TestPrimary,
  maxHoldUp = '-1',
): Promise<TestReplica> {
  const primary = await serverOf(primaryDir);
  const from = join(await makeFolder(), 'backups');
  const backup = await takeBackup({ dataDir: primaryDir, to: from });
  if (backup === undefined) throw new Error('another backup is being made');
  const dataDir = await makeFolder();
  const cluster = clusterPathIn(dataDir);
  const user = await chooseServerUser(cluster);
  const { signal } = new AbortController();
  await restoreFiles({ backup, from, to: cluster, user, signal, onProgress: () => {} });
  const standby = join(cluster, 'standby.signal');
  await writeFile(standby, '');
  if (user !== undefined) await chown(standby, user.uid, user.gid);
  await copyFile(join(primary.root, 'postgres-password'), join(dataDir, 'postgres-password'));
  const { socketDir, port, password } = primary.login;
  const settings = {
    primary_conninfo: `host=${socketDir} port=${port} user=postgres password=${password}`,
    hot_standby_feedback: 'on',
    max_standby_streaming_delay: maxHoldUp,
  };
  let server = await start(dataDir, [], settings);
  const onReplica = async <T extends object>(text: string): Promise<T | undefined> => {
    const { login } = await serverOf(dataDir);
    return withSuperuser(login, async (client) => (await client.query<T>(text)).rows[0]);
  };
  return {
    url: server.url,
    async pause() {
      await onReplica('select pg_wal_replay_pause()');
      const state = () => onReplica<{ state: string }>('select pg_get_wal_replay_pause_state() as state');
      await expect.poll(state).toEqual({ state: 'paused' });
    },
    async resume() {
      await onReplica('select pg_wal_replay_resume()');
    },
    stop: () => server.stop(),
    async start() {
      server = await start(dataDir, [], settings);
    },
  };
}

async function serverOf(dataDir: string) {
  const server = await findServer(dataDir);
  if (server === undefined) throw new Error('the server is not running');
  return server;
}
