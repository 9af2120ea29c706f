import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type UpgradeStep, upgradeCluster } from '../../src/operations/major-upgrade/upgrade-cluster.js';
import { children, makePreparedFolder, query } from './postgres-folders.js';

export const FIXTURE = new URL('../fixtures/database-1.0.sql', import.meta.url);
/** The programs of this build: there are no others in the suite. `npm run operations -- upgrade` has those of an older version. */
export const OWN_PROGRAMS = fileURLToPath(new URL('../../..', import.meta.url));
export const SETTINGS = { shared_buffers: '16MB', min_wal_size: '32MB', max_wal_size: '64MB' };

export type UpgradeOptions = Partial<
  Pick<Parameters<typeof upgradeCluster>[0], 'backups' | 'onStep' | 'signal' | 'onProgress'>
>;

/** In this process, with the same version on both sides. */
export function upgrade(dataDir: string, options: UpgradeOptions = {}) {
  return upgradeCluster({
    dataDir,
    fromBinaries: OWN_PROGRAMS,
    backups: undefined,
    signal: new AbortController().signal,
    say: () => {},
    onProgress: () => {},
    settings: SETTINGS,
    takesSameMajor: true,
    ...options,
  });
}

/** Where an upgrade is killed: while it copies, with both servers up and all locks held, or at a step of the swap. */
export type KilledAt = 'copying' | Exclude<UpgradeStep, 'copied'>;

/** In a process of its own, which kills itself (`kill -9`). It runs what `npm test` has built. */
export async function killedUpgrade(dataDir: string, at: KilledAt): Promise<void> {
  const script = `
    const [module, options, at] = process.argv.slice(1);
    const { upgradeCluster } = await import(module);
    const reach = (step) => step === at && process.kill(process.pid, 'SIGKILL');
    await upgradeCluster({
      ...JSON.parse(options), takesSameMajor: true, signal: new AbortController().signal, say: () => {},
      onProgress: ({ step }) => reach(step), onStep: async (step) => reach(step),
    });`;
  const module = new URL('../../dist/operations/major-upgrade/upgrade-cluster.js', import.meta.url).href;
  const options = { dataDir, fromBinaries: OWN_PROGRAMS, settings: SETTINGS };
  const args = ['--input-type=module', '-e', script, module, JSON.stringify(options), at];
  const child = spawn(process.execPath, args, { cwd: OWN_PROGRAMS, stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  const [, signal] = await once(child, 'exit');
  if (signal !== 'SIGKILL') throw new Error(`the upgrade ended before it was killed at "${at}"`);
}

/** A data folder with the database of 1.0. */
export function makeDatabase(name = ''): Promise<string> {
  return makePreparedFolder({ name, sql: FIXTURE });
}

/** Number and digest of the rows of each table, as text. */
export async function contentsOf(url: string): Promise<Map<string, string>> {
  const [found] = (await query(
    url,
    `select string_agg(format(
       'select %L as name, count(*) || '' '' || coalesce(md5(string_agg(t::text, chr(10) order by t::text)), '''') as content from %I t', relname, relname
     ), ' union all ') as sql from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )) as { sql: string }[];
  const rows = (await query(url, found?.sql ?? '')) as { name: string; content: string }[];
  return new Map(rows.map(({ name, content }) => [name, content]));
}
