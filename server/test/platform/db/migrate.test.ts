import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LockRetries } from '../../../src/platform/db/apply-migration.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import { listMigrations, type Migration } from '../../../src/platform/db/migration-files.js';
import { createPool } from '../../../src/platform/db/pool.js';
import { isMigrated } from '../../../src/platform/db/schema-state.js';
import { StartupError } from '../../../src/platform/lib/startup-error.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

/** As long as it takes, in short steps. */
const ENDLESS: LockRetries = { lockTimeoutMs: 100, pauseMs: 50, attempts: 1_000_000 };
const COLUMN = migration(9_001, '9001_new_column.sql', 'alter table players add column newcomer boolean');
const INDEX = migration(
  9_002,
  '9002_players_created_concurrently.sql',
  '-- while others write\ncreate index concurrently players_created on players (created_at);\n',
);

function migration(version: number, name: string, sql: string): Migration {
  return { version, name, sql };
}

describe('a migration', () => {
  let database: TestDatabase;
  let known: Migration[];
  const clients: pg.Client[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    known = await listMigrations();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
    await database.drop();
  });

  const connect = async () => {
    const client = new pg.Client({ connectionString: database.url, application_name: 'a long report' });
    await client.connect();
    clients.push(client);
    return client;
  };
  /** A transaction that has read and written players, and is left open. */
  const holdPlayers = async () => {
    const holder = await connect();
    await holder.query('begin');
    await insertPlayer(holder);
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    return { pid: rows[0]?.pid ?? 0, release: () => holder.query('commit') };
  };
  const run = (migrations: readonly Migration[], lockRetries: LockRetries = ENDLESS) => {
    const lines: string[] = [];
    const applied = migrate(database.url, (line) => lines.push(line), {
      migrations: [...known, ...migrations],
      lockRetries,
    });
    applied.catch(() => {});
    return { applied, lines };
  };
  const isValid = async (index: string) => {
    const { rows } = await (await connect()).query<{ isValid: boolean }>(
      'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
      [index],
    );
    return rows[0]?.isValid;
  };

  it('waits for a session that holds a lock, names it, and lets others write meanwhile', async () => {
    const holder = await holdPlayers();
    const { applied, lines } = run([COLUMN]);
    await vi.waitFor(() => expect(lines.join('\n')).toContain(`session ${holder.pid} ("a long report"`), {
      timeout: 120_000,
    });
    const writer = await connect();
    for (let n = 0; n < 10; n++) await insertPlayer(writer);
    await holder.release();
    expect(await applied).toEqual([COLUMN.name]);
    expect((await writer.query('select newcomer from players')).rowCount).toBe(11);
  });

  it('gives up in the end, with nothing changed and a sentence that says what to do', async () => {
    const holder = await holdPlayers();
    // Each wait is long enough for a look at who holds the lock, also on a busy machine.
    const lockRetries = { lockTimeoutMs: 1_000, pauseMs: 10, attempts: 2 };
    const error = await run([COLUMN], lockRetries).applied.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartupError);
    expect((error as Error).message).toMatch(
      new RegExp(
        `${COLUMN.name} did not get a lock in 2 attempts.*session ${holder.pid} \\("a long report", idle in transaction, transaction since .* UTC.*pg_terminate_backend\\(${holder.pid}\\).*Nothing was changed`,
      ),
    );
    await holder.release();
    expect(await run([COLUMN]).applied).toEqual([COLUMN.name]);
  });

  it('makes an index while others write', async () => {
    const holder = await holdPlayers();
    const { applied, lines } = run([INDEX]);
    await vi.waitFor(() => expect(lines.join('\n')).toContain(`waits for session ${holder.pid}`), {
      timeout: 120_000,
    });
    const writer = await connect();
    for (let n = 0; n < 10; n++) await insertPlayer(writer);
    await holder.release();
    expect(await applied).toEqual([INDEX.name]);
    expect(await isValid('players_created')).toBe(true);
  });

  it('creates an index again that an interrupted attempt has left unfinished', async () => {
    const holder = await holdPlayers();
    const lockRetries = { lockTimeoutMs: 50, pauseMs: 10, attempts: 2 };
    const error = await run([INDEX], lockRetries).applied.catch((reason: unknown) => reason);
    expect((error as Error).message).toMatch(
      new RegExp(`could not make index players_created.*session ${holder.pid}.*pg_terminate_backend`),
    );
    expect(await isValid('players_created')).toBe(false);
    await holder.release();
    const { applied, lines } = run([INDEX]);
    expect(await applied).toEqual([INDEX.name]);
    expect(lines.join('\n')).toContain('left unfinished');
    expect(await isValid('players_created')).toBe(true);
  });

  it('goes on after an index that was finished before the attempt was cut off', async () => {
    await (await connect()).query('create index players_created on players (created_at)');
    expect(await run([INDEX]).applied).toEqual([INDEX.name]);
  });

  it('is applied by one of many nodes that start together', async () => {
    const dropped = migration(
      9_003,
      '9003_unused_concurrently.sql',
      'drop index concurrently if exists players_created;',
    );
    const nodes = Array.from({ length: 5 }, () => run([COLUMN, INDEX, dropped]).applied);
    const applied = (await Promise.all(nodes)).filter((names) => names.length > 0);
    expect(applied).toEqual([[COLUMN.name, INDEX.name, dropped.name]]);
    expect(await isValid('players_created')).toBeUndefined();
  });

  it('waits for another node for a bounded time, and names its session', async () => {
    const other = await connect();
    await other.query('select pg_advisory_lock(32477501386255476)');
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    const lines: string[] = [];
    const turnWait = { pauseMs: 10, forMs: 50 };
    await expect(migrate(database.url, (line) => lines.push(line), { turnWait })).rejects.toThrow(
      new RegExp(`Another node has been migrating.*session ${rows[0]?.pid} \\("a long report".*pg_terminate`),
    );
    expect(lines.join('\n')).toContain(`session ${rows[0]?.pid} ("a long report"`);
  });

  it('that comes late under a lower number is refused, not skipped', async () => {
    await run([INDEX]).applied;
    await expect(run([COLUMN, INDEX]).applied).rejects.toThrow(
      `Migration ${COLUMN.name} of this build was not applied, but the database is already at version 9002`,
    );
  });
});

