import { StartupError } from '../../platform/lib/startup-error.js';
import type { EventFilesSettings } from '../../platform/settings/bucket-settings.js';
import type { Settings } from '../../platform/settings/settings.js';

/** Where the files of events lie. */
export function requireEventFiles({ eventFiles }: Settings): EventFilesSettings {
  if (eventFiles !== undefined) return eventFiles;
  throw new StartupError(
    'There are no files of events: SAVEPOINT_EVENT_FILES_DIR is not set. The service writes them to that folder, or to a bucket: docs/analysts.md.',
  );
}
