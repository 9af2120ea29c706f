import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyRows } from '../../../src/operations/major-upgrade/copy-rows.js';
import { beginLocked } from '../../../src/operations/major-upgrade/old-tables.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
const clients: pg.Client[] = [];

beforeEach(async () => {
  database = await createTestDatabase({ template: 'empty' });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
  await database.drop();
});

async function connect(): Promise<pg.Client & { pid: number }> {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => {});
  clients.push(client);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return Object.assign(client, { pid: rows[0]?.pid ?? 0 });
}

const isWaiting = async (watcher: pg.Client, pid: number, event: string): Promise<boolean> =>
  (await watcher.query('select from pg_stat_activity where pid = $1 and wait_event_type = $2', [pid, event]))
    .rowCount === 1;

test('what a session commits while the locks wait for it is in the snapshot', async () => {
  const [old, watcher, writer] = [await connect(), await connect(), await connect()];
  await writer.query('create table notes (text text)');
  await writer.query('begin');
  await writer.query("insert into notes values ('acknowledged')");
  const begun = beginLocked(old, watcher);
  await expect.poll(() => isWaiting(writer, old.pid, 'Lock')).toBe(true);
  await writer.query('commit');
  await begun;
  expect((await old.query('select text from notes')).rows).toEqual([{ text: 'acknowledged' }]);
});

test('a session that keeps its locks is named, and is not waited for without end', async () => {
  const [old, watcher, writer] = [await connect(), await connect(), await connect()];
  await writer.query('create table notes (text text)');
  await writer.query("begin; insert into notes values ('not committed')");
  const named = `Let it finish or end it with pg_terminate_backend(${writer.pid}), then try again. Nothing was changed.`;
  let refusal = '';
  // On a busy machine a short time may be over before anybody has looked whose locks they are.
  for (const timeoutMs of [500, 5_000, 60_000]) {
    if (refusal.includes(named)) break;
    refusal = await beginLocked(old, watcher, timeoutMs).then(
      () => 'it did not wait',
      ({ message }: Error) => message,
    );
    await old.query('rollback');
  }
  expect(refusal).toContain(named);
});

test('a copy that cannot be begun fails', async () => {
  const [from, to] = [await connect(), await connect()];
  await to.end();
  const copy = copyRows(
    from,
    to,
    { readSql: 'copy (select 1) to stdout (format binary)', writeSql: 'copy none from stdin' },
    () => {},
  );
  await expect(copy).rejects.toThrow('Client was closed');
});
