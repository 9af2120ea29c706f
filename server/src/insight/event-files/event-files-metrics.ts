import { Gauge, Registry } from 'prom-client';
import type { Pool } from '../../platform/db/pool.js';
import type { Clock } from '../../platform/lib/clock.js';
import { MINUTE_MS } from '../../platform/lib/day.js';
import { createTtlCache } from '../../platform/lib/ttl-cache.js';
import { type FilesState, findFilesState } from './files-state.js';

/** How far the files for analysts have come, read once a minute at most. Where none are written there are no such metrics. */
export function createEventFilesMetrics(pool: Pool, isOn: boolean, clock: Clock): { registry: Registry } {
  const registry = new Registry();
  if (!isOn) return { registry };
  const kept = createTtlCache<'state', FilesState>({ clock, keptMs: MINUTE_MS, maxKept: 1 });
  const gauge = (name: string, help: string, read: (state: FilesState) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // Without the database the other metrics are still worth reading.
        const state = await kept.get('state', () => findFilesState(pool, clock.now())).catch(() => undefined);
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
  gauge(
    'savepoint_event_files_late',
    'Days and files of events that should have been written three days ago.',
    ({ late }) => late,
  );
  return { registry };
}
