import {
  type DedicatedConnection,
  inTransaction,
  walkByIndex,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';

const ROWS_PER_PAGE = 2_000;

/**
 * Writes what `savepoint import players` reads: a line for each player of the game, then a line for each device. All of it is of one
 * snapshot, so that the player of each device is among the players.
 */
export async function exportPlayers(
  pool: Pool,
  gameId: number,
  write: (pages: AsyncGenerator<string>) => Promise<void>,
): Promise<void> {
  await withDedicatedConnection(pool, async (connection) => {
    await walkByIndex(connection);
    await inTransaction(connection, async () => {
      await connection.query('set transaction isolation level repeatable read, read only');
      await write(pagesOf(connection, gameId));
    });
  });
}

async function* pagesOf(connection: DedicatedConnection, gameId: number): AsyncGenerator<string> {
  for (const { text, start } of [LIST_PLAYERS, LIST_DEVICES]) {
    let page = await readPage(connection, text, gameId, start);
    while (page.length > 0) {
      yield page.map(({ line }) => `${line}\n`).join('');
      page = await readPage(connection, text, gameId, page.at(-1)?.key ?? start);
    }
  }
}

type ExportedLine = { key: string; line: string };

async function readPage(
  connection: DedicatedConnection,
  text: string,
  gameId: number,
  after: string,
): Promise<ExportedLine[]> {
  const { rows } = await connection.query<ExportedLine>(text, [gameId, after, ROWS_PER_PAGE]);
  return rows;
}

const LIST_PLAYERS = {
  start: '0',
  text: `
  select id::text as key, json_strip_nulls(json_build_object('userId', user_id, 'createdAt', api_time(created_at),
    'ageGroup', age_group, 'ageGroupAt', api_time(age_group_at)))::text as line
  from players
  where game_id = $1 and id > $2::bigint
  order by id
  limit $3`,
};

const LIST_DEVICES = {
  start: '',
  text: `
  select d.device_id as key, json_strip_nulls(json_build_object('deviceId', d.device_id,
    'userId', (select user_id from players p where p.id = d.player_id), 'createdAt', api_time(d.created_at),
    'attachedAt', api_time(d.attached_at),
    'ownUserId', (select user_id from players p where p.id = d.own_player_id)))::text as line
  from devices d
  -- a hash is of use in this installation only
  where d.game_id = $1 and d.device_id > $2 and left(d.device_id, 1) <> chr(1)
  order by d.device_id
  limit $3`,
};
