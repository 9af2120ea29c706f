/** @module-tag full */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import { createPool } from '../../../src/platform/db/pool.js';
import { grantToServiceRole } from '../../../src/platform/db/service-role.js';
import { listBackups } from '../../../src/platform/embedded-postgres/backup/backup-folder.js';
import { takeBackup } from '../../../src/platform/embedded-postgres/backup/take-backup.js';
import { createTestDatabase } from '../../support/database.js';
import { contentsOf, killedUpgrade, makeDatabase, upgrade } from '../../support/major-upgrade.js';
import { clearAway, leftovers, makeFolder, query, start } from '../../support/postgres-folders.js';

afterEach(clearAway);

const STRUCTURE = `
  select relname as name, pg_get_expr(relpartbound, oid) as bound, pg_get_userbyid(relowner) as owner, array(select acl::text from unnest(relacl) acl order by 1) as rights,
    array(select regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \\S+ ON', 'INDEX ON') from pg_index where indrelid = c.oid order by 1) as indexes,
    array(select pg_get_triggerdef(oid) from pg_trigger where tgrelid = c.oid and not tgisinternal and tgname <> 'note_change') as triggers,
    array(select format('%s %s %s %s', attname, atttypid::regtype, attnotnull, attstattarget) from pg_attribute
          where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
    array(select pg_get_constraintdef(oid) from pg_constraint where conrelid = c.oid order by 1) as constraints
  from pg_class c
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'S') and relname !~ '_compact$'
  order by relname`;

/** What only running services and operators make. */
async function addRunningState(url: string): Promise<void> {
  const day = "'2026-11-10'";
  // Which the fixture leaves out.
  await query(url, 'alter table event_blocks alter column events set statistics 0');
  await query(url, 'alter table event_identities alter column identities set statistics 0');
  await query(
    url,
    "select attach_partition('event_blocks', 'event_blocks_20261110', 'received_at', '2026-11-10T00:00:00Z', '2026-11-11T00:00:00Z')",
  );
  await query(
    url,
    `insert into event_blocks_20261110 (player_id, received_at, game_id, event_count, first_at, last_at, install_id, events)
     select n, '2026-11-10T12:00:00Z', 1, 1, '2026-11-10T12:00:00Z', '2026-11-10T12:00:00Z', 'ünïcode "' || n,
       jsonb_build_array(jsonb_build_array('Big', n, repeat(md5(n::text), case n when 7 then 20000 else 20 end)))
     from generate_series(1, 3000) n`,
  );
  await query(url, `select watch_event_day(${day})`);
  // Two transactions: each leaves a row with its number.
  for (const player of [1, 2])
    await query(url, `delete from event_blocks_20261110 where player_id = ${player}`);
  await query(url, `select begin_day_rewrite(${day})`);
  await query(
    url,
    `insert into event_block_days (day, state, waits_for) values (${day}, 'rewriting', 'lock'), ('2026-11-09', 'compacted', null)`,
  );
  await query(url, 'delete from event_blocks_20261110 where player_id = 3');
}

