import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { actorOf, gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success, successOf } from '../../admin/admin-responses.js';
import {
  JOB_EXAMPLE,
  JOB_EXAMPLE_ID,
  JobKindSchema,
  JobResponse,
  JobSchema,
  toJob,
} from '../../admin/job-schemas.js';
import { cutPage, listResponse, pageParameters, timeCursorOf } from '../../admin/page-cursor.js';
import { ApiError } from '../../errors.js';
import { withSchemaTypes } from '../../http/validation.js';
import { UUID } from '../../lib/uuid.js';
import { findJob, listJobs } from './job-queries.js';
import { cancelJob } from './jobs.js';

const LIMITS = { max: 100, fallback: 20 };
const LIST = 'jobs';

const JobParameters = Type.Object({
  ...GameParameters.properties,
  jobId: Type.String({ format: 'uuid', examples: [JOB_EXAMPLE_ID] }),
});

const JobsResponse = listResponse('JobsResponse', 'jobs', JobSchema, {
  example: JOB_EXAMPLE,
  description: 'Newest first',
});
const CancelledJobResponse = successOf(
  'CancelledJobResponse',
  Type.Object({ jobId: Type.String({ format: 'uuid' }) }),
  { example: { jobId: JOB_EXAMPLE_ID } },
);

/** Long work that was started with `background`: found again by anyone in the studio, with its progress and its result. */
export function jobRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const common = adminSchema('Jobs');
  const routes = withSchemaTypes(app);
  const viewer = requireRole(ctx, 'viewer');

  routes.get(
    '/admin/v1/games/:game/jobs',
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'listJobs',
        summary: 'Dry runs, replays, imports, trainings and funnels in the background, newest first',
        description:
          'A job is deleted a day after its end. A game keeps 100 jobs; of more, the oldest are deleted.',
        params: GameParameters,
        querystring: Type.Object({ ...pageParameters(LIMITS), kind: Type.Optional(JobKindSchema) }),
        response: { 200: JobsResponse, ...gameErrors(['parameter_invalid']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { cursor, limit = LIMITS.fallback, kind = null } = request.query;
      const after = timeCursorOf(LIST, cursor, UUID);
      const found = await listJobs(ctx.pool, gameId, { kind, after, limit });
      const { page, nextCursor } = cutPage(LIST, found, limit, (job) => [job.createdAt, job.jobId]);
      return success({ jobs: page.map(toJob), nextCursor });
    },
  );

  routes.get(
    '/admin/v1/games/:game/jobs/:jobId',
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'getJob',
        summary: 'A job, its progress and its result',
        params: JobParameters,
        response: { 200: JobResponse, ...gameErrors(['job_not_found']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { jobId } = request.params;
      const job = UUID.test(jobId) ? await findJob(ctx.pool, gameId, jobId) : undefined;
      if (job === undefined) throw new ApiError('job_not_found');
      return success(toJob(job));
    },
  );

  routes.delete(
    '/admin/v1/games/:game/jobs/:jobId',
    {
      onRequest: requireRole(ctx, 'editor'),
      schema: {
        ...common,
        operationId: 'cancelJob',
        summary: 'Cancel a running job',
        description: 'It ends within seconds. What it has done until then stays done.',
        params: JobParameters,
        response: { 200: CancelledJobResponse, ...gameErrors(['job_not_found']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { jobId } = request.params;
      const isCancelled =
        UUID.test(jobId) && (await cancelJob(ctx.pool, gameId, jobId, actorOf(ctx, request)));
      if (!isCancelled) throw new ApiError('job_not_found');
      return success({ jobId });
    },
  );
}
