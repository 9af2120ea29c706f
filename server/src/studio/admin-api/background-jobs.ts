import type { Actor } from '../../platform/admin-api/audit-log.js';

/**
 * Long work that goes on after the response, and is found again in the list of jobs.
 *
 *   running ──► done ────────┐
 *      │ └────► cancelled ───┼── a day later ──► deleted
 *      └──────► failed ──────┘   (failed also: the node has stopped)
 */
export type JobKind = 'dry_run' | 'back_test' | 'replay' | 'override_import' | 'training' | 'funnel';
export type JobState = 'running' | 'done' | 'failed' | 'cancelled';

export type Job = {
  jobId: string;
  gameId: number;
  kind: JobKind;
  subject: Readonly<Record<string, string | number | null>>;
  state: JobState;
  createdBy: string;
  createdByEmail: string | null;
  createdAt: number;
  done: number;
  /** Null until it is known. */
  total: number | null;
  /** Depends on the kind. */
  result: unknown;
  failure: string | null;
  finishedAt: number | null;
  expiresAt: number;
};

export type NewJob = Readonly<{ gameId: number; kind: JobKind; subject: Job['subject']; actor: Actor }>;

/** What the work is given. */
export type JobRun = Readonly<{
  /** Aborted when the job is cancelled, or the service is being stopped. */
  signal: AbortSignal;
  tell(progress: Readonly<{ done: number; total: number }>): void;
}>;

export type Jobs = Readonly<{
  /**
   * Starts a job on this node, if `take` has a place for it and the game has no running job of the kind; undefined otherwise. The
   * promise resolves when the job is in the list, long before its work is done.
   */
  start(
    job: NewJob,
    work: (run: JobRun) => Promise<unknown>,
    take: (work: () => Promise<void>) => Promise<void> | undefined,
  ): Promise<Job | undefined>;
  /** Ends the running jobs of this node, and waits for them. */
  stop(): Promise<void>;
}>;
