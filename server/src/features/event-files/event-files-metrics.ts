import { Gauge, Registry } from 'prom-client';
import type { Pool } from '../../db/pool.js';

/** How far the files for analysts have come, read at every scrape. Without a folder for them there are no such metrics. */
export function createEventFilesMetrics(pool: Pool, folder: string | undefined): { registry: Registry } {
  const registry = new Registry();
  if (folder === undefined) return { registry };
  const registers = [registry];
  const last = new Gauge({
    name: 'savepoint_event_files_last_day_timestamp_seconds',
    help: 'The start of the last day of which files with events were written; 0: none was.',
    registers,
  });
  const due = new Gauge({
    name: 'savepoint_event_files_due',
    help: 'Files of events that have to be written, for the first time or again because their day has changed.',
    registers,
    async collect() {
      // Without the database the other metrics are still worth reading.
      const state = await findFilesState(pool).catch(() => undefined);
      if (state === undefined) for (const gauge of [last, due]) gauge.reset();
      else {
        last.set(state.lastDay === null ? 0 : Date.parse(state.lastDay) / 1_000);
        due.set(state.due);
      }
    },
  });
  return { registry };
}

export async function findFilesState(pool: Pool): Promise<{ lastDay: string | null; due: number }> {
  const { rows } = await pool.query<{ lastDay: string | null; due: number }>(
    `select (select max(day)::text from event_files) as "lastDay",
       (select count(*)::int from (select distinct day, game_id from event_file_changes) c) as due`,
  );
  return rows[0] ?? { lastDay: null, due: 0 };
}
