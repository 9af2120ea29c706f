import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export type TestDatabase = { url: string; drop(): Promise<void> };

const TEMPLATES = { empty: 'template0', migrated: 'template_savepoint', demo: 'template_demo' } as const;

/** A database of its own, cloned from a template; `demo` has the demo studio, sealed with `demoMasterKey` (global-setup.ts). */
export async function createTestDatabase({
  template = 'migrated',
}: {
  template?: keyof typeof TEMPLATES;
} = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const serverUrl = inject('databaseUrl');
  await onServer(serverUrl, async (client) => {
    // PostgreSQL clones a template for one at a time.
    await client.query("select pg_advisory_lock(hashtext('clone the template'))");
    // Copied as files: an eighth of the time that it takes through the log.
    await client.query(`create database ${name} template ${TEMPLATES[template]} strategy file_copy`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => onServer(serverUrl, (client) => dropDatabase(client, name)),
  };
}

/**
 * Not `with (force)`: that is refused to a role which is no superuser while autovacuum works in the database.
 * A plain drop sends autovacuum away by itself, and waits for those whom the second statement sends away.
 */
async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  await client.query(`alter database ${name} allow_connections false`);
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = current_user',
    [name],
  );
  await client.query(`drop database ${name}`);
}

async function onServer(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
