import type { Pool } from '../../platform/db/pool.js';
import type { EventFilesSettings } from '../../platform/settings/bucket-settings.js';
import type { Settings } from '../../platform/settings/settings.js';
import type { DoctorFinding } from '../../studio/cli/doctor-finding.js';
import { findFilesState } from '../event-files/files-state.js';
import { nameOfPlace, openFileStore } from '../event-files/open-store.js';

/** A bucket that hangs must not hold up the other findings. */
const BUCKET_MS = 20_000;

type Problem = Readonly<{ problem: string; advice: string }>;

/** How far the files for analysts have come, if the service writes them. */
export async function checkEventFiles(
  pool: Pool,
  { eventFiles }: Pick<Settings, 'eventFiles'>,
  { applied, known }: Readonly<{ applied?: number | undefined; known: number }>,
  nowMs = Date.now(),
): Promise<DoctorFinding[]> {
  if (eventFiles === undefined || applied !== known) return [];
  const name = `files of events in ${nameOfPlace(eventFiles)}`;
  const finding = await checkBucket(eventFiles);
  if (finding !== undefined) return [{ name, ...finding }];
  const { lastDay, due, late } = await findFilesState(pool, nowMs);
  const said = `${name}: ${lastDay === null ? 'none yet' : `up to ${lastDay}`}, ${due} to be written`;
  return [
    late > 0
      ? {
          name: said,
          warning: 'days are missing, or have changed since they were written',
          advice:
            'A running service writes them hourly; its log says why it does not. Or run `savepoint event-files write`.',
        }
      : { name: said },
  ];
}

async function checkBucket(eventFiles: EventFilesSettings): Promise<Problem | undefined> {
  if (eventFiles.bucket === undefined) return undefined;
  return openFileStore(eventFiles, Date.now, AbortSignal.timeout(BUCKET_MS))
    .list()
    .then(
      () => undefined,
      (error: Error) => ({
        problem: error.message,
        advice: 'Look at the settings SAVEPOINT_S3_… and the rights of the key: docs/analysts.md.',
      }),
    );
}
