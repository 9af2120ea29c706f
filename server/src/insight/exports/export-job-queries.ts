import { NEWEST, type TimePage } from '../../platform/admin-api/page-cursor.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import { type ClaimedExport, type ExportJob, MAX_BYTES } from './export-job.js';
import type { ExportKey } from './export-queries.js';

const JOB_COLUMNS = `id as "exportId", game_id as "gameId", format, span_from as "from", span_to as "to", state,
  created_by as "createdBy", created_at as "createdAt", expected_events::float8 as "expectedEvents",
  shown_events::float8 as "shownEvents", bytes::float8 as bytes, chunks, failure, finished_at as "finishedAt",
  expires_at as "expiresAt"`;

export type NewExportJob = Pick<
  ExportJob,
  | 'exportId'
  | 'gameId'
  | 'format'
  | 'from'
  | 'to'
  | 'createdBy'
  | 'createdAt'
  | 'expectedEvents'
  | 'expiresAt'
> & { tenantId: number };

export async function insertExportJob(client: Client, job: NewExportJob): Promise<ExportJob | undefined> {
  const { exportId, tenantId, gameId, format, from, to, createdBy, expectedEvents } = job;
  const { rows } = await client.query<ExportJob>(
    `insert into export_jobs (id, tenant_id, game_id, format, span_from, span_to, state, created_by, expected_events,
       created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, 'waiting', $7, $8, $9, $10)
     returning ${JOB_COLUMNS}`,
    [
      ...[exportId, tenantId, gameId, format, from, to, createdBy, Math.round(expectedEvents)],
      ...[new Date(job.createdAt), new Date(job.expiresAt)],
    ],
  );
  return rows[0];
}

/** How many exports a studio has, how many of them are open, and the bytes of all. */
export async function measureExportJobs(
  client: Client,
  tenantId: number,
): Promise<{ kept: number; open: number; bytes: number }> {
  const { rows } = await client.query<{ kept: number; open: number; bytes: number }>(
    `select count(*)::int as kept, (count(*) filter (where state in ('waiting', 'running')))::int as open, coalesce(sum(bytes), 0)::float8 as bytes
     from export_jobs where tenant_id = $1`,
    [tenantId],
  );
  return rows[0] ?? { kept: 0, open: 0, bytes: 0 };
}

/** A page of exports, newest first, and one row more if there is a next page. */
export async function listExportJobs(
  pool: Pool,
  gameId: number,
  { after = NEWEST, limit }: TimePage,
): Promise<ExportJob[]> {
  return query<ExportJob>(
    pool,
    {
      name: 'list_export_jobs',
      text: `select ${JOB_COLUMNS} from export_jobs
             where game_id between $1 and $1 and (created_at, id) < ($2, $3)
             order by game_id desc, created_at desc, id desc
             limit $4`,
    },
    [gameId, new Date(after.at), after.id, limit + 1],
  );
}

export async function findExportJob(
  db: Pool | Client,
  gameId: number,
  exportId: string,
): Promise<ExportJob | undefined> {
  const rows = await query<ExportJob>(
    db,
    {
      name: 'find_export_job',
      text: `select ${JOB_COLUMNS} from export_jobs where id = $2 and game_id = $1`,
    },
    [gameId, exportId],
  );
  return rows[0];
}

/** False if the export is already cancelled or deleted. It expires now, so the next maintenance deletes its chunks. */
export async function updateExportCancelled(
  client: Client,
  exportId: string,
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `update export_jobs set state = 'cancelled', worker = null, finished_at = $2, expires_at = $2
     where id = $1 and state <> 'cancelled'`,
    [exportId, new Date(nowMs)],
  );
  return rowCount === 1;
}

type ClaimedRow = Omit<ClaimedExport, 'span' | 'after'> & {
  from: string;
  to: string;
  cursor: ExportKey | null;
};

/**
 * Claims the next export that is waiting, or whose node has sent no heartbeat for a while. The first export of each studio comes
 * before the second of any, so that no studio waits for all exports of another. Uses the clock of the database: those of nodes differ.
 */
