import { rm } from 'node:fs/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.js';
import { migrate } from '../../src/db/migrate.js';
import { createPool } from '../../src/db/pool.js';
import { ensureEventPartitions } from '../../src/features/events/storage/event-partitions.js';
import { clearMemory, makeClusterFolder } from './cluster-folder.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL of this run; its database `template_savepoint` is migrated and cloned by each test file. */
    databaseUrl: string;
    /** When the partitions of the template were made. A run may last past midnight. */
    partitionsMadeAtMs: number;
  }
}

/** One real PostgreSQL for the whole run. Without fsync: no test here cuts the power, those in e2e start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await clearMemory();
  const dataDir = await makeClusterFolder();
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
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('create database template_savepoint');
  await client.end();

  const templateUrl = withDatabase(server.url, 'template_savepoint');
  await migrate(templateUrl, () => {});
  const pool = createPool({ url: templateUrl, size: 2, timeoutMs: 60_000, onError: () => {} });
  const partitionsMadeAtMs = Date.now();
  await ensureEventPartitions(pool, partitionsMadeAtMs);
  await pool.end();

  project.provide('partitionsMadeAtMs', partitionsMadeAtMs);
  project.provide('databaseUrl', server.url);
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
