import type { Logger } from 'pino';
import { createConfigSnapshots } from '../core/configs/config-snapshots.js';
import { createInbox } from '../core/events/failed/inbox.js';
import { createDirectIntake } from '../core/events/intake/direct-intake.js';
import { loadAppleReceipts } from '../core/events/receipts/load-apple-receipts.js';
import { createReceiptChecks } from '../core/events/receipts/receipt-checks.js';
import { createRegistries, logUnusable } from '../core/events/types/registries.js';
import { createDecisions } from '../core/players/decisions.js';
import { createExperimentExposures } from '../core/players/experiment-exposures.js';
import { createFactReadings } from '../core/players/fact-readings.js';
import { createSegmentStays } from '../core/players/segment-stays.js';
import { createPlayerPredictions } from '../core/predictions/player-predictions.js';
import { createPredictionSnapshots } from '../core/predictions/prediction-snapshots.js';
import { createAccessTokens } from '../core/sessions/access-token.js';
import { createApiKeys } from '../core/sessions/api-keys.js';
import { loadDeviceHashes } from '../core/sessions/forgotten-devices.js';
import { createLivePlayers } from '../core/sessions/live-players.js';
import { createLoginBatcher } from '../core/sessions/login-batcher.js';
import { createRefreshBatcher } from '../core/sessions/refresh-batcher.js';
import { loadSigningKeys } from '../core/sessions/signing-keys.js';
import { type DatabaseClock, watchDatabaseClock } from '../platform/db/database-clock.js';
import { createPool, type Pool } from '../platform/db/pool.js';
import { untilAvailable } from '../platform/db/until-available.js';
import { watchStatements } from '../platform/db/watch-statements.js';
import { createRateLimits } from '../platform/http/rate-limits.js';
import type { Clock } from '../platform/lib/clock.js';
import { type DiskWatch, watchDisk } from '../platform/lib/disk-watch.js';
import { StartupError } from '../platform/lib/startup-error.js';
import { createShedding } from '../platform/overload/shedding.js';
import { createErasureHashes } from '../platform/security/erasure-hashes.js';
import type { MasterKeys } from '../platform/security/master-keys.js';
import { unlessRotated } from '../platform/security/optional-erasure-hashes.js';
import type { NatsSettings, Settings } from '../platform/settings/settings.js';
import { createMetrics } from '../platform/telemetry/metrics.js';
import { createSlowStatements } from '../platform/telemetry/slow-statements.js';
import { createTracing, type Tracing } from '../platform/telemetry/tracing/tracing.js';
import type { Module, OpenIntake, WorkerContext, WorkerPart } from '../studio/module-type.js';
import { MODULES } from './modules.js';

/** Everything that lives as long as the process, constructed explicitly and disposed of in reverse order. */
export type Context = WorkerContext &
  Readonly<{
    /** What the modules do in this process. */
    parts: readonly WorkerPart[];
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
  modules?: readonly Module[];
};

export async function createContext(options: ContextOptions): Promise<Context> {
  const { settings, databaseUrl, logger, masterKeys, modules = MODULES } = options;
  const apple = await loadAppleReceipts(settings);
  const metrics = createMetrics();
  const pool = createPool({
    url: databaseUrl,
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
  const database = { url: databaseUrl, pool, timeoutMs: settings.databaseTimeoutMs };
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
  const queued = await openQueue(modules, settings.nats, {
    databaseUrl,
    pool,
    inbox,
    hashes: intakeHashes,
    metrics,
    logger,
  });
  const disk =
    options.disk ??
    (await watchDisk({
      dir: options.databaseDir,
      onError: (error) => logger.warn({ err: error }, 'the disk of the database could not be looked at'),
    }));
  const intake = queued?.intake ?? createDirectIntake({ pool, hashes: intakeHashes, metrics, logger });

  const worker: WorkerContext = {
    databaseUrl,
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
    readings,
    gameConfigs,
    models,
    erasureHashes,
    registries: createRegistries(pool, logUnusable(logger)),
    apple,
    receipts: createReceiptChecks({ pool, apple, isLimited: settings.rateLimits.enabled }),
    intake,
    inbox: queued?.inbox ?? inbox,
    rateLimits: createRateLimits(settings.rateLimits, (limit) => metrics.rateLimited.inc({ limit })),
    shedding,
  };
  const parts = await openParts(modules, worker);
  return Object.freeze({
    ...worker,
    parts,
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
      for (const part of parts) await part.close?.();
      await pool.end();
      await tracing?.close();
    },
  });
}

async function openParts(modules: readonly Module[], ctx: WorkerContext): Promise<WorkerPart[]> {
  const parts: WorkerPart[] = [];
  for (const { worker } of modules) if (worker !== undefined) parts.push((await worker())(ctx));
  return parts;
}

/** The queue is loaded where it is used: a worker without one starts sooner. */
async function openQueue(
  modules: readonly Module[],
  nats: NatsSettings | undefined,
  options: Parameters<OpenIntake>[1],
): Promise<Awaited<ReturnType<OpenIntake>> | undefined> {
  if (nats === undefined) return undefined;
  const queue = modules.find(({ intake }) => intake !== undefined);
  if (queue?.intake === undefined)
    throw new StartupError('NATS_URL is set, but this service was built without the module "queue".');
  return (await queue.intake())(nats, options);
}
