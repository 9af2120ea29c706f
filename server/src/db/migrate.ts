import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../lib/startup-error.js';
import { applyMigration, LOCK_RETRIES, type LockRetries } from './apply-migration.js';
import { listMigrations, type Migration } from './migration-files.js';
import { trackConnection } from './open-connections.js';
import { compareMigrations, listApplied, refuseForeignSchema, refuseNewerSchema } from './schema-state.js';

// Any fixed number: it only has to be the same on every node ("savepnt" in ASCII).
const MIGRATION_LOCK = '32477501386255476';
const TURN_PAUSE_MS = 200;
const CONNECT_TIMEOUT_MS = 10_000;

export type MigrateOptions = {
  migrations?: readonly Migration[];
  lockRetries?: LockRetries;
  /** Ends a pause between two attempts. */
  signal?: AbortSignal | undefined;
};

/**
 * Brings the database to this build's schema, one transaction a migration, indexes of large tables while others write. Safe to
 * run on many nodes at once: one of them works while the others wait. Returns the names applied.
 */
export async function migrate(
  databaseUrl: string,
  say: (line: string) => void,
  { migrations, lockRetries = LOCK_RETRIES, signal }: MigrateOptions = {},
): Promise<string[]> {
  const known = migrations ?? (await listMigrations());
  // A connection of its own: a migration may take longer than a request may, and closing the connection releases the lock.
  const client = await connect(databaseUrl);
  try {
    await checkServerVersion(client);
    await takeTurn(client, say);
    await client.query(`create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`);
    const state = compareMigrations(await listApplied(client), known);
    refuseForeignSchema(state);
    refuseNewerSchema(state);
    const missing = known.filter(({ version }) => version > (state.applied ?? 0));
    if (missing.length === 0) return [];
    const watcher = await connect(databaseUrl);
    try {
      const pid = await findPid(client);
      for (const migration of missing) {
        say(`Applying migration ${migration.name}…`);
        await applyMigration({ client, pid, watcher, say, lockRetries, signal }, migration);
      }
    } finally {
      await watcher.end();
    }
    return missing.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** @throws StartupError that says why the database cannot be reached. */
export async function requireReachable(databaseUrl: string): Promise<void> {
  const client = await connect(databaseUrl);
  await client.end();
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'savepoint migrate',
    // Overrides the setting of the role: each migration decides how long it waits.
    options: '-c statement_timeout=0 -c lock_timeout=0',
  });
  // The running statement is rejected anyway; without a listener the event would end the process.
  client.on('error', () => {});
  await client.connect().catch((error: Error) => {
    throw new StartupError(`The database cannot be reached: ${error.message}. Check DATABASE_URL.`, {
      cause: error,
    });
  });
  trackConnection(client, databaseUrl);
  return client;
}

/**
 * Asks repeatedly rather than wait inside PostgreSQL. Creating an index waits for all running statements, also for one that
 * waits for this lock, which the node that creates the index holds.
 */
async function takeTurn(client: pg.Client, say: (line: string) => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { rows } = await client.query<{ isMine: boolean }>(
      `select pg_try_advisory_lock(${MIGRATION_LOCK}) as "isMine"`,
    );
    if (rows[0]?.isMine) return;
    if (attempt === 1) say('Another node is migrating the database. Waiting for it to finish…');
    await sleep(TURN_PAUSE_MS);
  }
}

async function findPid(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
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
