import { StartupError } from '../lib/startup-error.js';
import type { Settings } from '../settings/settings.js';

/** Where the files of events lie. */
export function requireFolder({ eventFilesDir }: Settings): string {
  if (eventFilesDir !== undefined) return eventFilesDir;
  throw new StartupError(
    'There are no files of events: SAVEPOINT_EVENT_FILES_DIR is not set. The service writes them to that folder: docs/analysts.md.',
  );
}
