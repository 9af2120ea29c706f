import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.js';
import type { Reads } from '../../platform/db/reads.js';
import type { Clock } from '../../platform/lib/clock.js';
import type { FairSemaphore } from '../../platform/lib/fair-semaphore.js';
import type { MasterKeys } from '../../platform/security/master-keys.js';
import type { Passwords } from '../../platform/security/passwords.js';
import type { AdminMetrics } from '../../platform/telemetry/metrics.js';
import type { Tracing } from '../../platform/telemetry/tracing/tracing.js';
import type { Jobs } from './background-jobs.js';

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
  /** Changes of drafts and publications, by studio. */
  documentChanges: FairSemaphore;
  /** Work that goes on after the response. */
  jobs: Jobs;
  /** Undefined without a collector in the settings. */
  tracing?: Pick<Tracing, 'traceRequests'> | undefined;
  /** What operators should know about the node that responds. */
  warnings: () => Promise<readonly InstallationWarning[]>;
}>;

export type InstallationWarning = Readonly<{ code: 'clock_off' | 'disk_low'; message: string }>;
