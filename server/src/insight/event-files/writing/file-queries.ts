import { dayTable } from '../../../core/events/storage/event-partitions.js';
import { type DedicatedConnection, inTransaction } from '../../../platform/db/dedicated-connection.js';
import type { Pool } from '../../../platform/db/pool.js';
import type { EventFile, GameFolder } from '../manifest.js';
import type { StoredEvent } from './file-events.js';

/** A file that has to be written: the first of its game and day, or a later generation. */
export type DueFile = GameFolder & Readonly<{ day: string; generation: number }>;

/**
 * The files that have to be written, the earliest day first. A day that has only lost events, because players were erased, waits until
 * `deletedBefore`: several erasures then share one generation.
 */
export async function listDueFiles(connection: DedicatedConnection, deletedBefore: Date): Promise<DueFile[]> {
  const { rows } = await connection.query<DueFile>(
    `select c.game_id as "gameId", t.slug as tenant, g.slug as game, c.day::text as day, coalesce(f.generation, 0) + 1 as generation
     from (
       select game_id, day, bool_and(is_deletion) as only_deletions, min(noted_at) as noted_at
       from event_file_changes group by 1, 2
     ) c
     join lateral (select * from games g where g.id = c.game_id offset 0) g on true
     join tenants t on t.id = g.tenant_id
     left join lateral (select * from event_files f where f.game_id = c.game_id and f.day = c.day offset 0) f on true
     where not c.only_deletions or c.noted_at < $1
     order by c.day, c.game_id`,
    [deletedBefore],
  );
  return rows;
}

/**
 * Opens a cursor on the events of a file, in the transaction that has just begun, and returns the transactions whose changes it sees. Both are
 * read from one snapshot.
 */
export async function openEvents(
  connection: DedicatedConnection,
  { gameId, day }: DueFile,
): Promise<string[]> {
  const table = connection.escapeIdentifier(dayTable(day));
  await connection.query('set transaction isolation level repeatable read, read only');
  const { rows } = await connection.query<{ changedBy: string }>(
    `select distinct changed_by::text as "changedBy" from event_file_changes where day = $1 and game_id = $2`,
    [day, gameId],
  );
  // An event that was received with others of its block has no receipt of its own.
  await connection.query(
    `declare events_of_file no scroll cursor for
     select b.player_id, e.event_id, e.event_type, floor(extract(epoch from e.occurred_at) * 1000)::float8,
       floor(extract(epoch from coalesce(e.received_at, b.received_at)) * 1000)::float8, e.clock_suspect, e.payload::text, e.metadata::text,
       case when e.event_type in ('Purchase', 'Refund') then (b.events -> (e.place - 1)::int -> 6 -> 'sale')::text end
     from ${table} b
     cross join lateral event_rows(b.events) e
     where b.game_id = $1`,
    [gameId],
  );
  return rows.map(({ changedBy }) => changedBy);
}

/** None at the end. */
export async function fetchEvents(
  connection: DedicatedConnection,
  maxEvents: number,
): Promise<StoredEvent[]> {
  const { rows } = await connection.query<[...StoredEvent]>({
    rowMode: 'array',
    text: `fetch ${maxEvents} from events_of_file`,
  });
  return rows;
}

/**
 * The keys of players, by their ids. Who has none gets one. Who is being erased has no row in `players` any more and gets none; the lock on
 * that row holds up an erasure until the key is there to be erased.
 */
export async function findPlayerKeys(pool: Pool, playerIds: readonly string[]): Promise<Map<string, string>> {
  const find = () =>
    pool.query<{ playerId: string; key: string }>(
      'select player_id as "playerId", key from player_keys where player_id = any($1::bigint[])',
      [playerIds],
    );
  const { rows } = await find();
  const keys = new Map(rows.map(({ playerId, key }) => [playerId, key]));
  const without = playerIds.filter((playerId) => !keys.has(playerId));
  if (without.length === 0) return keys;
  await pool.query(
    `insert into player_keys (player_id)
     select id from players where id = any($1::bigint[]) for key share
     on conflict do nothing`,
    [without],
  );
  return new Map((await find()).rows.map(({ playerId, key }) => [playerId, key]));
}

/** The file stands in the place of the former generation, and covers the changes of these transactions. */
export async function upsertFile(
  connection: DedicatedConnection,
  file: EventFile,
  changedBy: readonly string[],
): Promise<void> {
  const { gameId, day, generation, file: name, events, bytes, sha256, writtenAt } = file;
  await inTransaction(connection, async () => {
    await connection.query(
      `insert into event_files (game_id, day, generation, file, events, bytes, sha256, written_at)
       values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), $8)
       on conflict (game_id, day) do update set generation = excluded.generation, file = excluded.file, events = excluded.events,
         bytes = excluded.bytes, sha256 = excluded.sha256, written_at = excluded.written_at`,
      [gameId, day, generation, name, events, bytes, sha256, new Date(writtenAt)],
    );
    await connection.query(
      'delete from event_file_changes where day = $1 and game_id = $2 and changed_by = any($3::text[]::xid8[])',
      [day, gameId, changedBy],
    );
  });
}
