import type { AddressInfo } from 'node:net';
import { buildHealthApp, type Readiness } from '../app/health-app.js';
import { attachToEmbeddedPostgres } from '../db/embedded/attach.js';
import { createPool, type Pool } from '../db/pool.js';
import { createErasedPlayers } from '../features/erasures/erased-players.js';
import { createInbox } from '../features/events/failed/inbox.js';
import { httpUrl } from '../lib/http-url.js';
import { StartupError } from '../lib/startup-error.js';
import type { QueueConsumer } from '../queue/consumer.js';
import { openQueue, prepareQueue, type Queue } from '../queue/queue.js';
import { checkQueue } from '../queue/queue-status.js';
import { consumeQueue } from '../queue/queued-path.js';
import { createErasureHashes, type ErasureHashes } from '../security/erasure-hashes.js';
import { findMasterKeys } from '../security/master-key.js';
import type { NatsSettings, Settings } from '../settings/settings.js';
import { createLogger } from '../telemetry/logger.js';
import { createMetrics } from '../telemetry/metrics.js';
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
  const erasedPlayers = createErasedPlayers(pool, hashesIfPossible(settings, pool));
  const consumer = consumeQueue(queue, nats, { databaseUrl, pool, inbox, erasedPlayers, metrics, logger });
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

/** Without a master key the consumer works, too. Then the service deletes what it has kept of erased players. */
function hashesIfPossible(settings: Settings, pool: Pool): () => Promise<ErasureHashes | undefined> {
  const hashes = createErasureHashes(pool, async () => {
    const found = await findMasterKeys(settings, pool);
    if (found === undefined) throw new StartupError('There is no master key.');
    return found.keys;
  });
  return () =>
    hashes().catch((error: unknown) => (error instanceof StartupError ? undefined : Promise.reject(error)));
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
