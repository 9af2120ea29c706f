import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { cutPage, pageParameters, timeCursorOf } from '../../platform/admin-api/page-cursor.js';
import type { Pool } from '../../platform/db/pool.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { UUID } from '../../platform/lib/uuid.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { parseInstant, type Span } from '../../studio/jobs/export-span.js';
import { type ExportJob, MAX_KEPT, MAX_KEPT_BYTES, MAX_OPEN } from './export-job.js';
import { findExportChunk, findExportJob, listExportJobs } from './export-job-queries.js';
import { auditDownload, cancelExport, startExport } from './export-jobs.js';
import {
  CancelledExportResponse,
  ExportBody,
  ExportParameters,
  ExportResponse,
  ExportsResponse,
} from './export-schemas.js';

const LIMITS = { max: 100, fallback: 20 };
const LIST = 'exports';

/** `nudgeExports` tells the runner about a new export, so that it does not wait for its next poll. */
type ExportContext = AdminContext & Readonly<{ nudgeExports: () => void }>;

/** Exports of events to a file. They run in the background, and survive restarts. */
export function exportRoutes(app: FastifyInstance, ctx: ExportContext): void {
  const routes = routesOfGame(app, ctx, 'Exports');

  const jobOf = async (gameId: number, exportId: string): Promise<ExportJob> => {
    const job = UUID.test(exportId) ? await findExportJob(ctx.pool, gameId, exportId) : undefined;
    if (job === undefined) throw new ApiError('export_not_found');
    return job;
  };

  routes.post('/admin/v1/games/:game/exports', {
    role: 'editor',
    operationId: 'startExport',
    summary: 'Start an export of events',
    description:
      'The same as `savepoint export events`: events whose own time lies in the span, in the order of their receipt; in NDJSON then the refunds that stores reported in that time, as lines of `kind` `transactionChange`. Get the export to see its progress. Its file is deleted three days after its end.',
    body: ExportBody,
    response: { 202: ExportResponse },
    errors: [...BODY_ERRORS, 'export_limit'],
    handle: async ({ gameId, admin: { tenantId }, body, actorNow }) => {
      const { format = 'ndjson' } = body;
      const wanted = { tenantId, gameId, format, span: spanOf(body) };
      const started = await startExport(ctx.pool, wanted, actorNow());
      if (started.outcome !== 'started') throw limitError(started.outcome);
      ctx.nudgeExports();
      return toResponse(started.job);
    },
  });

  routes.get('/admin/v1/games/:game/exports', {
    role: 'viewer',
    operationId: 'listExports',
    summary: 'The exports of a game, newest first',
    querystring: Type.Object(pageParameters(LIMITS)),
    response: { 200: ExportsResponse },
    handle: async ({ gameId, query }) => {
      const { cursor, limit = LIMITS.fallback } = query;
      const after = timeCursorOf(LIST, cursor, UUID);
      const found = await listExportJobs(ctx.pool, gameId, { after, limit });
      const { page, nextCursor } = cutPage(LIST, found, limit, (job) => [job.createdAt, job.exportId]);
      return { exports: page.map(toResponse), nextCursor };
    },
  });

  routes.get('/admin/v1/games/:game/exports/:exportId', {
    role: 'viewer',
    operationId: 'getExport',
    summary: 'An export and its progress',
    params: ExportParameters,
    response: { 200: ExportResponse },
    errors: ['export_not_found'],
    handle: async ({ gameId, params }) => toResponse(await jobOf(gameId, params.exportId)),
  });

  routes.delete('/admin/v1/games/:game/exports/:exportId', {
    role: 'editor',
    operationId: 'cancelExport',
    summary: 'Cancel an export, or delete its file',
    params: ExportParameters,
    response: { 200: CancelledExportResponse },
    errors: ['export_not_found'],
    handle: async ({ gameId, params, actorNow }) => {
      const { exportId } = params;
      const isCancelled = UUID.test(exportId) && (await cancelExport(ctx.pool, gameId, exportId, actorNow()));
      if (!isCancelled) throw new ApiError('export_not_found');
      return { exportId };
    },
  });

  routes.get('/admin/v1/games/:game/exports/:exportId/file', {
    role: 'editor',
    operationId: 'downloadExport',
    summary: 'The compressed file of an export that is done',
    // A HEAD request downloads nothing, and must not write an audit entry.
    options: { exposeHeadRoute: false },
    params: ExportParameters,
    response: {
      200: {
        description: 'The file',
        content: {
          'application/gzip': {
            schema: Type.String({ format: 'binary', examples: ['(the bytes of the file)'] }),
          },
        },
      },
    },
    errors: ['export_not_found', 'export_not_ready'],
    handle: async ({ gameId, game, params, reply, actorNow }) => {
      const job = await jobOf(gameId, params.exportId);
      if (job.state === 'cancelled') throw new ApiError('export_not_found');
      if (job.state !== 'done') throw new ApiError('export_not_ready');
      await auditDownload(ctx.pool, job, actorNow());
      const name = `${game}-events-${job.from.slice(0, 10)}-${job.to.slice(0, 10)}.${job.format}.gz`;
      return reply
        .header('content-type', 'application/gzip')
        .header('content-length', job.bytes)
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(Readable.from(chunksOf(ctx.pool, job)));
    },
  });
}

/** Reads one chunk at a time: a slow client holds no connection of the database, and one chunk of memory. */
async function* chunksOf(pool: Pool, { exportId, chunks }: ExportJob): AsyncGenerator<Buffer> {
  for (let number = 1; number <= chunks; number++) {
    const chunk = await findExportChunk(pool, exportId, number);
    if (chunk === undefined) throw new Error('an export was deleted while it was read');
    yield chunk;
  }
}

function spanOf(body: { from: string; to: string }): Span {
  const [from, to] = [momentOf('from', body.from), momentOf('to', body.to)];
  if (from < to) return { from, to };
  throw new ApiError('body_invalid', { message: '`from` must be before `to`.' });
}

function momentOf(name: string, text: string): string {
  const moment = parseInstant(text);
  if (moment !== undefined) return moment;
  throw new ApiError('body_invalid', {
    message: `\`${name}\` must be a date such as 2026-11-15, or an RFC 3339 time such as 2026-11-15T08:30:00Z.`,
  });
}

function limitError(outcome: 'too_many_open' | 'too_much_kept'): ApiError {
  return new ApiError('export_limit', {
    message:
      outcome === 'too_many_open'
        ? `${MAX_OPEN} exports of the studio are waiting or running. Wait until one is done, or cancel one.`
        : `The studio has ${MAX_KEPT} exports, or ${MAX_KEPT_BYTES / 1024 ** 3} GiB of files. Delete exports that you have downloaded. The space is free within the hour.`,
  });
}

function toResponse(job: ExportJob) {
  const { exportId, state, from, to, format, createdBy, bytes, failure, expectedEvents } = job;
  return {
    exportId,
    state,
    from,
    to,
    format,
    createdBy,
    bytes,
    failure,
    expectedEvents,
    events: job.shownEvents,
    createdAt: toTime(job.createdAt),
    finishedAt: toTime(job.finishedAt),
    expiresAt: toTime(job.expiresAt),
  };
}
