import type { Logger } from 'pino';
import { MINUTE_MS } from '../../platform/lib/day.js';
import { createPoller } from '../../platform/lib/poller.js';
import type { EventFilesSettings } from '../../platform/settings/bucket-settings.js';
import { removeUnusedCopies } from './asking/local-copies.js';

const LOOK_EVERY_MS = 10 * MINUTE_MS;

/** Removes the copies of files of a bucket that no question reads any more, on each node: they may hold events of erased players. */
export function scheduleCopies(
  settings: EventFilesSettings | undefined,
  now: () => number,
  logger: Logger,
): { stop(): Promise<void> } {
  if (settings?.bucket === undefined) return { async stop() {} };
  const { dir } = settings;
  const poller = createPoller({
    everyMs: LOOK_EVERY_MS,
    async work() {
      await removeUnusedCopies(dir, now());
    },
    onError: (error) => logger.error({ err: error, dir }, 'copies of files of events could not be removed'),
  });
  poller.start();
  return poller;
}
