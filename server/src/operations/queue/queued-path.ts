import type { Logger } from 'pino';
import type { Inbox } from '../../core/events/failed/inbox.js';
import type { Pool } from '../../platform/db/pool.js';
import type { NatsSettings } from '../../platform/settings/settings.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import type { OpenIntake } from '../../studio/module.js';
import { createErasedPlayers, type ErasedPlayers } from '../../trust/erasures/erased-players.js';
import { createMessageApplier } from './apply-messages.js';
import { type QueueConsumer, startConsumer } from './consumer.js';
import { openQueue, type Queue } from './queue.js';
import { createQueuedInbox, createQueuedIntake } from './queued-intake.js';

type Options = {
  databaseUrl: string;
  pool: Pool;
  /** Where rejected events end, once they have come through the stream. */
  inbox: Inbox;
  erasedPlayers: ErasedPlayers;
  metrics: Metrics;
  logger: Logger;
};

/** What lies between an API process and its database with NATS_URL. */
export const openQueuedPath: OpenIntake = async (nats, { erasureHashes, ...options }) => {
  const queue = await openQueue(nats, options.metrics, options.logger);
  const erasedPlayers = createErasedPlayers(options.pool, erasureHashes);
  const consumer = nats.consume ? consumeQueue(queue, nats, { ...options, erasedPlayers }) : undefined;
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
  const { databaseUrl, pool, inbox, erasedPlayers, metrics, logger } = options;
  const applier = createMessageApplier({
    pool,
    inbox,
    erasedPlayers,
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
