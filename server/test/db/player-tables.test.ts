import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLAYER_TABLES, type PlayerTable } from '../../src/db/player-tables.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { SMALL_TABLES } from './plans/large-tables.js';

/** Columns by which a row belongs to a player. */
const OF_A_PLAYER = ['player_id', 'user_id', 'device_id', 'install_id'];
const TABLES: readonly PlayerTable[] = PLAYER_TABLES;
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
