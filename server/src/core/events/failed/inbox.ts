import type { Logger } from 'pino';
import { isUnavailable, type Pool } from '../../../platform/db/pool.js';
import { Batcher } from '../../../platform/lib/batcher.js';
import type { Metrics } from '../../../platform/telemetry/metrics.js';
import { type FailedBatch, type InboxCounts, type InboxLimits, insertFailedEvents } from './inbox-queries.js';

/** Where refused events wait, with the reason, to be corrected and replayed. */
export type Inbox = {
  /** Resolves when they are durable; a batch sent again adds nothing. */
  submit(batch: FailedBatch): Promise<void>;
  /** Finishes what was taken. */
  close(): Promise<void>;
};

/**
 * A broken client must not fill the disk, and a hostile player must not fill the inbox of a game. The first events are kept:
 * they show the same fault as later ones, which are only counted.
 */
const LIMITS: InboxLimits = {
  maxEntries: 1_000_000,
  maxBytes: 1_073_741_824,
  maxEntriesOfPlayer: 10_000,
};

const MAX_GROUP_WEIGHT = 1_000;
const MAX_WAITING_WEIGHT = 20_000;
const BYTES_PER_WEIGHT = 1_024;

type InboxOptions = { pool: Pool; metrics: Metrics; logger: Logger; limits?: InboxLimits };

/** Events that are rejected at the same time share a statement. */
export function createInbox({ pool, metrics, logger, limits = LIMITS }: InboxOptions): Inbox {
  const groups = new Batcher<FailedBatch, undefined>({
    maxItems: MAX_GROUP_WEIGHT,
    maxInFlight: 1,
    maxWaiting: MAX_WAITING_WEIGHT,
    weigh: ({ failures }) =>
      Math.max(
        failures.length,
        Math.ceil(failures.reduce((sum, { raw }) => sum + raw.length, 0) / BYTES_PER_WEIGHT),
      ),
    splitOn(error) {
      if (isUnavailable(error)) return false;
      logger.warn(
        { err: error },
        'PostgreSQL refused a group of failed events; storing it in halves to find the one that fails',
      );
      return true;
    },
    async run(batches) {
      count(metrics, await insertFailedEvents(pool, batches, limits));
      return batches.map(() => undefined);
    },
  });
  return { submit: (batch) => groups.submit(batch), close: () => groups.idle() };
}

function count({ failedEvents }: Metrics, counts: readonly InboxCounts[]): void {
  for (const { code, sent, stored, dropped } of counts) {
    failedEvents.inc({ code, outcome: 'stored' }, stored);
    failedEvents.inc({ code, outcome: 'dropped' }, dropped);
    failedEvents.inc({ code, outcome: 'repeated' }, sent - stored - dropped);
  }
}
