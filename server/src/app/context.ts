import type { Logger } from 'pino';
import { type DatabaseClock, watchDatabaseClock } from '../db/database-clock.js';
import { createPool, type Pool } from '../db/pool.js';
import { untilAvailable } from '../db/until-available.js';
import { watchStatements } from '../db/watch-statements.js';
import type { PlayerErasureContext } from '../features/erasures/player-erasure-routes.js';
import { createInbox } from '../features/events/failed/inbox.js';
import { createDirectIntake } from '../features/events/intake/direct-intake.js';
import type { EventContext } from '../features/events/intake/event-context.js';
import { loadAppleReceipts } from '../features/events/receipts/load-apple-receipts.js';
import { createReceiptChecks } from '../features/events/receipts/receipt-checks.js';
import { createRegistries, logUnusable } from '../features/events/types/registries.js';
import { createConfigSnapshots } from '../features/game-configs/config-snapshots.js';
import type { PlayerExportContext } from '../features/player-exports/player-export-routes.js';
import { createPlayerExports } from '../features/player-exports/player-exports.js';
import { createDecisions } from '../features/players/decisions.js';
import { createExperimentExposures } from '../features/players/experiment-exposures.js';
import { createFactReadings } from '../features/players/fact-readings.js';
import type { PlayerContext } from '../features/players/player-context.js';
import { createSegmentStays } from '../features/players/segment-stays.js';
import { createPlayerPredictions } from '../features/predictions/player-predictions.js';
import type { PredictionContext } from '../features/predictions/prediction-routes.js';
import { createPredictionSnapshots } from '../features/predictions/prediction-snapshots.js';
import type { ServerContext } from '../features/servers/server-context.js';
import { createServerKeys } from '../features/servers/server-keys.js';
import { createAccessTokens } from '../features/sessions/access-token.js';
import { createApiKeys } from '../features/sessions/api-keys.js';
import { loadDeviceHashes } from '../features/sessions/forgotten-devices.js';
import { createLivePlayers } from '../features/sessions/live-players.js';
import { createLoginBatcher } from '../features/sessions/login-batcher.js';
import { createRefreshBatcher } from '../features/sessions/refresh-batcher.js';
import type { SessionContext } from '../features/sessions/session-context.js';
import { loadSigningKeys } from '../features/sessions/signing-keys.js';
import type { NotificationContext } from '../features/stores/notification-routes.js';
import { createPushTokens } from '../features/stores/push-tokens.js';
import { createRateLimits } from '../http/rate-limits.js';
import type { Clock } from '../lib/clock.js';
import { type DiskWatch, watchDisk } from '../lib/disk-watch.js';
import { createShedding } from '../overload/shedding.js';
import type { QueuedPath } from '../queue/queued-path.js';
import { createErasureHashes } from '../security/erasure-hashes.js';
import type { MasterKeys } from '../security/master-keys.js';
import { unlessRotated } from '../security/optional-erasure-hashes.js';
import type { Settings } from '../settings/settings.js';
import { createMetrics } from '../telemetry/metrics.js';
import { createSlowStatements } from '../telemetry/slow-statements.js';
import { createTracing, type Tracing } from '../telemetry/tracing/tracing.js';

/** Everything that lives as long as the process, constructed explicitly and disposed of in reverse order. */
export type Context = SessionContext &
  PlayerContext &
  PredictionContext &
  PlayerExportContext &
  PlayerErasureContext &
  EventContext &
  ServerContext &
  NotificationContext &
  Readonly<{
    disk: Pick<DiskWatch, 'reading'>;
    tracing: Tracing | undefined;
    dispose(): Promise<void>;
  }>;

export type ContextOptions = {
  settings: Settings;
  databaseUrl: string;
  /** The folder of the embedded database. */
  databaseDir?: string | undefined;
  masterKeys: MasterKeys;
  logger: Logger;
  /** Replaces the clock of the database and that of the node: tests set the time. */
  clock?: Clock;
  /** The clock of the machine. */
  nodeClock?: Clock;
  /** Replaces the disk of the database: tests fill it. */
  disk?: DiskWatch;
};

