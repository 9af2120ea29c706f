import pg from 'pg';
import { StartupError } from '../lib/startup-error.js';
import { applyMigration, LOCK_RETRIES, type LockRetries } from './apply-migration.js';
import { listMigrations, type Migration } from './migration-files.js';
import { TURN_WAIT, type TurnWait, takeTurn } from './migration-turn.js';
import { trackConnection } from './open-connections.js';
import { refuseSharedSessions } from './pooler.js';
import { requireRightToCreate } from './right-to-create.js';
import {
  compareMigrations,
  listApplied,
  refuseForeignSchema,
  refuseLateMigrations,
  refuseNewerSchema,
} from './schema-state.js';
import { applySessionSettings } from './session-settings.js';
import { unreachable } from './unreachable.js';

const CONNECT_TIMEOUT_MS = 10_000;

export type MigrateOptions = {
  migrations?: readonly Migration[];
  lockRetries?: LockRetries;
  turnWait?: TurnWait;
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
  { migrations, lockRetries = LOCK_RETRIES, turnWait = TURN_WAIT, signal }: MigrateOptions = {},
): Promise<string[]> {
  const known = migrations ?? (await listMigrations());
  // A connection of its own: a migration may take longer than a request may, and closing the connection releases the lock.
  const client = await connect(databaseUrl);
  try {
    await checkServerVersion(client);
    await refuseSharedSessions(client, databaseUrl);
    await takeTurn(client, say, turnWait, signal);
    const state = compareMigrations(await listApplied(client), known);
    refuseForeignSchema(state);
    refuseNewerSchema(state);
    refuseLateMigrations(state);
    const missing = known.filter(({ version }) => version > (state.applied ?? 0));
    if (missing.length === 0) return [];
    await requireRightToCreate(client);
    await client.query(`create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`);
    const watcher = await connect(databaseUrl);
    try {
      const pid = await findPid(client);
      // The migrations of an empty database take no time, and their names tell a newcomer nothing.
      const isEmpty = state.applied === undefined;
      if (isEmpty) say(`Creating the tables (${missing.length} migrations)…`);
      for (const migration of missing) {
        if (!isEmpty) say(`Applying migration ${migration.name}…`);
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
  });
  // The running statement is rejected anyway; without a listener the event would end the process.
  client.on('error', () => {});
  await client.connect().catch((error: Error) => {
    throw unreachable(error, databaseUrl);
  });
  trackConnection(client, databaseUrl);
  // Overrides the setting of the role: each migration decides how long it waits.
  await applySessionSettings(client, { statement_timeout: 0, lock_timeout: 0 });
  return client;
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
