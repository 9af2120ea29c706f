import { Gauge, Registry } from 'prom-client';
import type { Pool } from '../../db/pool.js';
import type { Clock } from '../../lib/clock.js';
import { MINUTE_MS } from '../../lib/day.js';
import { createTtlCache } from '../../lib/ttl-cache.js';

/** How far the files for analysts have come, read once a minute at most. Without a folder for them there are no such metrics. */
export function createEventFilesMetrics(
  pool: Pool,
  folder: string | undefined,
  clock: Clock,
): { registry: Registry } {
  const registry = new Registry();
  if (folder === undefined) return { registry };
  const kept = createTtlCache<'state', FilesState>({ clock, keptMs: MINUTE_MS, maxKept: 1 });
  const gauge = (name: string, help: string, read: (state: FilesState) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // Without the database the other metrics are still worth reading.
        const state = await kept.get('state', () => findFilesState(pool)).catch(() => undefined);
        if (state === undefined) this.reset();
        else this.set(read(state));
      },
    });
  gauge(
    'savepoint_event_files_last_day_timestamp_seconds',
    'The start of the last day of which files with events were written; 0: none was.',
    ({ lastDay }) => (lastDay === null ? 0 : Date.parse(lastDay) / 1_000),
  );
  gauge(
    'savepoint_event_files_due',
    'Files of events that have to be written, for the first time or again because events were added to their day.',
    ({ due }) => due,
  );
  return { registry };
}

export type FilesState = Readonly<{ lastDay: string | null; due: number }>;

/** A file that has only lost events waits for its turn, and is not due. */
export async function findFilesState(pool: Pool): Promise<FilesState> {
  const { rows } = await pool.query<FilesState>(
    `select (select max(day)::text from event_files) as "lastDay",
       (select count(*)::int from (select distinct day, game_id from event_file_changes where not is_deletion) c) as due`,
  );
  return rows[0] ?? { lastDay: null, due: 0 };
}
