import type { Pool } from '../../platform/db/pool.js';
import type { NatsSettings } from '../../platform/settings/settings.js';
import type { QueueLink } from './connection.js';
import { findOwners } from './partition-locks.js';
import { lagBehind } from './queue.js';

/** The state of the queue, in words for operators. `ok`: NATS holds the stream and responds. */
export type QueueStatus = { ok: boolean; queue: string; consumers: string };

/**
 * A long queue does not make a process unready: it shows in the metrics, and removing a process would only make the queue
 * longer. A stream that cannot be reached does.
 */
export async function checkQueue(link: QueueLink, nats: NatsSettings, pool: Pool): Promise<QueueStatus> {
  const [lag, owners] = await Promise.allSettled([lagBehind(link, nats), findOwners(pool, nats.stream)]);
  return {
    ok: lag.status === 'fulfilled',
    queue:
      lag.status === 'fulfilled'
        ? `ok: ${lag.value.messages} messages to apply, the oldest ${lag.value.oldestSeconds.toFixed(1)} s old`
        : 'NATS, or the stream on it, cannot be reached',
    consumers:
      owners.status === 'rejected'
        ? 'unknown while the database cannot be reached'
        : owners.value.consumers === 0
          ? 'nobody consumes: set SAVEPOINT_CONSUME=on or run `savepoint consume`'
          : `${owners.value.consumers} consumers work on ${owners.value.partitions} of ${nats.partitions} partitions`,
  };
}
