import type { DedicatedConnection } from '../db/dedicated-connection.js';
import type { Pool } from '../db/pool.js';
import type { StepOutcome } from './maintenance-metrics.js';

export type StepRun = Readonly<{
  /** A connection for this step alone. It holds the lock of the step, and reads large tables by their indexes only. */
  connection: DedicatedConnection;
  pool: Pool;
  /** The time of the database when the step began. A step goes by no other clock. */
  nowMs: number;
  /** A step that works in portions checks the signal between two of them. */
  signal: AbortSignal;
}>;

export type StepResult = Readonly<{
  outcome: Exclude<StepOutcome, 'failed'>;
  /** What was done, and how much, for the log. */
  did: Readonly<Record<string, number>>;
}>;

/** A step may be interrupted, and run again, at any time. */
export type MaintenanceStep = Readonly<{
  name: string;
  maxMs: number;
  run(run: StepRun): Promise<StepResult>;
}>;
