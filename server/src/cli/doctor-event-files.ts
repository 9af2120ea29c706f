import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Pool } from '../db/pool.js';
import { findFilesState } from '../features/event-files/event-files-metrics.js';
import { closedBefore } from '../features/events/storage/event-partitions.js';
import { DAY_MS } from '../lib/day.js';
import type { Settings } from '../settings/settings.js';
import type { DoctorFinding } from './doctor-finding.js';

/** A day is closed two days after its end. Then its turn to be compacted comes, and its turn to be written. */
const LATE_MS = 3 * DAY_MS;

/** How far the files for analysts have come, if the service writes them. */
export async function checkEventFiles(
  pool: Pool,
  { eventFilesDir }: Pick<Settings, 'eventFilesDir'>,
  { applied, known }: Readonly<{ applied?: number | undefined; known: number }>,
  nowMs = Date.now(),
): Promise<DoctorFinding[]> {
  if (eventFilesDir === undefined || applied !== known) return [];
  const name = `files of events in ${eventFilesDir}`;
  const problem = await access(eventFilesDir, constants.W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : error.message),
  );
  if (problem !== undefined)
    return [{ name, problem, advice: 'Choose another folder with SAVEPOINT_EVENT_FILES_DIR.' }];
  const { lastDay, due } = await findFilesState(pool);
  const said = `${name}: ${lastDay === null ? 'none yet' : `up to ${lastDay}`}, ${due} to be written`;
  return [
    (await hasLateDays(pool, nowMs - LATE_MS))
      ? {
          name: said,
          warning: 'days are missing, or have changed since they were written',
          advice:
            'A running service writes them hourly; its log says why it does not. Or run `savepoint event-files write`.',
        }
      : { name: said },
  ];
}

/** A day that was closed by then is not watched yet, or events that were added by then are in no file. Also where no run has ever come. */
async function hasLateDays(pool: Pool, boundMs: number): Promise<boolean> {
  const { rows } = await pool.query<{ isLate: boolean }>(
    `select exists (
       select from event_block_days d
       where d.state in ('compacted', 'kept') and d.day < $1::date and not exists (select from event_file_days w where w.day = d.day)
         and to_regclass('event_blocks_' || to_char(d.day, 'YYYYMMDD')) is not null
     ) or exists (select from event_file_changes where not is_deletion and noted_at < $2) as "isLate"`,
    [closedBefore(boundMs), new Date(boundMs)],
  );
  return rows[0]?.isLate ?? false;
}
