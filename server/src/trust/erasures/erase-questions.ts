import type pg from 'pg';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Rest } from '../../platform/lib/share-of-time.js';
import { erasedName } from '../../platform/security/erasure-hashes.js';
import type { ErasedPlayer } from './begin-queries.js';
import { createRenamer } from './rename-ids.js';

/** Ids that are looked for together: the questions of a game are read once for all of them. */
const IDS_PER_PASS = 20_000;
const IDS_PER_STATEMENT = 1_000;
const QUESTIONS_PER_STATEMENT = 50;

/** Ids, with the players that have them. */
type Owners = Map<string, ErasedPlayer>;

/**
 * Takes the ids of players (their own, of devices, installations and transactions, and their keys in the files) out of the questions in SQL
 * that the audit log has of their games. It comes before their rows are deleted, which say what the ids are, and can be repeated.
 */
export async function eraseFromQuestions(
  connection: DedicatedConnection,
  players: readonly ErasedPlayer[],
  rest: Rest,
): Promise<void> {
  for (const gameId of new Set(players.map((player) => player.gameId))) {
    if ((await listQuestions(connection, gameId, '0', 1)).length === 0) continue;
    const ofGame = players.filter((player) => player.gameId === gameId);
    for await (const owners of ownersOf(connection, ofGame))
      await renameInQuestions(connection, gameId, owners, rest);
  }
  await connection.query('update erasures set devices = null where id = any($1::uuid[])', [
    players.map(({ erasureId }) => erasureId),
  ]);
}

/** Some of the ids at a time. */
async function* ownersOf(
  connection: DedicatedConnection,
  players: readonly ErasedPlayer[],
): AsyncGenerator<Owners> {
  let owners: Owners = new Map();
  for (const player of players) {
    for await (const id of idsOf(connection, player)) {
      // In a text of SQL a quote is written twice.
      owners.set(id, player).set(id.replaceAll("'", "''"), player);
      if (owners.size < IDS_PER_PASS) continue;
      yield owners;
      owners = new Map();
    }
  }
  yield owners;
}

async function* idsOf(connection: DedicatedConnection, player: ErasedPlayer): AsyncGenerator<string> {
  yield player.userId;
  const { rows } = await connection.query<{ id: string }>(
    `select d.device_id as id
     from erasures e cross join lateral json_to_recordset(e.devices) as d(device_id text)
     where e.id = $1
     union all
     select key::text from player_keys where player_id = $2`,
    [player.erasureId, player.playerId],
  );
  for (const { id } of rows) yield id;
  yield* pagesOf(connection, INSTALLS, player.playerId);
  yield* pagesOf(connection, TRANSACTIONS, player.playerId);
}

const INSTALLS = `select install_id as id from event_installs
  where player_id = $1 and install_id > $2 order by install_id limit $3`;
const TRANSACTIONS = `select transaction_id as id from transactions
  where player_id = $1 and transaction_id > $2 order by transaction_id limit $3`;

/** A player may have any number of them. */
async function* pagesOf(
  connection: DedicatedConnection,
  statement: string,
  playerId: string,
): AsyncGenerator<string> {
  let last: string | undefined = '';
  while (last !== undefined) {
    const page: pg.QueryResult<{ id: string }> = await connection.query(statement, [
      playerId,
      last,
      IDS_PER_STATEMENT,
    ]);
    for (const { id } of page.rows) yield id;
    last = page.rows.length < IDS_PER_STATEMENT ? undefined : page.rows.at(-1)?.id;
  }
}

async function renameInQuestions(
  connection: DedicatedConnection,
  gameId: number,
  owners: Owners,
  rest: Rest,
): Promise<void> {
  const rename = createRenamer(owners, ({ playerHash }) => erasedName(playerHash));
  let lastId: string | undefined = '0';
  while (lastId !== undefined) {
    const questions: Question[] = await listQuestions(connection, gameId, lastId, QUESTIONS_PER_STATEMENT);
    for (const { id, after } of questions) {
      const { sql = '' } = JSON.parse(after) as { sql?: string };
      const { text, found } = rename(sql);
      if (found.size > 0) await updateQuestion(connection, id, text, [...found]);
      await rest();
    }
    lastId = questions.at(-1)?.id;
  }
}

type Question = { id: string; after: string };

/** `between` and the order of the index: with `=`, PostgreSQL may go through the entries of all games, if it expects many to be of this one. */
async function listQuestions(
  connection: DedicatedConnection,
  gameId: number,
  afterId: string,
  limit: number,
): Promise<Question[]> {
  const { rows } = await connection.query<Question>(
    `select id, coalesce(after::text, '{}') as after from audit_log
     where action = 'event_files.ask' and game_id between $1 and $1 and id > $2
     order by game_id, id
     limit $3`,
    [gameId, afterId, limit],
  );
  return rows;
}

async function updateQuestion(
  connection: DedicatedConnection,
  id: string,
  sql: string,
  players: readonly ErasedPlayer[],
): Promise<void> {
  await connection.query(
    `with renamed as (
       update audit_log set after = json_build_object('sql', $2::text) where id = $1 returning id
     )
     update erasures e set counts = jsonb_add(e.counts, '{"audit_log": 1}')
     from renamed where e.id = any($3::uuid[])`,
    [id, sql, players.map(({ erasureId }) => erasureId)],
  );
}