export async function createContext(options: ContextOptions): Promise<Context> {
  const { settings, logger, masterKeys } = options;
  const apple = await loadAppleReceipts(settings);
  const metrics = createMetrics();
  const pool = createPool({
    url: options.databaseUrl,
    size: settings.databasePoolSize,
    timeoutMs: settings.databaseTimeoutMs,
    onError: (error) => logger.warn({ err: error }, 'an idle database connection broke; it will be replaced'),
    lookUps: 'planned once',
  });
  metrics.watchPool(pool);
  const tracing = createTracing(settings, logger);
  if (tracing !== undefined) watchStatements(pool, tracing.watchStatement);
  if (settings.slowStatementMs > 0)
    watchStatements(pool, createSlowStatements(settings.slowStatementMs, logger));
  const clock: Clock & Partial<Pick<DatabaseClock, 'stop'>> =
    options.clock ?? (await watchDatabaseClock({ pool, node: options.nodeClock }));

  const loadKeys = async (startPool: Pool) => ({
    deviceHashes: await loadDeviceHashes(startPool, masterKeys),
    signingKeys: await loadSigningKeys({
      pool,
      startPool,
      masterKeys,
      clock,
      accessTtlSeconds: settings.accessTtlSeconds,
      logger,
    }),
  });
  const database = { url: options.databaseUrl, pool, timeoutMs: settings.databaseTimeoutMs };
  const { deviceHashes, signingKeys } = await untilAvailable(database, loadKeys, logger).catch(
    async (error: unknown) => {
      clock.stop?.();
      metrics.stop();
      await pool.end();
      await tracing?.close();
      throw error;
    },
  );

  const shedding = createShedding({ metrics, logger });
  const gameConfigs = createConfigSnapshots(pool, logger);
  const models = createPredictionSnapshots(pool, logger);
  const readings = createFactReadings(pool, clock);
  const inbox = createInbox({ pool, metrics, logger });
  const erasureHashes = createErasureHashes(pool, async () => masterKeys);
  const intakeHashes = unlessRotated(erasureHashes);
  let queued: QueuedPath | undefined;
  if (settings.nats !== undefined) {
    // Loaded where it is used: a worker without a queue starts sooner.
    const { openQueuedPath } = await import('../queue/queued-path.js');
    const { databaseUrl } = options;
    queued = await openQueuedPath(settings.nats, {
      databaseUrl,
      pool,
      inbox,
      hashes: intakeHashes,
      metrics,
      logger,
    });
  }
  const playerExports = createPlayerExports(options.databaseUrl);
  const disk =
    options.disk ??
    (await watchDisk({
      dir: options.databaseDir,
      onError: (error) => logger.warn({ err: error }, 'the disk of the database could not be looked at'),
    }));
  const intake = queued?.intake ?? createDirectIntake({ pool, hashes: intakeHashes, metrics, logger });

  return Object.freeze({
    settings,
    clock,
    logger,
    metrics,
    pool,
    masterKeys,
    signingKeys,
    deviceHashes,
    accessTokens: createAccessTokens({
      keys: signingKeys,
      clock,
      issuer: settings.tokenIssuer,
      audience: settings.tokenAudience,
      ttlSeconds: settings.accessTtlSeconds,
    }),
    livePlayers: createLivePlayers(pool),
    apiKeys: createApiKeys({ pool, masterKeys, settings, clock, logger }),
    loginBatcher: createLoginBatcher(pool),
    refreshBatcher: createRefreshBatcher(pool),
    decisions: createDecisions({
      readings,
      gameConfigs,
      models,
      clock,
      metrics,
      logger,
      stays: createSegmentStays(pool, logger),
      exposures: createExperimentExposures(pool, metrics, logger),
    }),
    predictions: createPlayerPredictions({ readings, snapshots: models, gameConfigs, clock }),
    playerExports,
    erasureHashes,
    serverKeys: createServerKeys({ pool, settings, clock, logger }),
    serverPredictions: createPlayerPredictions({
      readings,
      snapshots: models,
      gameConfigs,
      clock,
      showsAll: true,
    }),
    registries: createRegistries(pool, logUnusable(logger)),
    apple,
    pushTokens: createPushTokens(settings.googleKeysUrl),
    receipts: createReceiptChecks({ pool, apple, isLimited: settings.rateLimits.enabled }),
    intake,
    inbox: queued?.inbox ?? inbox,
    rateLimits: createRateLimits(settings.rateLimits, (limit) => metrics.rateLimited.inc({ limit })),
    shedding,
    disk,
    tracing,
    async dispose() {
      await disk.stop();
      signingKeys.stop();
      await intake.close();
      await queued?.close();
      await inbox.close();
      shedding.stop();
      clock.stop?.();
      metrics.stop();
      await playerExports.close();
      await pool.end();
      await tracing?.close();
    },
  });
}
