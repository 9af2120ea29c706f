import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { StartupError } from '../lib/startup-error.js';
import type { Pool } from './pool.js';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
// Any fixed number: it only has to be the same on every node ("savepnt" in ASCII).
const MIGRATION_LOCK = '32477501386255476';

export type Migration = Readonly<{ version: number; name: string; sql: string }>;

async function listMigrations(): Promise<Migration[]> {
  const files = (await readdir(MIGRATIONS)).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => ({
      version: Number(file.slice(0, 4)),
      name: file,
      sql: await readFile(new URL(file, MIGRATIONS), 'utf8'),
    })),
  );
}

/**
 * Brings the database to this build's schema, one transaction a migration. Safe to run on many nodes at once: an
 * advisory lock lets one work while the others wait. Returns the names applied.
 */
export async function migrate(databaseUrl: string, say: (line: string) => void): Promise<string[]> {
  const migrations = await listMigrations();
  // A connection of its own: a migration may take longer than a request may, and closing it gives back the lock.
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect().catch((error: Error) => {
    throw new StartupError(`The database cannot be reached: ${error.message}. Check DATABASE_URL.`);
  });
  try {
    await checkServerVersion(client);
    await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
    await client.query(`create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`);
    const applied = await currentVersion(client);
    refuseNewerSchema(applied, migrations);
    const names: string[] = [];
    for (const migration of migrations.filter(({ version }) => version > applied)) {
      say(`Applying migration ${migration.name}…`);
      await applyMigration(client, migration);
      names.push(migration.name);
    }
    return names;
  } finally {
    await client.end();
  }
}

/** Which version the database is at, undefined for none at all, and the newest that this build knows. */
export type SchemaState = Readonly<{ applied: number | undefined; known: number }>;

export async function findSchemaState(pool: Pool): Promise<SchemaState> {
  const known = (await listMigrations()).at(-1)?.version ?? 0;
  const { rows } = await pool.query<{ isThere: boolean }>(
    `select to_regclass('schema_migrations') is not null as "isThere"`,
  );
  if (rows[0]?.isThere !== true) return { applied: undefined, known };
  const { rows: versions } = await pool.query<{ version: number | null }>(
    'select max(version) as version from schema_migrations',
  );
  return { applied: versions[0]?.version ?? undefined, known };
}

/** Whether this build can run on the database as it is. */
export async function isMigrated(pool: Pool): Promise<boolean> {
  const { applied = 0, known } = await findSchemaState(pool);
  return applied >= known;
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into schema_migrations (version, name) values ($1, $2)', [
      migration.version,
      migration.name,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw new StartupError(
      `Migration ${migration.name} failed and was rolled back: ${(error as Error).message}`,
    );
  }
}

async function currentVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ version: number | null }>(
    'select max(version) as version from schema_migrations',
  );
  return rows[0]?.version ?? 0;
}

function refuseNewerSchema(applied: number, migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  if (applied > newest) {
    throw new StartupError(
      `The database is at schema version ${applied}, but this build knows only up to ${newest}. Start a newer build; schemas never go back.`,
    );
  }
}

async function checkServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ v: string }>("select current_setting('server_version_num') as v");
  const version = Number(rows[0]?.v ?? 0);
  if (version < 150_000) {
    throw new StartupError(
      `Savepoint needs PostgreSQL 15 or newer; the server of DATABASE_URL is version ${Math.floor(version / 10_000)}.`,
    );
  }
}
