import { ask } from './questions.js';
import type { ProcessStatus, Replacements } from './supervised-process.js';

/** What the primary knows of the processes that it watches. */
export type ServiceStatus = Readonly<{
  /** The service has been told to stop, and still serves until balancers have noticed. */
  isStopping: boolean;
  workers: readonly ProcessStatus[];
  /** How many processes were replaced since the start. */
  replacements: Readonly<Record<'worker' | 'operations', Replacements>>;
  /** Of the player API, once a worker has listened. */
  playerPort?: number | undefined;
}>;

/** The metrics of each worker, as prom-client adds them up. */
export type WorkersMetrics = readonly object[];

/** An operator's probe should say that the primary does not respond before the prober gives up. */
const TIMEOUT_MS = 2_000;

/** Undefined if the primary does not respond. */
export const askStatus = () => ask<ServiceStatus>(process, 'status', TIMEOUT_MS);
/** The primary itself waits for workers, which may be busy. */
export const askWorkersMetrics = () => ask<WorkersMetrics>(process, 'metrics', TIMEOUT_MS * 2);
/** Of the workers that serve, as far as they say: does each of them get connections to the database? */
export const askWorkersReach = () => ask<readonly boolean[]>(process, 'reach', TIMEOUT_MS * 2);
