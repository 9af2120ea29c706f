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

const OUTCOMES = {
  done: 'done',
  nothing: 'done',
  busy: 'busy',
  waiting: 'unfinished',
  interrupted: 'unfinished',
} as const satisfies Record<string, StepResult['outcome']>;

/** Of work that says how far it has come. */
export function outcomeOf(state: keyof typeof OUTCOMES): StepResult['outcome'] {
  return OUTCOMES[state];
}

export function done(did: StepResult['did']): StepResult {
  return { outcome: 'done', did };
}

/** Of work that stops when its time is over, and goes on in the next run. */
export function doneIf(isDone: boolean, did: StepResult['did']): StepResult {
  return { outcome: isDone ? 'done' : 'unfinished', did };
}
