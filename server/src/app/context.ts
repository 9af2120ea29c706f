import type { Logger } from 'pino';
import { createConfigSnapshots } from '../core/configs/config-snapshots.js';
import { createInbox } from '../core/events/failed/inbox.js';
import { createDirectIntake } from '../core/events/intake/direct-intake.js';
import type { EventContext } from '../core/events/intake/event-context.js';
import { loadAppleReceipts } from '../core/events/receipts/load-apple-receipts.js';
import { createReceiptChecks } from '../core/events/receipts/receipt-checks.js';
import { createRegistries, logUnusable } from '../core/events/types/registries.js';
import { createDecisions } from '../core/players/decisions.js';
import { createExperimentExposures } from '../core/players/experiment-exposures.js';
import { createFactReadings } from '../core/players/fact-readings.js';
import type { PlayerContext } from '../core/players/player-context.js';
import { createSegmentStays } from '../core/players/segment-stays.js';
import { createPlayerPredictions } from '../core/predictions/player-predictions.js';
import type { PredictionContext } from '../core/predictions/prediction-routes.js';
import { createPredictionSnapshots } from '../core/predictions/prediction-snapshots.js';
import { createAccessTokens } from '../core/sessions/access-token.js';
import { createApiKeys } from '../core/sessions/api-keys.js';
import { loadDeviceHashes } from '../core/sessions/forgotten-devices.js';
import { createLivePlayers } from '../core/sessions/live-players.js';
import { createLoginBatcher } from '../core/sessions/login-batcher.js';
import { createRefreshBatcher } from '../core/sessions/refresh-batcher.js';
import type { SessionContext } from '../core/sessions/session-context.js';
import { loadSigningKeys } from '../core/sessions/signing-keys.js';
import type { ServerContext } from '../liveops/servers/server-context.js';
import { createServerKeys } from '../liveops/servers/server-keys.js';
import type { QueuedPath } from '../operations/queue/queued-path.js';
import { type DatabaseClock, watchDatabaseClock } from '../platform/db/database-clock.js';
import { createPool } from '../platform/db/pool.js';
import { untilAvailable } from '../platform/db/until-available.js';
import { watchStatements } from '../platform/db/watch-statements.js';
import { createRateLimits } from '../platform/http/rate-limits.js';
import type { Clock } from '../platform/lib/clock.js';
import { type DiskWatch, watchDisk } from '../platform/lib/disk-watch.js';
import { createShedding } from '../platform/overload/shedding.js';
import { createErasureHashes } from '../platform/security/erasure-hashes.js';
import type { MasterKeys } from '../platform/security/master-keys.js';
import type { Settings } from '../platform/settings/settings.js';
import { createMetrics } from '../platform/telemetry/metrics.js';
import { createSlowStatements } from '../platform/telemetry/slow-statements.js';
import { createTracing, type Tracing } from '../platform/telemetry/tracing/tracing.js';
import { createErasedPlayers } from '../trust/erasures/erased-players.js';
import type { PlayerErasureContext } from '../trust/erasures/player-erasure-routes.js';
import type { PlayerExportContext } from '../trust/player-exports/player-export-routes.js';
import { createPlayerExports } from '../trust/player-exports/player-exports.js';
import type { NotificationContext } from '../trust/stores/notification-routes.js';
import { createPushTokens } from '../trust/stores/push-tokens.js';

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

  const loadKeys = async () => ({
    deviceHashes: await loadDeviceHashes(pool, masterKeys),
    signingKeys: await loadSigningKeys({
      pool,
      masterKeys,
      clock,
      accessTtlSeconds: settings.accessTtlSeconds,
      logger,
    }),
  });
  const { deviceHashes, signingKeys } = await untilAvailable(loadKeys, logger).catch(
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
  let queued: QueuedPath | undefined;
  if (settings.nats !== undefined) {
    // Loaded where it is used: a worker without a queue starts sooner.
    const { openQueuedPath } = await import('../operations/queue/queued-path.js');
    const { databaseUrl } = options;
    const erasedPlayers = createErasedPlayers(pool, erasureHashes);
    queued = await openQueuedPath(settings.nats, {
      databaseUrl,
      pool,
      inbox,
      erasedPlayers,
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
  const intake = queued?.intake ?? createDirectIntake({ pool, metrics, logger });

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
