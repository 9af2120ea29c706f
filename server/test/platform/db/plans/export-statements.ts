import { pino } from 'pino';
import {
  claimExportJob,
  deleteExportProgress,
  findExportChunk,
  findExportJob,
  insertExportChunk,
  listExportJobs,
} from '../../../../src/insight/exports/export-job-queries.js';
import { cancelExport, startExport } from '../../../../src/insight/exports/export-jobs.js';
import { snapshot, transaction } from '../../../../src/platform/db/pool.js';
import { DAY_MS } from '../../../../src/platform/lib/day.js';
import type { JobRun } from '../../../../src/studio/admin-api/background-jobs.js';
import { deleteExpiredExports } from '../../../../src/studio/jobs/export-expiry.js';
import { deleteExpiredJobs } from '../../../../src/studio/jobs/job-expiry.js';
import { findJob, listJobs, updateJobProgress } from '../../../../src/studio/jobs/job-queries.js';
import { cancelJob, createJobs } from '../../../../src/studio/jobs/jobs.js';
import { auditPlayerExport } from '../../../../src/trust/player-exports/audit-player-export.js';
import { exportPieces } from '../../../../src/trust/player-exports/export-pieces.js';
import { claimExport, releaseExport } from '../../../../src/trust/player-exports/export-queries.js';
import { createExportPool } from '../../../../src/trust/player-exports/player-exports.js';
import { WORLD } from './large-tables.js';
import type { Listed } from './listed-statement.js';

const { gameId, tenantId, playerId, userId } = WORLD;
/** Work that goes on until it is told to end. */
const aborted = ({ signal }: JobRun) =>
  new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
const WORKER = '00000000-0000-4000-8000-000000000001';
const SPAN = { from: '2026-01-01T00:00:00.000000Z', to: '2026-01-02T00:00:00.000000Z' };

/** Statements of exports and other jobs in the background. */
export const EXPORT_STATEMENTS: readonly Listed[] = [
  {
    what: 'list_export_jobs',
    call: ({ admin }) => listExportJobs(admin, gameId, { after: undefined, limit: 20 }),
  },
  { what: 'find_export_job', call: ({ admin }) => findExportJob(admin, gameId, userId) },
  { what: 'find_export_chunk', call: ({ admin }) => findExportChunk(admin, userId, 1) },
  {
    what: 'list_jobs',
    call: ({ admin }) => listJobs(admin, gameId, { kind: null, after: undefined, limit: 20 }),
  },
  { what: 'find_job', call: ({ admin }) => findJob(admin, gameId, userId) },
  {
    what: 'jobs',
    call: async ({ admin, nowMs }) => {
      const actor = { name: 'a test', nowMs };
      const jobs = createJobs({
        pool: admin,
        clock: { now: () => nowMs },
        logger: pino({ level: 'silent' }),
      });
      const job = { gameId, kind: 'training', subject: {}, actor } as const;
      const started = await jobs.start(job, aborted, (work) => work());
      await updateJobProgress(admin, started?.jobId ?? '', { done: 1, total: 2 });
      await cancelJob(admin, gameId, started?.jobId ?? '', actor);
      await jobs.stop();
      await deleteExpiredJobs(admin, nowMs);
    },
  },
  {
    what: 'the export of a player',
    call: async ({ url, nowMs }) => {
      const pool = createExportPool(url);
      await snapshot(pool, async (client) => {
        // Before the first publication: the documents of the fill are empty.
        const pieces = await exportPieces(client, { gameId, userId, nowMs: nowMs - 1.5 * DAY_MS });
        if (pieces === undefined) throw new Error('there is no player');
        for await (const piece of pieces) if (piece === '') throw new Error('an empty piece');
      });
      await pool.end();
    },
  },
  {
    what: 'one export of a player an hour',
    call: async ({ service, nowMs }) => {
      await claimExport(service, playerId, nowMs);
      await claimExport(service, playerId, nowMs);
      await releaseExport(service, playerId);
    },
  },
  {
    what: 'the audit of an export of a player',
    call: ({ admin, nowMs }) => auditPlayerExport(admin, { gameId, userId }, { name: 'a test', nowMs }),
  },
  {
    what: 'chunks of exports',
    call: async ({ admin, nowMs }) => {
      const actor = { name: 'a test', nowMs };
      const started = await startExport(admin, { tenantId, gameId, format: 'csv', span: SPAN }, actor);
      if (started.outcome !== 'started') throw new Error('no export was started');
      const { exportId } = started.job;
      await claimExportJob(admin, WORKER, 30);
      await transaction(admin, async (client) => {
        const chunk = { data: Buffer.from('x'), events: 1, key: null };
        await insertExportChunk(client, { exportId, worker: WORKER }, chunk);
        await deleteExportProgress(client, { exportId, worker: WORKER });
      });
      await cancelExport(admin, gameId, exportId, actor);
      await deleteExpiredExports(admin, nowMs);
    },
  },
];
