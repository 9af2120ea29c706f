import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  dropOldIdentities,
  ensureEventPartitions,
  listEventPartitions,
} from '../../../src/core/events/storage/event-partitions.js';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { examineDatabase } from '../../../src/operations/cli/doctor-database.js';
import { compactEvents } from '../../../src/operations/event-storage/compact-events.js';
import { runRetention } from '../../../src/operations/lifecycle/retention.js';
import { updateRetentionDays } from '../../../src/platform/admin-api/tenants.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import { listMigrations } from '../../../src/platform/db/migration-files.js';
import { createPool, type Pool } from '../../../src/platform/db/pool.js';
import { grantToServiceRole } from '../../../src/platform/db/service-role.js';
import { DAY, fillClosedDay, NOW, SMALL_SCALE } from '../../support/closed-day.js';
import { runCommand } from '../../support/command.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { createGameWorld, DAY_MS, type GameWorld } from '../../support/game-world.js';
import { NO_TIMEOUT_MS, testActor, testSettings } from '../../support/harness.js';
import { createTestRole, type TestRole } from '../../support/service-role.js';

describe('a role that may only read and write rows', () => {
  let database: TestDatabase;
  let role: TestRole;
  /** With the connections of that role. */
  let world: GameWorld;
  let owner: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    role = await createTestRole(database.url);
    owner = createPool({ url: database.url, size: 2, timeoutMs: NO_TIMEOUT_MS, onError: () => {} });
    const granted = await runCommand(database.url, 'migrate', '--grant-to', role.name);
    expect(granted.out).toContain(`Role "${role.name}" may serve players.`);
    world = await createGameWorld(4, { url: role.url, drop: dropAfterConnections });
  });
  const dropAfterConnections = async () => {
    await role.endConnections();
    await database.drop();
  };
  afterAll(async () => {
    await owner.end();
    await world.close();
    await role.drop();
  });
  const refusal = (sql: string) =>
    world.pool.query(sql).then(
      () => 'done',
      ({ code }) => code,
    );

  it('starts on a migrated database, and changes nothing but rows', async () => {
    expect(await migrate(role.url, () => {})).toEqual([]);
    const MAY_NOT = '42501';
    expect(await refusal('create table mine (id int)')).toBe(MAY_NOT);
    expect(await refusal('drop table players')).toBe(MAY_NOT);
    expect(await refusal('alter table players add column mine int')).toBe(MAY_NOT);
    expect(await refusal('truncate players')).toBe(MAY_NOT);
    expect(await refusal('delete from schema_migrations')).toBe(MAY_NOT);
    expect(await refusal("select drop_partition('players')")).toBe(MAY_NOT);
    expect(await refusal("select drop_partition('event_blocks_default')")).toBe(MAY_NOT);
    expect(await refusal("select attach_partition('players', 'players_20310101', 'id', '1', '2')")).toBe(
      MAY_NOT,
    );
    expect(await refusal("select attach_partition('event_blocks', 'mine', 'received_at', '1', '2')")).toBe(
      MAY_NOT,
    );
  });

  it('cannot put a temporary table in the place of a partition', async () => {
    const client = await world.pool.connect();
    try {
      await ensureEventPartitions(owner, NOW + 400 * DAY_MS);
      const table = `event_blocks_${new Date(NOW + 400 * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
      await client.query(`create temp table ${table} (id int)`);
      await client.query('select drop_partition($1)', [table]);
      const { rows } = await client.query('select relpersistence from pg_class where relname = $1', [table]);
      expect(rows).toEqual([{ relpersistence: 't' }]);
    } finally {
      client.release(true);
    }
  });

  it('stores, compacts and counts events, and drops them when their time is over', async () => {
    const [player] = await fillClosedDay(world);
    const gameId = player?.gameId ?? 0;
    const compacted = await compactEvents(world.pool, { nowMs: NOW, rests: false, limits: SMALL_SCALE });
    expect(compacted).toMatchObject({ state: 'done', day: DAY });
    expect((await recountGame(world.pool, gameId)).differences).toEqual([]);

    const made = await ensureEventPartitions(world.pool, NOW + 100 * DAY_MS);
    expect(made).toBeGreaterThan(0);
    expect(await dropOldIdentities(world.pool, NOW + 900 * DAY_MS)).not.toEqual([]);

    const { rows } = await owner.query<{ id: number }>('select id from games');
    for (const { id } of rows) await updateRetentionDays(world.pool, id, 1);
    const { droppedPartitions } = await runRetention(world.pool, { actor: testActor(NOW) });
    expect(droppedPartitions).not.toEqual([]);
    const days = (await listEventPartitions(world.pool)).map(({ day }) => day);
    expect(days).not.toContain(DAY);
  });

  it('has the tables of later migrations, which it cannot apply itself', async () => {
    const later = { version: 9001, name: '9001_later.sql', sql: 'create table later (id int)' };
    const migrations = [...(await listMigrations()), later];
    await expect(migrate(role.url, () => {}, { migrations })).rejects.toThrow(
      `savepoint migrate --grant-to "${role.name}"`,
    );
    await migrate(database.url, () => {}, { migrations });
    await world.pool.query('insert into later values (1)');
    await owner.query('drop table later');
    await owner.query('delete from schema_migrations where version = 9001');
  });

  it('is all right for doctor, and one without the grant is not', async () => {
    const stranger = await createTestRole(database.url);
    const rightsOf = async (url: string) => {
      const findings = await examineDatabase({ ...testSettings(), databaseUrl: url });
      return findings.find(({ name }) => name === 'rights of the role');
    };
    try {
      expect(await rightsOf(role.url)).toEqual({ name: 'rights of the role' });
      expect((await rightsOf(stranger.url))?.problem).toContain('savepoint migrate --grant-to');
    } finally {
      await stranger.drop();
    }
  });

  it('has to be there, and must not own the tables', async () => {
    const missing = await runCommand(database.url, 'migrate', '--grant-to', 'nobody');
    expect(missing).toMatchObject({
      code: 1,
      errors: expect.stringContaining('Role "nobody" does not exist.'),
    });
    const self = await runCommand(database.url, 'migrate', '--grant-to', new URL(database.url).username);
    expect(self).toMatchObject({ code: 1, errors: expect.stringContaining('owns the tables') });
  });

  it.each(['pg_read_all_data', 'pg_monitor'])('is none of PostgreSQL: %s', async (name) => {
    await expect(grantToServiceRole(owner, name)).rejects.toThrow(
      `Role "${name}" belongs to PostgreSQL, and nobody can log in with it`,
    );
  });

  it('must not create in the schema', async () => {
    await owner.query(`grant create on schema public to ${role.name}`);
    try {
      const refused = await runCommand(database.url, 'migrate', '--grant-to', role.name);
      expect(refused).toMatchObject({
        code: 1,
        errors: expect.stringContaining(`revoke create on schema "public" from public, "${role.name}";`),
      });
    } finally {
      await owner.query(`revoke create on schema public from ${role.name}`);
    }
  });
});
