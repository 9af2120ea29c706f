import { execFile } from 'node:child_process';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/service.js';
import { postgresAccount } from './debian-postgres.js';

const run = promisify(execFile);
const STANZA = 'savepoint';
/** An operator lets a minute pass. The trial waits for each segment. */
const ARCHIVE_TIMEOUT_SECONDS = 5;

export type Repository = Readonly<{
  /** Writes the configuration for a cluster. Returns the settings with which PostgreSQL archives its log. */
  configure(cluster: string, port: number): Promise<readonly string[]>;
  /** Runs pgBackRest as the user of the cluster. */
  pgBackRest(...args: string[]): Promise<void>;
  /** Deletes the cluster, and puts its files back so that PostgreSQL recovers to the moment. */
  restore(cluster: string, moment: Date): Promise<void>;
}>;

/** The configuration of docs/production.md, in folders of this trial. */
export async function createRepository(): Promise<Repository> {
  await run('pgbackrest', ['version']).catch(() => {
    throw new Error('Not installed: pgbackrest. apt-get install pgbackrest');
  });
  const account = postgresAccount();
  const parent = await temporaryFolder();
  const own = async (path: string) => {
    if (account.uid !== undefined) await chown(path, account.uid, account.gid ?? 0);
  };
  await own(parent);
  const folder = join(parent, 'backups');
  await mkdir(folder);
  await own(folder);
  const config = join(parent, 'pgbackrest.conf');
  const options = [`--config=${config}`, `--stanza=${STANZA}`];
  const pgBackRest = async (...args: string[]): Promise<void> => {
    await run('pgbackrest', [...options, ...args], { ...account, cwd: parent });
  };
  return {
    pgBackRest,
    async restore(cluster, moment) {
      await rm(cluster, { recursive: true });
      await mkdir(cluster, { mode: 0o700 });
      await own(cluster);
      const target = moment.toISOString().replace('T', ' ').replace('Z', '+00');
      await pgBackRest('restore', '--type=time', `--target=${target}`, '--target-action=promote');
    },
    async configure(cluster, port) {
      const lines = [
        '[global]',
        `repo1-path=${folder}`,
        'repo1-retention-full=7',
        'start-fast=y',
        `log-path=${parent}`,
        `lock-path=${parent}`,
        `[${STANZA}]`,
        `pg1-path=${cluster}`,
        `pg1-port=${port}`,
        'pg1-user=postgres',
        `pg1-socket-path=${dirname(cluster)}`,
        '',
      ];
      await writeFile(config, lines.join('\n'));
      return [
        'archive_mode=on',
        `archive_command=pgbackrest ${options.join(' ')} archive-push %p`,
        `archive_timeout=${ARCHIVE_TIMEOUT_SECONDS}`,
      ];
    },
  };
}