test('copies everything, keeps the old database, and gives the backups a folder of their own', async () => {
  const [dataDir, backups] = [await makeDatabase(), join(await makeFolder(), 'backups')];
  const old = await start(dataDir);
  await migrate(old.url, () => {});
  await addRunningState(old.url);
  const superuser = old.url.replace('//savepoint:', '//postgres:');
  await query(superuser, "create role reader login password 'secret'");
  const pool = createPool({
    url: old.url,
    size: 1,
    timeoutMs: 60_000,
    onError: () => {},
    lookUps: 'planned each time',
  });
  await grantToServiceRole(pool, 'reader').finally(() => pool.end());
  await query(old.url, 'grant select (user_id) on players to reader');
  const backup = await takeBackup({ dataDir, to: backups });
  const before = await contentsOf(old.url);
  const structure = await query(old.url, STRUCTURE);
  const [password] = await query(superuser, "select rolpassword from pg_authid where rolname = 'reader'");
  const [ids] = await query(old.url, 'select last_value from event_block_ids');
  await old.stop();

  const besideUpgrade = old.url.replace('port=5432', 'port=5434');
  // A command that works beside the old server waits for the locks, and is refused when the server stops.
  let late: Promise<unknown> | undefined;
  const upgraded = await upgrade(dataDir, {
    backups,
    onProgress: () => {
      late ??= query(besideUpgrade, "update games set name = 'late'").then(
        () => 'changed',
        () => 'refused',
      );
    },
  });
  expect(await late).toBe('refused');
  expect(upgraded).toMatchObject({ tables: before.size - 1, from: expect.stringMatching(/^18/) });
  expect(await leftovers(dataDir)).toEqual([]);

  const newer = await start(dataDir);
  const after = await contentsOf(newer.url);
  // The numbers of transactions mean nothing to the new server, and a rewrite begins anew.
  for (const name of [
    'event_block_changes',
    'event_block_days',
    'event_file_changes',
    'event_blocks_20261110_compact',
  ]) {
    before.delete(name);
    after.delete(name);
  }
  expect(after).toEqual(before);
  expect(await query(newer.url, STRUCTURE)).toEqual(structure);
  expect(
    await query(newer.url, 'select day::text, state, waits_for from event_block_days order by 1'),
  ).toEqual([
    { day: '2026-11-09', state: 'compacted', waits_for: null },
    { day: '2026-11-10', state: 'deferred', waits_for: null },
  ]);
  expect(await query(newer.url, 'select day::text, changed_by, is_deletion from event_file_changes')).toEqual(
    [{ day: '2026-11-10', changed_by: '1', is_deletion: true }],
  );
  expect(await query(newer.url, 'select * from event_block_changes')).toEqual([]);
  expect(await query(superuser, "select rolpassword from pg_authid where rolname = 'reader'")).toEqual([
    password,
  ]);
  expect(await query(newer.url, 'select last_value from event_block_ids')).toEqual([ids]);
  // A watched day is still watched.
  await query(newer.url, 'delete from event_blocks_20261110 where player_id = 4');
  expect(await query(newer.url, 'select count(*)::int as n from event_file_changes')).toEqual([{ n: 2 }]);
  await query(newer.url, "delete from event_blocks where received_at < '2026-11-11'");
  const recounted = createPool({
    url: newer.url,
    size: 1,
    timeoutMs: 60_000,
    onError: () => {},
    lookUps: 'planned each time',
  });
  const { differences, events } = await recountGame(recounted, 1).finally(() => recounted.end());
  expect({ differences, hasEvents: events > 0 }).toEqual({ differences: [], hasEvents: true });

  // The same folder takes the backups of the new database, and the others are beside them.
  const aside = upgraded?.backups ?? '';
  expect(dirname(aside)).toBe(backups);
  expect((await listBackups(aside)).map(({ name }) => name)).toEqual([backup?.name]);
  expect(await listBackups(backups)).toEqual([]);
  const made = await takeBackup({ dataDir, to: backups });
  expect((await listBackups(backups)).map(({ name }) => name)).toEqual([made?.name]);
  await newer.stop();

  expect(await readFile(join(upgraded?.kept ?? '', 'PG_VERSION'), 'utf8')).toBe('18\n');
});

test('after a kill at any step the old database is whole, or the new one is put in its place', async () => {
  const dataDir = await makeDatabase('a folder with blanks');
  const contents = async () => {
    const { url, stop } = await start(dataDir);
    return contentsOf(url).finally(stop);
  };
  const before = await contents();
  // Both servers are left running, the old one with locks and a statement.
  await killedUpgrade(dataDir, 'copying');
  expect(await leftovers(dataDir)).toHaveLength(1);
  // A service does not go on with the old one, which reads without autovacuum.
  const server = await start(dataDir);
  expect(server.adopted).toBe(false);
  expect(await query(server.url, 'show autovacuum')).toEqual([{ autovacuum: 'on' }]);
  await server.stop();
  expect(await leftovers(dataDir)).toEqual([]);
  await killedUpgrade(dataDir, 'copying');
  await killedUpgrade(dataDir, 'announced');
  expect(await contents()).toEqual(before);
  await killedUpgrade(dataDir, 'aside');
  expect(await readdir(dataDir)).not.toContain('postgres');
  expect(await contents()).toEqual(before);
  const names = (await readdir(dataDir)).filter((name) => /^postgres(\.(of|upgraded|init)|$)/.test(name));
  expect(names).toEqual(['postgres', expect.stringContaining('postgres.of-postgres-18-')]);
});

test('columns that hold what only one server understands are known', async () => {
  const database = await createTestDatabase();
  const rows = await query(
    database.url,
    `select format('%s.%s', attrelid::regclass, attname) as name
     from pg_attribute join pg_class c on c.oid = attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and attnum > 0
       and format_type(atttypid, null) ~ '^(xid8?|oid|tid|cid|pg_lsn|pg_snapshot|txid_snapshot|reg.*)$'
     order by 1`,
  );
  await database.drop();
  // READ_OTHERWISE says what becomes of them.
  expect(rows).toEqual([
    { name: 'event_block_changes.changed_by' },
    { name: 'event_file_changes.changed_by' },
  ]);
});
