import { closedBefore } from '../../core/events/storage/event-partitions.js';
import type { Pool } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';

/** A day is closed two days after its end. Then its turn to be compacted comes, and its turn to be written. */
const LATE_MS = 3 * DAY_MS;

export type FilesState = Readonly<{
  lastDay: string | null;
  /** Files that have to be written. One that has only lost events waits for its turn, and is not due. */
  due: number;
  /**
   * Days that were closed three days ago and that no run has looked at, and files of days to which events were added three days ago. Counted also
   * where no run has ever come so far.
   */
  late: number;
}>;

export async function findFilesState(pool: Pool, nowMs: number): Promise<FilesState> {
  const boundMs = nowMs - LATE_MS;
  const { rows } = await pool.query<FilesState>(
    `with changes as (
       select day, game_id, min(noted_at) as noted_at from event_file_changes where not is_deletion group by 1, 2
     )
     select (select max(day)::text from event_files) as "lastDay",
       (select count(*)::int from changes) as due,
       (select count(*)::int from changes where noted_at < $2) + (
         select count(*)::int from event_block_days d
         where d.state in ('compacted', 'kept') and d.day < $1::date and not exists (select from event_file_days w where w.day = d.day)
           and to_regclass('event_blocks_' || to_char(d.day, 'YYYYMMDD')) is not null
       ) as late`,
    [closedBefore(boundMs), new Date(boundMs)],
  );
  return rows[0] ?? { lastDay: null, due: 0, late: 0 };
}
