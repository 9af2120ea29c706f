import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { loadAppleReceipts } from '../../core/events/receipts/load-apple-receipts.js';
import { loadDeviceHashes } from '../../core/sessions/forgotten-devices.js';
import { loadSigningKeys } from '../../core/sessions/signing-keys.js';
import { createDocumentChanges } from '../../liveops/configs/document-changes.js';
import { clockWarnings, createClockMetrics, logClock } from '../../operations/lifecycle/clock-warnings.js';
import { diskWarnings } from '../../operations/lifecycle/disk-warnings.js';
import {
  createMaintenance,
  scheduleFrequently,
  scheduleMaintenance,
} from '../../operations/lifecycle/maintenance.js';
import { openLink } from '../../operations/queue/connection.js';
import { checkQueue } from '../../operations/queue/queue-status.js';
import { createAdminPool, openDatabase } from '../../platform/db/database.js';
import { watchDatabaseClock } from '../../platform/db/database-clock.js';
import type { Pool } from '../../platform/db/pool.js';
import { readsOf } from '../../platform/db/reads.js';
import { createReplica, type Replica } from '../../platform/db/replica.js';
import { untilAvailable } from '../../platform/db/until-available.js';
import { watchStatements } from '../../platform/db/watch-statements.js';
import { watchDisk } from '../../platform/lib/disk-watch.js';
import { httpUrl } from '../../platform/lib/http-url.js';
import { stepProcessBehindPlayers } from '../../platform/lib/thread-priority.js';
import { createMaintenanceMetrics } from '../../platform/lifecycle/maintenance-metrics.js';
import type { MaintenanceStep } from '../../platform/lifecycle/maintenance-step.js';
import { publishedFolder } from '../../platform/package-files.js';
import { createErasureHashes } from '../../platform/security/erasure-hashes.js';
import { createPasswords } from '../../platform/security/passwords.js';
import type { Settings } from '../../platform/settings/settings.js';
import { createAdminMetrics } from '../../platform/telemetry/metrics.js';
import { createTracing, type Tracing } from '../../platform/telemetry/tracing/tracing.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { createJobs } from '../../studio/jobs/jobs.js';
import { DEMO } from '../demo-studio.js';
import { MODULES } from '../modules.js';
import { openOperations } from '../open-operations.js';
import { buildOpsApp } from '../ops-app.js';
import type { RunningChild, StartOptions } from './child.js';
import { createInstallationMetrics } from './installation-metrics.js';
import { createProcessMetrics } from './process-metrics.js';
import { readiness } from './readiness.js';
import { createReplicaMetrics } from './replica-metrics.js';
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
  const { accessTtlSeconds } = settings;
  const keyOptions = { pool: database.pool, masterKeys, clock, accessTtlSeconds, logger };
  const signingKeys = await untilAvailable(
    startDatabase,
    (startPool) => loadSigningKeys({ ...keyOptions, startPool }),
    logger,
  );
  const erasureHashes = createErasureHashes(database.pool, async () => masterKeys);
  const jobs = createJobs({ pool: database.pool, clock, logger });
  const admin: AdminContext = {
    pool: database.pool,
    reads,
    databaseUrl: database.url,
    clock,
    logger,
    metrics,
    environment: settings.environment,
    masterKeys,
    passwords: createPasswords(),
    documentChanges: createDocumentChanges(),
    jobs,
    tracing,
    warnings: async () => [...clockWarnings(clock.reading()), ...diskWarnings(disk.reading())],
  };
  onStep('build its routes');
  const modules = await openOperations(MODULES, {
    ...admin,
    settings,
    databaseDir: options.databaseDir,
    apple,
    deviceHashes,
    signingKeys,
    erasureHashes,
  });
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
        ...(await Promise.all(modules.metrics.map(({ registry }) => registry.metrics()))),
      ].join('\n'),
    }),
    admin,
    adminRoutes: modules.adminRoutes,
    apiDocument: async (api) =>
      JSON.parse(await readFile(new URL(`${api}.json`, publishedFolder('openapi', 'openapi')), 'utf8')),
  });
  onStep('listen');
  // Exclusive: the primary hands out listeners to API workers only.
  await app.listen({ host: settings.opsHost, port: settings.opsPort, exclusive: true });
  await modules.start();
  const maintenanceOf = (steps: readonly MaintenanceStep[]) =>
    createMaintenance({ pool: database.pool, logger, metrics: maintenanceMetrics, steps });
  const maintenance = maintenanceOf(modules.steps);
  const schedules = [
    scheduleMaintenance(maintenance),
    scheduleFrequently(maintenance, modules.frequent),
    scheduleMaintenance(maintenanceOf(modules.stepsApart)),
  ];
  return {
    port: (app.server.address() as AddressInfo).port,
    async close() {
      for (const schedule of schedules) schedule.stop();
      await modules.stop();
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
