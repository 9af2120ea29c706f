import { MINUTE_MS } from '../../platform/lib/day.js';
import type { MaintenanceStep } from '../../platform/lifecycle/maintenance-step.js';
import type { EventFilesSettings } from '../../platform/settings/bucket-settings.js';
import type { FilesResult } from './writing/write-files.js';

/** Hourly: writes the files of closed days. No step where there is no place for them. */
export function eventFilesSteps(
  settings: EventFilesSettings | undefined,
  write: (settings: EventFilesSettings, nowMs: number, signal: AbortSignal) => Promise<FilesResult>,
): MaintenanceStep[] {
  if (settings === undefined) return [];
  return [
    {
      name: 'event_files',
      // The first time, every day that is stored is written, in several runs.
      maxMs: 50 * MINUTE_MS,
      async run({ nowMs, signal }) {
        const { state, files, events } = await write(settings, nowMs, signal);
        return { outcome: state, did: { filesWritten: files, eventsWritten: events } };
      },
    },
  ];
}
