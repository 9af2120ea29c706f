import type { AddressInfo } from 'node:net';
import { createInbox } from '../../core/events/failed/inbox.js';
import type { QueueConsumer } from '../../operations/queue/consumer.js';
import { openQueue, prepareQueue, type Queue } from '../../operations/queue/queue.js';
import { checkQueue } from '../../operations/queue/queue-status.js';
import { consumeQueue } from '../../operations/queue/queued-path.js';
import { createPool, type Pool } from '../../platform/db/pool.js';
import { attachToEmbeddedPostgres } from '../../platform/embedded-postgres/attach.js';
import { httpUrl } from '../../platform/lib/http-url.js';
import { StartupError } from '../../platform/lib/startup-error.js';
import { createOptionalErasureHashes } from '../../platform/security/optional-erasure-hashes.js';
import type { NatsSettings, Settings } from '../../platform/settings/settings.js';
import { createLogger } from '../../platform/telemetry/logger.js';
import { createMetrics } from '../../platform/telemetry/metrics.js';
import { buildHealthApp, type Readiness } from '../health-app.js';
import { refuseTakenPort } from './taken-port.js';

/**
 * `savepoint consume`: one process that applies queued events. Without a database it starts and waits, as it does when the
 * database becomes unavailable later. Without NATS it does not start.
 */
export async function runConsumer(settings: Settings, say: (line: string) => void): Promise<void> {
  const { nats } = settings;
  if (nats === undefined) {
    throw new StartupError('There is nothing to consume without NATS_URL: events are applied directly.');
  }
  await refuseTakenPort(settings.opsHost, settings.opsPort, 'SAVEPOINT_OPS_PORT');
  const databaseUrl = settings.databaseUrl ?? (await attachToEmbeddedPostgres(settings.dataDir));
  if (databaseUrl === undefined) {
    throw new StartupError('No service runs on this data folder. Start it first, or set DATABASE_URL.');
  }
  await prepareQueue(nats, settings.environment, say);

  const logger = createLogger(settings);
  const metrics = createMetrics();
  const pool = createPool({
    url: databaseUrl,
    size: settings.databasePoolSize,
    timeoutMs: settings.databaseTimeoutMs,
    onError: (error) => logger.warn({ err: error }, 'an idle database connection broke; it will be replaced'),
    lookUps: 'planned once',
  });
  metrics.watchPool(pool);
  const inbox = createInbox({ pool, metrics, logger });
  const queue = await openQueue(nats, metrics, logger);
  // Without a master key it works, too. Then the service deletes what the consumer has kept of erased players, and a purchase whose
  // owner was erased and that was refunded counts again for whoever proves it next.
  const hashes = createOptionalErasureHashes(settings, pool);
  const consumer = consumeQueue(queue, nats, { databaseUrl, pool, inbox, hashes, metrics, logger });
  const ops = buildHealthApp({
    trustProxy: settings.opsTrustProxy,
    logger,
    allowedHosts: settings.opsAllowedHosts,
    readiness: () => readiness(consumer, queue, nats, pool),
    metrics: async () => ({
      contentType: metrics.registry.contentType,
      text: await metrics.registry.metrics(),
    }),
  });
  await ops.listen({ host: settings.opsHost, port: settings.opsPort });

  const stop = async (): Promise<void> => {
    await consumer.stop();
    await inbox.close();
    await ops.close();
    await queue.close();
    metrics.stop();
    await pool.end();
  };
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      say(`\n${signal}: finishing what was pulled…`);
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, 'the consumer could not be stopped cleanly');
          process.exit(1);
        },
      );
    });
  }
  const { port } = ops.server.address() as AddressInfo;
  say(`Consuming ${nats.stream}. Operations: ${httpUrl(settings.opsHost, port)}/readyz`);
}

async function readiness(
  consumer: QueueConsumer,
  queue: Queue,
  nats: NatsSettings,
  pool: Pool,
): Promise<Readiness> {
  const { ok, ...queueChecks } = await checkQueue(queue.link, nats, pool);
  const database = consumer.isMember() ? 'ok' : 'the database cannot be reached, or is not migrated';
  const partitions = `this process works on ${consumer.owned().length} of ${nats.partitions}`;
  return { ready: ok && consumer.isMember(), checks: { database, ...queueChecks, partitions } };
}
