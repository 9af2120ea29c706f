import { type Actor, emailOf } from '../../platform/admin-api/audit-log.js';
import { NEWEST, type TimePage } from '../../platform/admin-api/page-cursor.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import type { Job, JobKind, JobState, NewJob } from '../admin-api/background-jobs.js';

/** A node that has sent no heartbeat for this long counts as stopped. Uses the clock of the database: those of nodes differ. */
const IS_LOST = "state = 'running' and heartbeat_at < now() - interval '30 seconds'";
const NODE_STOPPED =
  'The node that did this work has stopped. What was done until then stays done. Start it again.';

const JOB_COLUMNS = `id as "jobId", game_id as "gameId", kind, subject,
  case when ${IS_LOST} then 'failed' else state end as state,
  created_by as "createdBy", created_by_email as "createdByEmail", created_at as "createdAt",
  progress_done::float8 as done, progress_total::float8 as total,
  case when ${IS_LOST} then '${NODE_STOPPED}' else failure end as failure,
  finished_at as "finishedAt", expires_at as "expiresAt"`;

/** Undefined if the game has a running job of the kind, on any node. The caller has locked the game. */
export async function insertJob(
  client: Client,
  { gameId, kind, subject, actor }: NewJob,
  { jobId, expiresAt }: { jobId: string; expiresAt: number },
): Promise<Job | undefined> {
  const { rows } = await client.query<Job>(
    `insert into jobs (id, game_id, kind, subject, state, created_by, created_by_email, created_at, heartbeat_at, expires_at)
     select $1, $2, $3, $4, 'running', $5, $6, $7, now(), $8
     where not exists (
       select from jobs where game_id = $2 and kind = $3 and state = 'running' and not (${IS_LOST})
     )
     returning ${JOB_COLUMNS}, result`,
    [
      ...[jobId, gameId, kind, JSON.stringify(subject), actor.name, emailOf(actor)],
      ...[new Date(actor.nowMs), new Date(expiresAt)],
    ],
  );
  return rows[0];
}

/** Deletes the oldest jobs of a game that have ended, so that it keeps no more than `kept`. */
export async function deleteOldJobs(client: Client, gameId: number, kept: number): Promise<void> {
  await client.query(
    `delete from jobs where id = any (array(
       select id from jobs where game_id = $1 and state <> 'running' order by created_at desc, id desc offset $2))`,
    [gameId, kept],
  );
}

export type JobPage = TimePage & Readonly<{ kind: JobKind | null }>;

/** A page of jobs, newest first, and one row more if there is a next page. Without the results of dry runs, which are large. */
export async function listJobs(
  pool: Pool,
  gameId: number,
  { kind, after = NEWEST, limit }: JobPage,
): Promise<Job[]> {
  return query<Job>(
    pool,
    {
      name: 'list_jobs',
      text: `select ${JOB_COLUMNS}, case when kind in ('dry_run', 'back_test') then null else result end as result from jobs
             where game_id between $1 and $1 and (created_at, id) < ($2, $3) and ($4::text is null or kind = $4)
             order by game_id desc, created_at desc, id desc
             limit $5`,
    },
    [gameId, new Date(after.at), after.id, kind, limit + 1],
  );
}

export async function findJob(db: Pool | Client, gameId: number, jobId: string): Promise<Job | undefined> {
  const rows = await query<Job>(
    db,
    { name: 'find_job', text: `select ${JOB_COLUMNS}, result from jobs where id = $2 and game_id = $1` },
    [gameId, jobId],
  );
  return rows[0];
}

/** People are told apart by their e-mail address, admin tokens by their name. */
export function isStartedBy({ createdBy, createdByEmail }: Job, actor: Actor): boolean {
  const email = emailOf(actor);
  return createdByEmail === email && (email !== null || createdBy === actor.name);
}

/** False if the job was cancelled. */
export async function updateJobProgress(
  pool: Pool,
  jobId: string,
  { done, total }: { done: number; total: number | null },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update jobs set heartbeat_at = now(), progress_done = $2, progress_total = $3
     where id = $1 and state = 'running'`,
    [jobId, done, total],
  );
  return rowCount === 1;
}

export type JobEnd = Readonly<{
  state: Exclude<JobState, 'running'>;
  result: unknown;
  failure: string | null;
  finishedAt: number;
  expiresAt: number;
}>;

/** False if the job has ended before, for example because it was cancelled. */
export async function updateJobEnded(
  db: Pool | Client,
  jobId: string,
  { state, result, failure, finishedAt, expiresAt }: JobEnd,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update jobs set state = $2, result = $3, failure = $4, finished_at = $5, expires_at = $6
     where id = $1 and state = 'running'`,
    [
      ...[jobId, state, result === null ? null : JSON.stringify(result), failure],
      ...[new Date(finishedAt), new Date(expiresAt)],
    ],
  );
  return rowCount === 1;
}
