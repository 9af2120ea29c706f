import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { prepareInstallation } from '../../../src/app/bin/installation.js';
import { type Database, openDatabase } from '../../../src/platform/db/database.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import { findSchemaState } from '../../../src/platform/db/schema-state.js';
import { readSettings, type Settings } from '../../../src/platform/settings/settings.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.js';

const PATIENCE = { forMs: 60_000, pauseMs: 10 };

let testDatabase: TestDatabase;
let proxy: DatabaseProxy;
let database: Database;
let said: string[];
const say = (line: string) => void said.push(line);

beforeEach(async () => {
  testDatabase = await createTestDatabase({ template: 'empty' });
  proxy = await startDatabaseProxy(testDatabase.url);
  database = await openDatabase(settings(), () => {});
  said = [];
});

afterEach(async () => {
  await database.close();
  await proxy.close();
  await testDatabase.drop();
});

function settings(): Settings {
  const read = readSettings(
    {
      SAVEPOINT_ENV: 'development',
      SAVEPOINT_MASTER_KEY: randomBytes(32).toString('base64'),
      DATABASE_URL: proxy.url,
      // A busy machine must not seem to be a database that went away.
      SAVEPOINT_DB_TIMEOUT_MS: '60000',
      // None was ever erased here, whatever other tests leave in the data folder.
      SAVEPOINT_ERASED_LIST: join(tmpdir(), `savepoint-${randomBytes(8).toString('hex')}`),
    },
    { tty: false },
  );
  if (!read.ok) throw new Error(read.problems.join(' '));
  return read.settings;
}

it('prepares the database although the connection breaks in the first migration', async () => {
  const broken = proxy.cutAtNextCommit('before');
  const { masterKeys } = await prepareInstallation(settings(), database, say, PATIENCE);
  await broken;
  expect(masterKeys).toBeDefined();
  expect(said.filter((line) => line.startsWith('The database went away'))).toHaveLength(1);
  const { applied, known } = await findSchemaState(database.pool);
  expect(applied).toBe(known);
});

it('waits for a database that goes away and comes back', async () => {
  const broken = proxy.cutAtNextCommit('after');
  const prepared = prepareInstallation(settings(), database, say, PATIENCE);
  await broken;
  await proxy.cut();
  await expect.poll(() => said.join('\n'), { timeout: 120_000 }).toContain('The database went away');
  await proxy.restore();
  await prepared;
  const { applied, known } = await findSchemaState(database.pool);
  expect(applied).toBe(known);
});

it('says so in a sentence when the database stays away', async () => {
  const broken = proxy.cutAtNextCommit('before').then(() => proxy.cut());
  const prepared = prepareInstallation(settings(), database, say, { ...PATIENCE, forMs: 200 });
  await expect(prepared).rejects.toThrow(
    /^The database went away while Savepoint was starting: .+ Look into its log/,
  );
  await broken;
});

it('does not wait for a database that was never there', async () => {
  await proxy.cut();
  await expect(prepareInstallation(settings(), database, say, PATIENCE)).rejects.toThrow(
    /^The database cannot be reached/,
  );
  expect(said).toEqual([]);
});

it('does not wait for a disk that is full', async () => {
  await migrate(testDatabase.url, () => {});
  await database.pool.query(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise 'No space left on device' using errcode = 'disk_full'; end $$;
    create trigger refuse before insert on signing_keys for each row execute function refuse()`);
  await expect(prepareInstallation(settings(), database, say, PATIENCE)).rejects.toThrow('No space left');
  expect(said).toEqual([]);
});

it('stops waiting when it is asked to', async () => {
  const controller = new AbortController();
  const broken = proxy.cutAtNextCommit('before').then(() => proxy.cut());
  const prepared = prepareInstallation(settings(), database, say, { ...PATIENCE, signal: controller.signal });
  prepared.catch(() => {});
  await broken;
  await expect.poll(() => said.join('\n'), { timeout: 120_000 }).toContain('The database went away');
  controller.abort();
  await expect(prepared).rejects.toThrow(/^The database went away while Savepoint was starting/);
});
