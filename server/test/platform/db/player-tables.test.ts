import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLAYER_TABLES, type PlayerTable } from '../../../src/platform/db/player-tables.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { SMALL_TABLES } from './plans/large-tables.js';

/** Columns by which a row belongs to a player. */
const OF_A_PLAYER = ['player_id', 'user_id', 'device_id', 'install_id'];
const TABLES: readonly PlayerTable[] = PLAYER_TABLES;
/** Keys that do not contain the player, and why they are unique wherever the row lies: see docs/adr/0032-ids-and-buckets.md. */
const OTHER_KEYS = [
  // The device lies in the bucket of the player that it was created with.
  'devices (game_id, device_id)',
  // Drawn at random; one request of a player is open at a time.
  'erasures (id)',
  // A sequence: each bucket may draw numbers of its own.
  'failed_events (id)',
  'players (id)',
  // Drawn at random.
  'players (user_id)',
  'sessions (id)',
];
/** Rows are only added, and dropped with their quarter. A second index beside that of the identities would cost every event. */
const WITHOUT_PRIMARY_KEY = ['event_identities'];
const NAMES = TABLES.map(({ name }) => name);

describe('the list of the tables of a player', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('names every table that has a column of a player', async () => {
    expect(await tablesOfPlayers(client)).toEqual(NAMES.toSorted());
    await client.query('create table guild_members (guild_id integer, player_id bigint)');
    expect(await tablesOfPlayers(client)).toContain('guild_members');
    await client.query('drop table guild_members');
  });

  it('says which column names the player, and which tables are partitioned', async () => {
    const { rows } = await client.query<{ name: string; isPartitioned: boolean }>(
      `select relname as name, relkind = 'p' as "isPartitioned" from pg_class
       where relname = any($1) and relnamespace = 'public'::regnamespace`,
      [NAMES],
    );
    const isPartitioned = new Map(rows.map((row) => [row.name, row.isPartitioned]));
    for (const table of TABLES) {
      expect(isPartitioned.get(table.name), table.name).toBe(table.isPartitioned);
      await client.query(`select ${table.playerColumn}::bigint from ${table.name} limit 0`);
    }
  });

  it('has only tables with a primary key', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class c
       where relname = any($1) and relnamespace = 'public'::regnamespace
         and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
      [NAMES],
    );
    expect(rows.map(({ name }) => name)).toEqual(WITHOUT_PRIMARY_KEY);
  });

  it('has only tables that are unique within the player', async () => {
    expect(await keysWithoutPlayer(client)).toEqual(OTHER_KEYS);
    await client.query('create unique index promotions_of_all on player_promotions (promo_id)');
    expect(await keysWithoutPlayer(client)).toContain('player_promotions (promo_id)');
    await client.query('drop index promotions_of_all');
  });

  it('has no table with a foreign key', async () => {
    const { rows } = await client.query(
      `select conname from pg_constraint where contype = 'f' and conrelid::regclass::text = any($1)`,
      [NAMES],
    );
    expect(rows).toEqual([]);
  });

  it('has no table whose plans are not checked', () => {
    expect(NAMES.filter((name) => SMALL_TABLES.includes(name))).toEqual([]);
  });
});

/** Of tables, without partitions. */
async function tablesOfPlayers(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and a.attname = any($1) and not a.attisdropped
     order by 1`,
    [OF_A_PLAYER],
  );
  return rows.map(({ name }) => name);
}

/** The unique keys that do not contain the player, as `table (columns)`. */
async function keysWithoutPlayer(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name,
       array(select a.attname::text from unnest(i.indkey) with ordinality k(number, place)
             join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number order by place) as columns
     from pg_class c join pg_index i on i.indrelid = c.oid
     where c.relname = any($1) and c.relnamespace = 'public'::regnamespace and i.indisunique
     order by 1, 2`,
    [NAMES],
  );
  return rows
    .filter(({ columns }) => !columns.includes('player_id'))
    .map(({ name, columns }) => `${name} (${columns.join(', ')})`);
}
