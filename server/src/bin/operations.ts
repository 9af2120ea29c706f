import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { DEMO } from '../app/demo-studio.js';
import { FREQUENT_STEPS, forgetDevicesSteps, MAINTENANCE_STEPS } from '../app/maintenance-steps.js';
import { buildOpsApp } from '../app/ops-app.js';
import { createAdminPool, openDatabase } from '../db/database.js';
import { watchDatabaseClock } from '../db/database-clock.js';
import type { Pool } from '../db/pool.js';
import { readsOf } from '../db/reads.js';
import { createReplica, type Replica } from '../db/replica.js';
import { untilAvailable } from '../db/until-available.js';
import { watchStatements } from '../db/watch-statements.js';
import { createErasureMetrics } from '../features/erasures/erasure-metrics.js';
import { createErasureRunner } from '../features/erasures/erasure-runner.js';
import { erasureStep } from '../features/erasures/erasure-step.js';
import { createErasedListWriter, erasedListFile } from '../features/erasures/list-file.js';
import { createEventFilesMetrics } from '../features/event-files/event-files-metrics.js';
import { eventFilesSteps } from '../features/event-files/event-files-step.js';
import { loadAppleReceipts } from '../features/events/receipts/load-apple-receipts.js';
import { createReceiptChecks } from '../features/events/receipts/receipt-checks.js';
import { createEventStoreMetrics } from '../features/events/storage/event-store-metrics.js';
import { createRegistries, logUnusable } from '../features/events/types/registries.js';
import { createGradeMetrics } from '../features/experiments/grading/grade-metrics.js';
import { createExportRunner } from '../features/exports/export-runner.js';
import { createDocumentChanges } from '../features/game-configs/document-changes.js';
import { createJobs } from '../features/jobs/jobs.js';
import { clockWarnings, createClockMetrics, logClock } from '../features/lifecycle/clock-warnings.js';
import { diskWarnings } from '../features/lifecycle/disk-warnings.js';
import {
  createMaintenance,
  scheduleFrequently,
  scheduleMaintenance,
} from '../features/lifecycle/maintenance.js';
import { createMaintenanceMetrics } from '../features/lifecycle/maintenance-metrics.js';
import type { MaintenanceStep } from '../features/lifecycle/maintenance-step.js';
import { createBackFillRunner } from '../features/own-attributes/back-fill-runner.js';
import { createPredictionMetrics } from '../features/predictions/prediction-metrics.js';
import { predictionsStep } from '../features/predictions/predictions-step.js';
import { loadDeviceHashes } from '../features/sessions/forgotten-devices.js';
import { loadSigningKeys } from '../features/sessions/signing-keys.js';
import { createConfirmationRunner } from '../features/stores/google/confirmation-runner.js';
import { voidedPurchasesStep } from '../features/stores/google/voided-purchases.js';
import { waitingPurchasesStep } from '../features/stores/replay-waiting.js';
import { watchDisk } from '../lib/disk-watch.js';
import { createGoogleApi } from '../lib/google-play/google-api.js';
import { httpUrl } from '../lib/http-url.js';
import { publishedFolder } from '../lib/package-files.js';
import { stepProcessBehindPlayers } from '../lib/thread-priority.js';
import { openLink } from '../queue/connection.js';
import { checkQueue } from '../queue/queue-status.js';
import { createErasureHashes } from '../security/erasure-hashes.js';
import { createPasswords } from '../security/passwords.js';
import type { Settings } from '../settings/settings.js';
import { createAdminMetrics } from '../telemetry/metrics.js';
import { createTracing, type Tracing } from '../telemetry/tracing/tracing.js';
import { createBackupMetrics } from './backup-metrics.js';
import { scheduleBackups } from './backup-schedule.js';
import type { RunningChild, StartOptions } from './child.js';
import { scheduleCopies } from './event-files-copies.js';
import { createInstallationMetrics } from './installation-metrics.js';
import { createProcessMetrics } from './process-metrics.js';
import { readiness } from './readiness.js';
import { createReplicaMetrics } from './replica-metrics.js';
import { writeFilesInThread } from './run-event-files-thread.js';
import { runPredictionsInThread, trainInThread } from './run-predictions-thread.js';
import { askStatus, askWorkersMetrics, askWorkersReach } from './service-status.js';

