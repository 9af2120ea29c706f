import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import type { Client } from '../../platform/db/pool.js';
import type { FactColumns } from './fact-columns.js';
import { HISTORY_DAYS } from './history-columns.js';

/**
 * All reads of a dry run see one snapshot, so that its numbers fit together. While the run lasts, vacuum cannot remove rows that
 * the snapshot still sees.
 */
export async function beginSnapshot(connection: DedicatedConnection): Promise<void> {
  await connection.query('begin isolation level repeatable read read only');
  await connection.query('set local max_parallel_workers_per_gather = 0');
}

export async function countPlayers(connection: DedicatedConnection, gameId: number): Promise<number> {
  const { rows } = await connection.query<{ n: number }>(
    'select count(*)::float8 as n from players where game_id = $1',
    [gameId],
  );
  return rows[0]?.n ?? 0;
}

/** The players of a game from `after` (not included) to `upTo`. `before` players of the game have smaller ids. */
export type PlayerRange = Readonly<{ after: string; upTo: string; before: number }>;

/** All players of a game, in ranges of `size` players. */
export async function listPlayerRanges(
  connection: DedicatedConnection,
  gameId: number,
  size: number,
): Promise<PlayerRange[]> {
  const { rows } = await connection.query<{ upTo: string }>(
    `select id as "upTo"
     from (
       select id, row_number() over (order by id) as place, lead(id) over (order by id) as next
       from players where game_id = $1
     ) numbered
     where place % $2 = 0 or next is null
     order by id`,
    [gameId, size],
  );
  return rows.map(({ upTo }, index) => ({
    after: rows[index - 1]?.upTo ?? '0',
    upTo,
    before: index * size,
  }));
}

/** How many of all players are examined. */
export type Share = Readonly<{ examined: number; players: number }>;

/** The values of the columns for the players of a range, or for those of them who are in the sample. */
export async function listFactRows(
  connection: DedicatedConnection | Client,
  gameId: number,
  columns: FactColumns,
  { after, upTo, before }: PlayerRange,
  { examined, players }: Share,
): Promise<unknown[][]> {
  const { rows } = await connection.query<unknown[]>({
    rowMode: 'array',
    text: factsStatement(columns, examined < players ? 'sample' : 'all'),
    values: [
      ...columns.values,
      gameId,
      after,
      upTo,
      ...(examined < players ? [before, examined, players] : []),
    ],
  });
  return rows;
}

/** The same for players whose ids are known. */
export async function listFactRowsOf(
  client: Client,
  gameId: number,
  columns: FactColumns,
  ids: readonly string[],
): Promise<unknown[][]> {
  const [game, players] = [columns.values.length + 1, columns.values.length + 2];
  const { rows } = await client.query<unknown[]>({
    rowMode: 'array',
    text: selectFacts(columns, `p.game_id = $${game}::bigint and p.id = any($${players}::bigint[])`),
    values: [...columns.values, gameId, ids],
  });
  return rows;
}

/** The parameters of the columns come first, so the parameters of the range are numbered after them. */
function factsStatement(columns: FactColumns, who: 'all' | 'sample'): string {
  const [game, after, upTo, before, examined, players] = [1, 2, 3, 4, 5, 6].map(
    (n) => `$${columns.values.length + n}::bigint`,
  );
  const inRange = `p.game_id = ${game} and p.id > ${after} and p.id <= ${upTo}`;
  // The sample takes every n-th player in the order of ids: it has exactly its size, is spread evenly over old and new players,
  // and is the same in every run. Of the other players only the ids are read. The array is computed once: for a join, the
  // planner may choose a loop that numbers all players again for each row.
  const inSample = [
    ' and p.id = any(array(select n.id from (select p.id, ',
    before,
    ' + row_number() over (order by p.id) as place from players p where ',
    inRange,
    `) n where n.place * ${examined} / ${players} > (n.place - 1) * ${examined} / ${players}))`,
  ].join('');
  return selectFacts(columns, who === 'sample' ? `${inRange}${inSample}` : inRange);
}

function selectFacts(
  { ofPlayer, ofDays, firstDay, lastDay, today }: FactColumns,
  whichPlayers: string,
): string {
  // A player without an event since the first day has no days in the windows, so player_days is not read.
  const days = [
    'left join lateral (select ',
    ofDays.map((column, index) => `${column} as c${index}`).join(', '),
    ' from player_days d where p.last_event_at is not null',
    ` and greatest(p.last_event_at, p.last_purchase_at) >= ${firstDay}`,
    ` and d.player_id = p.id and d.day >= ${firstDay} and d.day <= ${lastDay}) s on true`,
  ].join('');
  return [
    'select',
    [...ofPlayer, ...ofDays.map((_, index) => `s.c${index}`)].join(', '),
    'from players p',
    ofDays.length > 0 ? days : '',
    today === '' ? '' : ['left join lateral', HISTORY_DAYS.replaceAll('TODAY', () => today)].join(' '),
    'where',
    whichPlayers,
    'order by p.id',
  ].join(' ');
}
