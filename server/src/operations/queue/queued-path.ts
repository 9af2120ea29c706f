import type { Logger } from 'pino';
import type { Inbox } from '../../core/events/failed/inbox.js';
import type { Pool } from '../../platform/db/pool.js';
import type { ErasureHashes } from '../../platform/security/erasure-hashes.js';
import type { NatsSettings } from '../../platform/settings/settings.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import type { OpenIntake } from '../../studio/module-type.js';
import { createMessageApplier } from './apply-messages.js';
import { type QueueConsumer, startConsumer } from './consumer.js';
import { openQueue, type Queue } from './queue.js';
import { createQueuedInbox, createQueuedIntake } from './queued-intake.js';

type Options = {
  databaseUrl: string;
  pool: Pool;
  /** Where rejected events end, once they have come through the stream. */
  inbox: Inbox;
  /** Tell erased players, and their orders. Undefined: this process has no master key. */
  hashes: () => Promise<ErasureHashes | undefined>;
  metrics: Metrics;
  logger: Logger;
};

/** What lies between an API process and its database with NATS_URL. */
export const openQueuedPath: OpenIntake = async (nats, options) => {
  const queue = await openQueue(nats, options.metrics, options.logger);
  const consumer = nats.consume ? consumeQueue(queue, nats, options) : undefined;
  return {
    intake: createQueuedIntake(queue.publisher),
    inbox: createQueuedInbox(queue.publisher),
    async close() {
      await queue.publisher.idle();
      await consumer?.stop();
      await queue.close();
    },
  };
};

/** Applies what is queued, beside any number of other processes that do. */
export function consumeQueue(queue: Queue, nats: NatsSettings, options: Options): QueueConsumer {
  const { databaseUrl, pool, inbox, hashes, metrics, logger } = options;
  const applier = createMessageApplier({
    pool,
    inbox,
    hashes,
    metrics,
    queueMetrics: queue.metrics,
    logger,
  });
  return startConsumer({
    link: queue.link,
    nats,
    databaseUrl,
    pool,
    applier,
    metrics: queue.metrics,
    logger,
  });
}
