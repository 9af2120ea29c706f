import type { Logger } from 'pino';
import type { Pool } from '../../db/pool.js';
import type { Clock } from '../../lib/clock.js';
import type { MasterKeys } from '../../security/master-keys.js';
import type { Passwords } from '../../security/passwords.js';
import type { AdminMetrics } from '../../telemetry/metrics.js';
import type { Actor } from './audit-log.js';

/** What the admin API works with. It runs in the primary process, beside the API workers. */
export type AdminContext = Readonly<{
  /** The primary's few connections, bounded to the time of a request: for longer work see `withOwnConnection`. */
  pool: Pool;
  clock: Clock;
  logger: Logger;
  metrics: AdminMetrics;
  databaseUrl: string;
  environment: 'development' | 'production';
  /** Seal API secrets and second factors. */
  masterKeys: MasterKeys;
  passwords: Passwords;
  /** Trains the models of a game outside of this thread, which has requests to serve. */
  trainModels: (training: Readonly<{ gameId: number; actor: Actor }>) => Promise<TrainingOutcome>;
  /** An export was started: whatever runs them need not wait until it looks again. */
  nudgeExports: () => void;
}>;

/** `busy`: a training of this game is at work. */
export type TrainingOutcome =
  | Readonly<{ outcome: 'trained'; version: number }>
  | Readonly<{ outcome: 'busy' }>;
