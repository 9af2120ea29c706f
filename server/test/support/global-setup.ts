import { rm } from 'node:fs/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { seedDemoStudio } from '../../src/app/demo-studio.js';
import { ensureEventPartitions } from '../../src/core/events/storage/event-partitions.js';
import { migrate } from '../../src/platform/db/migrate.js';
import { createPool } from '../../src/platform/db/pool.js';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.js';
import { generateMasterKey, parseMasterKeys } from '../../src/platform/security/master-keys.js';
import { ensureSigningKey } from '../../src/studio/sessions/signing-key-changes.js';
import { clearMemory, makeClusterFolder } from './cluster-folder.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL of this run; its database `template_savepoint` is migrated and cloned by each test file. */
    databaseUrl: string;
    /** For what tests copy (postgres-folders.ts). It is deleted here, because processes of tests are ended by a signal. */
    patternsDir: string;
    /** When the partitions of the template were made. A run may last past midnight. */
    partitionsMadeAtMs: number;
    /** What `template_demo` is sealed with: the migrated template, with a signing key and the demo studio. */
    demoMasterKey: string;
  }
}

/** One real PostgreSQL for the whole run. Without fsync: no test here cuts the power, those in e2e start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await clearMemory();
  const [dataDir, patternsDir] = [await makeClusterFolder(), await makeClusterFolder()];
  const server = await startEmbeddedPostgres({
    dataDir,
    say: () => {},
    settings: {
      fsync: 'off',
      full_page_writes: 'off',
      max_connections: '200',
      shared_buffers: '64MB',
      // The log is in memory, too.
      min_wal_size: '64MB',
      max_wal_size: '256MB',
    },
  });
  await runOn(server.url, 'create database template_savepoint');
  const templateUrl = withDatabase(server.url, 'template_savepoint');
  await migrate(templateUrl, () => {});
  const pool = createPool({ url: templateUrl, size: 2, timeoutMs: 60_000, onError: () => {} });
  const partitionsMadeAtMs = Date.now();
  await ensureEventPartitions(pool, partitionsMadeAtMs);
  await pool.end();

  await runOn(server.url, 'create database template_demo template template_savepoint strategy file_copy');
  const demoMasterKey = await seedDemo(withDatabase(server.url, 'template_demo'), partitionsMadeAtMs);

  project.provide('patternsDir', patternsDir);
  project.provide('partitionsMadeAtMs', partitionsMadeAtMs);
  project.provide('demoMasterKey', demoMasterKey);
  project.provide('databaseUrl', server.url);
  return async () => {
    await server.stop();
    for (const folder of [dataDir, patternsDir]) await rm(folder, { recursive: true, force: true });
  };
}

async function seedDemo(url: string, nowMs: number): Promise<string> {
  const masterKey = generateMasterKey();
  const parsed = parseMasterKeys(masterKey);
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  const pool = createPool({ url, size: 1, timeoutMs: 60_000, onError: () => {} });
  await ensureSigningKey(pool, parsed.keys, nowMs);
  await seedDemoStudio(pool, parsed.keys, nowMs);
  await pool.end();
  return masterKey;
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
