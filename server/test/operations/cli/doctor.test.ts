import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { summaryOf } from '../../../src/app/cli/doctor-command.js';
import { checkSchema, examineDatabase } from '../../../src/operations/cli/doctor-database.js';
import { checkFreeSpace } from '../../../src/operations/cli/doctor-disk.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import { createPool } from '../../../src/platform/db/pool.js';
import { generateMasterKey } from '../../../src/platform/security/master-keys.js';
import { readSettings, type Settings } from '../../../src/platform/settings/settings.js';
import { ensureSigningKey } from '../../../src/studio/sessions/signing-key-changes.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { testMasterKeys } from '../../support/harness.js';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase({ template: 'empty' });
  folder = await mkdtemp(join(tmpdir(), 'savepoint-doctor-'));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

function configOf(env: Record<string, string>): Settings {
  // A busy machine must not decide a test.
  const patient = { SAVEPOINT_DB_TIMEOUT_MS: '60000' };
  const read = readSettings(
    { SAVEPOINT_ENV: 'development', SAVEPOINT_DATA_DIR: folder, ...patient, ...env },
    { tty: false },
  );
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.settings;
}

const examine = (env: Record<string, string> = {}) =>
  examineDatabase(configOf({ DATABASE_URL: database.url, ...env }));
const query = async (sql: string) => {
  const pool = createPool({ url: database.url, size: 1, timeoutMs: 60_000, onError: () => {} });
  await pool.query(sql).finally(() => pool.end());
};
const problemsIn = (findings: Awaited<ReturnType<typeof examine>>) =>
  findings.filter(({ problem }) => problem !== undefined).map(({ name, problem }) => `${name}: ${problem}`);