/** The process for operators: health, metrics, the admin API and the reference on a listener, and maintenance. */
export async function startOperations(options: StartOptions): Promise<RunningChild> {
  // An editor can wait for a large document; a player must not wait for the editor.
  stepProcessBehindPlayers();
  const { settings, masterKeys, logger, onStep } = options;
  onStep('read the database');
  const database = await openDatabase(settings, () => {});
  const tracing = createTracing(settings, logger);
  if (tracing !== undefined) watchStatements(database.pool, tracing.watchStatement);
  const replica = openReplica(settings, database.pool, { logger, tracing });
  const reads = replica ?? readsOf(database.pool);
  const { nats } = settings;
  const link = nats && openLink({ nats, name: 'savepoint operations', logger });
  const queue = nats && link && (() => checkQueue(link, nats, database.pool));
  const apple = await loadAppleReceipts(settings);
  const startDatabase = { ...database, timeoutMs: settings.databaseTimeoutMs };
  const deviceHashes = await untilAvailable(
    startDatabase,
    (startPool) => loadDeviceHashes(startPool, masterKeys),
    logger,
  );
  const metrics = createAdminMetrics();
  const processMetrics = createProcessMetrics();
  const maintenanceMetrics = createMaintenanceMetrics();
  const clock = await watchDatabaseClock({
    pool: database.pool,
    onChange: (reading) => logClock(logger, reading),
  });
  const clockMetrics = createClockMetrics(clock);
  const disk = await watchDisk({
    dir: options.databaseDir,
    onError: (error) => logger.warn({ err: error }, 'the disk of the database could not be looked at'),
  });
  const installationMetrics = createInstallationMetrics(database.pool, disk);
  const replicaMetrics = replica && createReplicaMetrics(replica);
  const backupMetrics = createBackupMetrics();
  const eventStoreMetrics = createEventStoreMetrics(database.pool, clock);
  const predictionMetrics = createPredictionMetrics(database.pool);
  const gradeMetrics = createGradeMetrics(database.pool);
  const erasureMetrics = createErasureMetrics(database.pool, clock);
  const eventFilesMetrics = createEventFilesMetrics(database.pool, settings.eventFiles !== undefined, clock);
  const exports = createExportRunner({ pool: database.pool, reads, clock, logger });
  const { accessTtlSeconds } = settings;
  const keyOptions = { pool: database.pool, masterKeys, clock, accessTtlSeconds, logger };
  const signingKeys = await untilAvailable(
    startDatabase,
    (startPool) => loadSigningKeys({ ...keyOptions, startPool }),
    logger,
  );
  const erasureHashes = createErasureHashes(database.pool, async () => masterKeys);
  const erasedFile = erasedListFile(settings);
  const erasures = createErasureRunner({
    pool: database.pool,
    clock,
    logger,
    signer: { issuer: settings.tokenIssuer, current: signingKeys.current },
    hashes: erasureHashes,
    onErasing: createErasedListWriter(database.pool, erasedFile, clock.now, logger),
  });
  const ownAttributes = createBackFillRunner({ pool: database.pool, clock, logger });
  const google = createGoogleApi({
    tokenUrl: settings.googleTokenUrl,
    apiUrl: settings.googleApiUrl,
    now: clock.now,
  });
  const googleWork = { pool: database.pool, api: google, masterKeys, hashes: erasureHashes, logger };
  const confirmations = createConfirmationRunner({ ...googleWork, now: clock.now });
  const jobs = createJobs({ pool: database.pool, clock, logger });
  onStep('build its routes');
  const app = await buildOpsApp({
    logger,
    allowedHosts: settings.opsAllowedHosts,
    trustProxy: settings.opsTrustProxy,
    demoKey: settings.environment === 'development' ? DEMO : undefined,
    playerUrl: (hostName) => playerUrl(settings, hostName),
    readiness: () =>
      readiness({
        pool: database.pool,
        status: askStatus,
        reach: askWorkersReach,
        queue,
        clock,
        disk,
        replica,
      }),
    metrics: async () => ({
      contentType: metrics.registry.contentType,
      text: [
        await workersMetrics(),
        await processMetrics.read(await askStatus()),
        await metrics.registry.metrics(),
        await maintenanceMetrics.registry.metrics(),
        await clockMetrics.registry.metrics(),
        await installationMetrics.registry.metrics(),
        ...(replicaMetrics ? [await replicaMetrics.registry.metrics()] : []),
        await backupMetrics.registry.metrics(),
        await eventStoreMetrics.registry.metrics(),
        await predictionMetrics.registry.metrics(),
        await gradeMetrics.registry.metrics(),
        await erasureMetrics.registry.metrics(),
        await eventFilesMetrics.registry.metrics(),
      ].join('\n'),
    }),
    admin: {
      pool: database.pool,
      reads,
      databaseUrl: database.url,
      clock,
      logger,
      metrics,
      environment: settings.environment,
      masterKeys,
      passwords: createPasswords(),
      apple,
      google,
      forgottenDeviceId: deviceHashes.forgottenId,
      trainModels: (training, run) => trainInThread(database.url, training, run),
      documentChanges: createDocumentChanges(),
      jobs,
      nudgeExports: exports.nudge,
      eventFiles: settings.eventFiles,
      tracing,
      warnings: async () => [...clockWarnings(clock.reading()), ...diskWarnings(disk.reading())],
    },
    apiDocument: async (api) =>
      JSON.parse(await readFile(new URL(`${api}.json`, publishedFolder('openapi', 'openapi')), 'utf8')),
  });
  onStep('listen');
  // Exclusive: the primary hands out listeners to API workers only.
  await app.listen({ host: settings.opsHost, port: settings.opsPort, exclusive: true });
  exports.start();
  erasures.start();
  confirmations.start();
  ownAttributes.start();
  const predictions = predictionsStep(
    (run) => runPredictionsInThread(database.url, run),
    settings.trainingDays,
    logger,
  );
  const eventFiles = eventFilesSteps(settings.eventFiles, (files, nowMs, signal) =>
    writeFilesInThread({ databaseUrl: database.url, settings: files, nowMs }, signal),
  );
  const forgetting = forgetDevicesSteps(deviceHashes, settings.forgetDevicesAfterDays);
  const maintenanceOf = (steps: readonly MaintenanceStep[]) =>
    createMaintenance({ pool: database.pool, logger, metrics: maintenanceMetrics, steps });
  const maintenance = maintenanceOf([
    ...MAINTENANCE_STEPS,
    erasureStep(erasedFile, erasureHashes),
    voidedPurchasesStep(googleWork),
    waitingPurchasesStep({
      pool: database.pool,
      registries: createRegistries(database.pool, logUnusable(logger)),
      receipts: createReceiptChecks({ pool: database.pool, apple, isLimited: false }),
      hashes: erasureHashes,
    }),
    ...forgetting,
    predictions,
  ]);
  const backups = await scheduleBackups(options.databaseDir, {
    ...settings,
    now: clock.now,
    logger,
    metrics: backupMetrics,
  });
  const schedules = [
    scheduleMaintenance(maintenance),
    scheduleFrequently(maintenance, FREQUENT_STEPS),
    // Apart from the others: a bucket that hangs holds up no other step.
    scheduleMaintenance(maintenanceOf(eventFiles)),
  ];
  const copies = scheduleCopies(settings.eventFiles, clock.now, logger);
  return {
    port: (app.server.address() as AddressInfo).port,
    async close() {
      for (const schedule of schedules) schedule.stop();
      await backups.stop();
      await copies.stop();
      await exports.stop();
      await erasures.stop();
      await confirmations.stop();
      await ownAttributes.stop();
      signingKeys.stop();
      await jobs.stop();
      clock.stop();
      await disk.stop();
      await app.close();
      await link?.close();
      await replica?.stop();
      await database.close();
      await tracing?.close();
    },
  };
}

/** Nothing waits for it: until it was looked at, the primary serves. */
function openReplica(
  settings: Settings,
  primary: Pool,
  { logger, tracing }: { logger: Logger; tracing: Tracing | undefined },
): Replica | undefined {
  const { databaseReplicaUrl, replicaMaxLagMs: maxLagMs } = settings;
  if (databaseReplicaUrl === undefined) return undefined;
  const pool = createAdminPool(databaseReplicaUrl, settings);
  if (tracing !== undefined) watchStatements(pool, tracing.watchStatement);
  return createReplica({ primary, pool, maxLagMs, logger });
}

/** A listener on all addresses is where this one was reached; any other is where it was told to listen. */
async function playerUrl({ host, port }: Settings, hostName: string): Promise<string> {
  const isOnAll = host === '0.0.0.0' || host === '::';
  const status = await askStatus();
  return httpUrl(isOnAll && hostName !== '' ? hostName : host, status?.playerPort ?? port);
}

/** Those of all workers, added up. */
async function workersMetrics(): Promise<string> {
  const metrics = await askWorkersMetrics();
  return AggregatorRegistry.aggregate([...(metrics ?? [])]).metrics();
}
