import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { DEMO } from '../app/demo-studio.js';
import type { Readiness } from '../app/health-app.js';
import { FREQUENT_STEPS, MAINTENANCE_STEPS } from '../app/maintenance-steps.js';
import { buildOpsApp } from '../app/ops-app.js';
import type { Database } from '../db/database.js';
import { isMigrated } from '../db/migrate.js';
import { createEventStoreMetrics } from '../features/events/event-store-metrics.js';
import { createExportRunner } from '../features/exports/export-runner.js';
import { createJobs } from '../features/jobs/jobs.js';
import {
  createMaintenance,
  scheduleFrequently,
  scheduleMaintenance,
} from '../features/lifecycle/maintenance.js';
import { createMaintenanceMetrics } from '../features/lifecycle/maintenance-metrics.js';
import { createPredictionMetrics } from '../features/predictions/prediction-metrics.js';
import { predictionsStep } from '../features/predictions/predictions-step.js';
import { systemClock } from '../lib/clock.js';
import { httpUrl } from '../lib/http-url.js';
import { openLink, type QueueLink } from '../queue/connection.js';
import { checkQueue } from '../queue/queue-status.js';
import type { MasterKeys } from '../security/master-keys.js';
import { createPasswords } from '../security/passwords.js';
import type { Settings } from '../settings/settings.js';
import { createAdminMetrics } from '../telemetry/metrics.js';
import { runPredictionsInThread, trainInThread } from './predictions-thread.js';

type Options = {
  settings: Settings;
  database: Database;
  masterKeys: MasterKeys;
  logger: Logger;
  /** API workers that listen. */
  countWorkers: () => number;
  /** Of the player API, once a worker listens. */
  playerPort: () => number | undefined;
};

export type Operations = { port: number; close(): Promise<void> };

/** For operators, in the primary process: health, metrics, the admin API and the reference on a listener, and maintenance. */
export async function startOperations(options: Options): Promise<Operations> {
  const { settings, database, logger } = options;
  const queue = settings.nats && openLink({ nats: settings.nats, name: 'savepoint operations', logger });
  const aggregator = new AggregatorRegistry();
  const metrics = createAdminMetrics();
  const maintenanceMetrics = createMaintenanceMetrics();
  const eventStoreMetrics = createEventStoreMetrics(database.pool);
  const predictionMetrics = createPredictionMetrics(database.pool);
  const exports = createExportRunner({ pool: database.pool, clock: systemClock, logger });
  const jobs = createJobs({ pool: database.pool, clock: systemClock, logger });
  const app = await buildOpsApp({
    logger,
    allowedHosts: settings.opsAllowedHosts,
    trustProxy: settings.opsTrustProxy,
    demoKey: settings.environment === 'development' ? DEMO : undefined,
    playerUrl: (hostName) => playerUrl(options, hostName),
    readiness: () => readiness(options, queue),
    metrics: async () => ({
      contentType: aggregator.contentType,
      text: [
        await aggregator.clusterMetrics(),
        await metrics.registry.metrics(),
        await maintenanceMetrics.registry.metrics(),
        await eventStoreMetrics.registry.metrics(),
        await predictionMetrics.registry.metrics(),
      ].join('\n'),
    }),
    admin: {
      ...{ pool: database.pool, databaseUrl: database.url, clock: systemClock, logger, metrics },
      environment: settings.environment,
      masterKeys: options.masterKeys,
      passwords: createPasswords(),
      trainModels: (training, run) => trainInThread(database.url, training, run),
      jobs,
      nudgeExports: exports.nudge,
    },
    apiDocument: async (api) => JSON.parse(await readFile(new URL(`${api}.json`, apiDocuments()), 'utf8')),
  });
  await app.listen({ host: settings.opsHost, port: settings.opsPort });
  exports.start();
  const predictions = predictionsStep(
    (run) => runPredictionsInThread(database.url, run),
    settings.trainingDays,
    logger,
  );
  const maintenance = createMaintenance({
    pool: database.pool,
    logger,
    metrics: maintenanceMetrics,
    steps: [...MAINTENANCE_STEPS, predictions],
  });
  const schedules = [scheduleMaintenance(maintenance), scheduleFrequently(maintenance, FREQUENT_STEPS)];
  return {
    port: (app.server.address() as AddressInfo).port,
    async close() {
      for (const schedule of schedules) schedule.stop();
      await exports.stop();
      await jobs.stop();
      await app.close();
      await queue?.close();
    },
  };
}

/** The published package brings the documents with it; in the repository they lie beside the packages. */
function apiDocuments(): URL {
  const packed = new URL('../../openapi/', import.meta.url);
  return existsSync(packed) ? packed : new URL('../../../openapi/', import.meta.url);
}

/** A listener on all addresses is where this one was reached; any other is where it was told to listen. */
function playerUrl({ settings, playerPort }: Options, hostName: string): string {
  const isOnAll = settings.host === '0.0.0.0' || settings.host === '::';
  return httpUrl(isOnAll && hostName !== '' ? hostName : settings.host, playerPort() ?? settings.port);
}

const UNREACHABLE = 'the database cannot be reached';

/**
 * With a queue, a node stays ready while one of the two is away: without the database it goes on taking events, without
 * NATS it goes on serving players. A balancer that took it out would stop that as well, and on every node at once.
 */
async function readiness(
  { settings, database, countWorkers }: Options,
  queue: QueueLink | undefined,
): Promise<Readiness> {
  const migrated = await isMigrated(database.pool).then(
    (yes) => (yes ? 'ok' : 'migrations are missing: run `savepoint migrate`'),
    () => UNREACHABLE,
  );
  const serving = countWorkers() > 0 ? 'ok' : 'no API worker is listening';
  const checks = { database: migrated, workers: serving };
  if (settings.nats === undefined || queue === undefined) {
    return { ready: migrated === 'ok' && serving === 'ok', checks };
  }
  const { ok, ...queueChecks } = await checkQueue(queue, settings.nats, database.pool);
  const canWork = migrated === 'ok' || (migrated === UNREACHABLE && ok);
  return { ready: serving === 'ok' && canWork, checks: { ...checks, ...queueChecks } };
}