describe('doctor on a database', () => {
  it('that is not set up yet finds nothing wrong, and makes nothing', async () => {
    const fresh = await examineDatabase(configOf({ SAVEPOINT_DATA_DIR: join(folder, 'none') }));
    expect(fresh).toEqual([{ name: 'embedded PostgreSQL (made at the first start)' }]);

    const findings = await examine();
    // Tests run without fsync, which is a problem in any other database.
    expect(problemsIn(findings)).toEqual([expect.stringMatching(/^durability: /)]);
    expect(findings.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^database of DATABASE_URL, version \d/),
      'sessions',
      'rights of the role',
      'durability',
      'clock',
      'writing to the database',
      'schema (empty: made by savepoint start or savepoint migrate)',
      'master key (made at the first start)',
    ]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('names a schema that a newer build has migrated', async () => {
    await migrate(database.url, () => {});
    expect(problemsIn(await examine())).toHaveLength(1);
    await query("insert into schema_migrations (version, name) values (9000, 'from the future')");
    const findings = await examine();
    expect(findings).toContainEqual({
      name: 'schema',
      problem: expect.stringMatching(
        /^a newer build has migrated it: it is at version 9000, and this build knows only up to \d+$/,
      ),
      advice: 'Start that newer build; migrations cannot be undone.',
    });
    await query('delete from schema_migrations where version = 9000');
  });

  it('tells a schema that is behind this build from one that another program has made', () => {
    expect(checkSchema({ applied: 2, known: 3, foreign: undefined, late: undefined }).problem).toBe(
      'it is at version 2, and this build needs 3',
    );
    expect(
      checkSchema({ applied: 31, known: 3, foreign: '0001_service.sql', late: undefined }).problem,
    ).toMatch(/^it has migration 0001_service\.sql, which this build does not have/);
    expect(checkSchema({ applied: 3, known: 3, foreign: undefined, late: undefined })).toEqual({
      name: 'schema, version 3',
    });
  });

  it('says which days wait to be compacted, and for what', async () => {
    const migrated = await createTestDatabase();
    const pool = createPool({ url: migrated.url, size: 1, timeoutMs: 60_000, onError: () => {} });
    await pool.query(
      `insert into event_block_days (day, state, waits_for, restarts, changed_at) values
         ('2026-11-01', 'rewriting', 'snapshot', 0, '2026-11-03T04:05:00Z'),
         ('2026-11-02', 'rewriting', null, 0, now()),
         ('2026-11-04', 'deferred', null, 3, '2026-11-07T08:09:00Z'),
         ('2026-11-05', 'deferred', null, 1, '2026-11-07T08:09:00Z'),
         ('2026-11-06', 'compacted', null, 4, '2026-11-07T08:09:00Z')`,
    );
    await pool.end();
    const found = await examine({ DATABASE_URL: migrated.url });
    await migrated.drop();
    const findings = found.filter(({ name }) => name.startsWith('compaction'));
    expect(findings).toEqual([
      {
        name: 'compaction of the events received on 2026-11-01',
        warning: 'not finished since 2026-11-03 04:05 UTC',
        advice: expect.stringMatching(/^A transaction that has been open for long .* Find it: select pid/),
      },
      {
        name: 'compaction of the events received on 2026-11-04',
        warning:
          'not finished since 2026-11-07 08:09 UTC, restarted 3 times because events of that day changed',
        advice: expect.stringMatching(/^Nothing is lost: /),
      },
    ]);
  });

  it('says that it can only be read', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await query(`alter database ${name} set default_transaction_read_only = on`);
    expect(problemsIn(await examine())).toContainEqual(
      'writing to the database: it can only be read: it is a standby, or default_transaction_read_only is on',
    );
    await query(`begin read write; alter database ${name} reset default_transaction_read_only; commit`);
  });

  it('says that the master key is gone, or another one', async () => {
    const pool = createPool({ url: database.url, size: 1, timeoutMs: 60_000, onError: () => {} });
    await ensureSigningKey(pool, testMasterKeys(), Date.now()).finally(() => pool.end());
    expect(problemsIn(await examine())).toContainEqual(
      expect.stringContaining(`master key: The file ${join(folder, 'master-key')} is missing or empty, and `),
    );
    expect(await readdir(folder)).toEqual([]);
    await writeFile(join(folder, 'master-key'), generateMasterKey());
    expect(problemsIn(await examine())).toContainEqual(
      expect.stringMatching(/^master key: Wrong master key: /),
    );
    expect(problemsIn(await examine({ SAVEPOINT_MASTER_KEY: generateMasterKey() }))).toContainEqual(
      expect.stringMatching(/^master key: Wrong master key: /),
    );
  });

  it('says that it does not respond', async () => {
    expect(await examine({ DATABASE_URL: 'postgres://127.0.0.1:1/none' })).toEqual([
      {
        name: 'database of DATABASE_URL',
        problem: 'connect ECONNREFUSED 127.0.0.1:1',
        advice: 'No server listens there. Start it, or check host and port in DATABASE_URL.',
      },
    ]);
  });
});

describe('doctor on a disk', () => {
  it('tells how much is free, also where the data folder is yet to be made', async () => {
    const { name } = await checkFreeSpace(configOf({ SAVEPOINT_DATA_DIR: join(folder, 'a', 'b') }));
    expect(name).toMatch(/^free space of the data folder: [\d.]+ [MG]B of [\d.]+ [MG]B$/);
  });

  it.skipIf(process.platform !== 'linux')('that is full says so', async () => {
    // A file system without room for anything.
    const full = { SAVEPOINT_DATA_DIR: '/proc/savepoint' };
    const problem = expect.stringMatching(/^less than 256 MB are left/);
    expect(await checkFreeSpace(configOf(full))).toMatchObject({ problem });
    expect(await checkFreeSpace(configOf({ ...full, DATABASE_URL: database.url }))).toMatchObject({
      problem,
    });
  });
});

it('doctor sums up what it found', () => {
  const warning = { name: 'a', warning: 'w' };
  expect(summaryOf([{ name: 'b' }])).toBe('All is well.');
  expect(summaryOf([{ name: 'b' }, warning])).toBe('No problems, 1 warning.');
  expect(summaryOf([warning, warning])).toBe('No problems, 2 warnings.');
  expect(summaryOf([warning, { name: 'c', problem: 'p' }])).toBe('1 of 2 checks found a problem.');
});
