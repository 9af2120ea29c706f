import { dayTable } from '../../../core/events/storage/event-partitions.js';
import {
  type DedicatedConnection,
  inTransaction,
  isLockTimeout,
} from '../../../platform/db/dedicated-connection.js';

/**
 * Closed days that are not watched yet, the earliest first. Compaction has dealt with each of them: it replaces a day as a whole, and
 * the trigger of the day with it.
 */
export async function listDaysToWatch(connection: DedicatedConnection, before: string): Promise<string[]> {
  const { rows } = await connection.query<{ day: string }>(
    `select d.day::text as day
     from event_block_days d
     where d.state in ('compacted', 'kept') and d.day < $1::date and not exists (select from event_file_days w where w.day = d.day)
       and to_regclass('event_blocks_' || to_char(d.day, 'YYYYMMDD')) is not null
     order by d.day`,
    [before],
  );
  return rows.map(({ day }) => day);
}

/**
 * From here on `event_file_changes` tells of every transaction that changes a block of the day, and which games have a file to be written.
 * The lock waits for transactions that are on their way, so none of them is missed. False: others hold the day, and a later run tries again.
 */
export async function watchDay(connection: DedicatedConnection, day: string): Promise<boolean> {
  const table = connection.escapeIdentifier(dayTable(day));
  try {
    await inTransaction(connection, async () => {
      await connection.query("set local lock_timeout = '200ms'");
      await connection.query(`lock table ${table} in share row exclusive mode`);
      await connection.query('select watch_event_day($1)', [day]);
      await connection.query('insert into event_file_days (day) values ($1)', [day]);
      await connection.query(
        `insert into event_file_changes (day, game_id, changed_by, is_deletion)
         select $1, game_id, pg_current_xact_id(), false
         from (
           select g.id as game_id
           from games g
           cross join lateral (select from ${table} b where b.game_id = g.id limit 1) b
           -- A day that was watched before may have lost all events of a game.
           union
           select game_id from event_files where day = $1
         ) g`,
        [day],
      );
    });
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

/**
 * Forgets days that retention has dropped. Returns the games whose files are gone with them. A day that was dropped and made again has no
 * trigger: it has to be watched anew, and its files stand until they are written again.
 */
export async function forgetDroppedDays(connection: DedicatedConnection): Promise<number[]> {
  await connection.query(
    `delete from event_file_days d
     where not exists (
       select from pg_trigger t
       where t.tgrelid = to_regclass('event_blocks_' || to_char(d.day, 'YYYYMMDD')) and t.tgname = 'note_file_change'
     ) and to_regclass('event_blocks_' || to_char(d.day, 'YYYYMMDD')) is not null`,
  );
  const { rows } = await connection.query<{ day: string }>(
    `select day::text as day from event_file_days
     where to_regclass('event_blocks_' || to_char(day, 'YYYYMMDD')) is null`,
  );
  const days = rows.map(({ day }) => day);
  return inTransaction(connection, async () => {
    await connection.query('delete from event_file_changes where day = any($1::date[])', [days]);
    await connection.query('delete from event_file_days where day = any($1::date[])', [days]);
    const { rows: gone } = await connection.query<{ gameId: number }>(
      'delete from event_files where day = any($1::date[]) returning game_id as "gameId"',
      [days],
    );
    return gone.map(({ gameId }) => gameId);
  });
}

/** Deletes the files of events that the retention of their game has deleted. Returns the games. */
export async function deleteExpiredFiles(connection: DedicatedConnection): Promise<number[]> {
  const { rows } = await connection.query<{ gameId: number }>(
    `delete from event_files f
     using (select id, events_deleted_before from games where events_deleted_before is not null) g
     where f.game_id = g.id and f.day < g.events_deleted_before
     returning f.game_id as "gameId"`,
  );
  await connection.query(
    `delete from event_file_changes c
     using (select id, events_deleted_before from games where events_deleted_before is not null) g
     where c.game_id = g.id and c.day < g.events_deleted_before`,
  );
  return rows.map(({ gameId }) => gameId);
}