describe('a database', () => {
  it('that is empty is prepared in one line, and one that is upgraded names each migration', async () => {
    const database = await createTestDatabase({ template: 'empty' });
    const lines: string[] = [];
    const migrations = [
      migration(1, '0001_a.sql', 'create table a ()'),
      migration(2, '0002_b.sql', 'create table b ()'),
    ];
    const say = (line: string) => lines.push(line);
    try {
      await migrate(database.url, say, { migrations });
      await migrate(database.url, say, {
        migrations: [...migrations, migration(3, '0003_c.sql', 'create table c ()')],
      });
    } finally {
      await database.drop();
    }
    expect(lines).toEqual(['Creating the tables (2 migrations)…', 'Applying migration 0003_c.sql…']);
  });

  it('of a build before 1.0 is refused with a sentence, and left as it is', async () => {
    const database = await createTestDatabase({ template: 'empty' });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(
        'create table schema_migrations (version integer primary key, name text not null, applied_at timestamptz default now())',
      );
      await client.query(
        "insert into schema_migrations (version, name) values (1, '0001_service.sql'), (31, '0031_jobs.sql')",
      );
      await expect(migrate(database.url, () => {})).rejects.toThrow(
        /^The database has migration 0001_service\.sql, .* a build before 1\.0, .* cannot be upgraded\. Use an empty database/,
      );
      const pool = createPool({ url: database.url, size: 1, timeoutMs: 60_000, onError: () => {} });
      expect(await isMigrated(pool).finally(() => pool.end())).toBe(false);
      const { rows } = await client.query("select relname from pg_class where relname = 'players'");
      expect(rows).toEqual([]);
    } finally {
      await client.end();
      await database.drop();
    }
  });

  it('whose schema the role may not create tables in is refused with a sentence that says what to grant', async () => {
    const database = await createTestDatabase({ template: 'empty' });
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    try {
      await owner.query('revoke create on schema public from pg_database_owner');
      await expect(migrate(database.url, () => {})).rejects.toThrow(
        /^Role ".+" may not create tables in schema "public"\. .* grant create on schema "public" to/,
      );
      await owner.query('drop schema public');
      await expect(migrate(database.url, () => {})).rejects.toThrow(/^No schema on the search path exists/);
    } finally {
      await owner.end();
      await database.drop();
    }
  });

  it('of a newer build is refused with a sentence', async () => {
    const database = await createTestDatabase();
    const known = await listMigrations();
    try {
      await migrate(database.url, () => {}, { migrations: [...known, COLUMN] });
      await expect(migrate(database.url, () => {})).rejects.toThrow(
        /^The database is at schema version 9001, but this build knows only up to \d+\./,
      );
    } finally {
      await database.drop();
    }
  });
});

async function insertPlayer(client: pg.Client): Promise<void> {
  await client.query(
    'insert into players (game_id, user_id, created_at) values (1, gen_random_uuid(), now())',
  );
}