export async function claimExportJob(
  pool: Pool,
  worker: string,
  leaseSeconds: number,
): Promise<ClaimedExport | undefined> {
  const { rows } = await pool.query<ClaimedRow>(
    `update export_jobs set state = 'running', worker = $1, heartbeat_at = now(), attempts = attempts + 1
     where id = (
       select j.id from export_jobs j
       where j.state in ('waiting', 'running')
         and (j.state = 'waiting' or j.heartbeat_at < now() - make_interval(secs => $2))
       order by (
         select count(*) from export_jobs o
         where o.tenant_id = j.tenant_id and o.created_at < j.created_at and o.state in ('waiting', 'running')
       ), j.created_at, j.id
       limit 1
       for update skip locked
     )
     returning id as "exportId", game_id as "gameId", format, span_from as "from", span_to as "to", cursor,
       events::float8 as events, attempts`,
    [worker, leaseSeconds],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const { from, to, cursor, ...rest } = row;
  return { ...rest, span: { from, to }, after: cursor };
}

type Held = Readonly<{ exportId: string; worker: string }>;

/** False if the export was cancelled, or another node has claimed it. */
export async function updateExportHeartbeat(
  pool: Pool,
  { exportId, worker }: Held,
  shownEvents: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update export_jobs set heartbeat_at = now(), shown_events = $3 where id = $1 and worker = $2 and state = 'running'`,
    [exportId, worker, shownEvents],
  );
  return rowCount === 1;
}

export type SavedChunk = Readonly<{ data: Buffer; events: number; key: ExportKey | null }>;

/** Adds a chunk, and notes the progress. With a key to continue from, the attempts are counted anew. */
export async function insertExportChunk(
  client: Client,
  { exportId, worker }: Held,
  { data, events, key }: SavedChunk,
): Promise<'saved' | 'lost' | 'too_large'> {
  const { rows } = await client.query<{ bytes: number }>(
    `with job as (
       update export_jobs set chunks = chunks + 1, bytes = bytes + $4, events = $5, shown_events = $5, cursor = $6,
         heartbeat_at = now(), attempts = case when $6::json is null then attempts else 0 end
       where id = $1 and worker = $2 and state = 'running'
       returning id, chunks, bytes
     ), saved as (
       insert into export_chunks (job_id, number, data) select id, chunks, $3::bytea from job
     )
     select bytes::float8 as bytes from job`,
    [exportId, worker, data, data.length, events, key === null ? null : JSON.stringify(key)],
  );
  const bytes = rows[0]?.bytes;
  if (bytes === undefined) return 'lost';
  return bytes > MAX_BYTES ? 'too_large' : 'saved';
}

/** Deletes the chunks, so that the export begins anew: without a key to continue from, nothing can be appended. */
export async function deleteExportProgress(client: Client, { exportId, worker }: Held): Promise<void> {
  const { rowCount } = await client.query(
    `update export_jobs set chunks = 0, bytes = 0, events = 0, shown_events = 0, cursor = null
     where id = $1 and worker = $2 and state = 'running'`,
    [exportId, worker],
  );
  if (rowCount === 1) await client.query('delete from export_chunks where job_id = $1', [exportId]);
}

export async function updateExportEnded(
  pool: Pool,
  { exportId, worker }: Held,
  {
    state,
    failure,
    nowMs,
    expiresAt,
  }: { state: 'done' | 'failed'; failure: string | null; nowMs: number; expiresAt: number },
): Promise<void> {
  await pool.query(
    `update export_jobs set state = $3, failure = $4, finished_at = $5, expires_at = $6, worker = null
     where id = $1 and worker = $2 and state = 'running'`,
    [exportId, worker, state, failure, new Date(nowMs), new Date(expiresAt)],
  );
}

/** Releases the export, so that the next node that polls claims it. */
export async function updateExportReleased(pool: Pool, { exportId, worker }: Held): Promise<void> {
  await pool.query(
    `update export_jobs set state = 'waiting', worker = null where id = $1 and worker = $2 and state = 'running'`,
    [exportId, worker],
  );
}

export async function findExportChunk(
  pool: Pool,
  exportId: string,
  number: number,
): Promise<Buffer | undefined> {
  const rows = await query<{ data: Buffer }>(
    pool,
    { name: 'find_export_chunk', text: 'select data from export_chunks where job_id = $1 and number = $2' },
    [exportId, number],
  );
  return rows[0]?.data;
}
