import type { Logger } from 'pino';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import type { Pool } from '../../platform/db/pool.js';
import type { Reads } from '../../platform/db/reads.js';
import type { Clock } from '../../platform/lib/clock.js';
import type { FairSemaphore } from '../../platform/lib/fair-semaphore.js';
import type { GoogleApi } from '../../platform/lib/google-play/google-api.js';
import type { AppleReceipts } from '../../platform/lib/receipts/apple-receipts.js';
import type { MasterKeys } from '../../platform/security/master-keys.js';
import type { Passwords } from '../../platform/security/passwords.js';
import type { EventFilesSettings } from '../../platform/settings/bucket-settings.js';
import type { AdminMetrics } from '../../platform/telemetry/metrics.js';
import type { Tracing } from '../../platform/telemetry/tracing/tracing.js';
import type { JobRun, Jobs } from './background-jobs.js';

/** What the admin API needs. It runs in the operations process, beside the API workers. */
export type AdminContext = Readonly<{
  /** The few connections of the operations process, bounded to the time of a request. For longer work see `withDedicatedConnection`. */
  pool: Pool;
  /** For what reads much and writes nothing: a replica takes it off the primary. */
  reads: Reads;
  clock: Clock;
  logger: Logger;
  metrics: AdminMetrics;
  databaseUrl: string;
  environment: 'development' | 'production';
  /** Seal API secrets and second factors. */
  masterKeys: MasterKeys;
  passwords: Passwords;
  /** Undefined without a root certificate in the settings. */
  apple: AppleReceipts | undefined;
  google: GoogleApi;
  /** What stands in the place of a device id that was forgotten. */
  forgottenDeviceId: (gameId: number, deviceId: string) => string;
  /** Trains the models of a game in another thread: this one serves requests. */
  trainModels: (
    training: Readonly<{ gameId: number; actor: Actor }>,
    run?: JobRun,
  ) => Promise<TrainingOutcome>;
  /** Changes of drafts and publications, by studio. */
  documentChanges: FairSemaphore;
  /** Work that goes on after the response. */
  jobs: Jobs;
  /** Tells the export runner about a new export, so that it does not wait for its next poll. */
  nudgeExports: () => void;
  /** Where the files of events lie; undefined where none are written. */
  eventFiles: EventFilesSettings | undefined;
  /** Undefined without a collector in the settings. */
  tracing?: Pick<Tracing, 'traceRequests'> | undefined;
  /** What operators should know about the node that responds. */
  warnings: () => Promise<readonly InstallationWarning[]>;
}>;

export type InstallationWarning = Readonly<{ code: 'clock_off' | 'disk_low'; message: string }>;

/** `busy`: a training of this game is running. */
export type TrainingOutcome =
  | Readonly<{ outcome: 'trained'; version: number }>
  | Readonly<{ outcome: 'busy' }>;
