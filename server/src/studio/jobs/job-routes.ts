import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { GameParameters, successOf } from '../../platform/admin-api/admin-responses.js';
import { cutPage, listResponse, pageParameters, timeCursorOf } from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { UUID } from '../../platform/lib/uuid.js';
import type { AdminContext } from '../admin-api/admin-context.js';
import { refuseRoleBelow } from '../admin-api/admin-guard.js';
import { routesOfGame } from '../admin-api/admin-routes.js';
import {
  JOB_EXAMPLE,
  JOB_EXAMPLE_ID,
  JobKindSchema,
  JobResponse,
  JobSchema,
  toJob,
} from '../admin-api/job-schemas.js';
import { findJob, isStartedBy, listJobs } from './job-queries.js';
import { cancelJob } from './jobs.js';

const LIMITS = { max: 100, fallback: 20 };
const LIST = 'jobs';

const JobParameters = Type.Object({
  ...GameParameters.properties,
  jobId: Type.String({
    format: 'uuid',
    description: '`jobId` of the list of jobs',
    examples: [JOB_EXAMPLE_ID],
  }),
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
  const routes = routesOfGame(app, ctx, 'Jobs');

  routes.get('/admin/v1/games/:game/jobs', {
    role: 'viewer',
    operationId: 'listJobs',
    summary: 'Dry runs, replays, imports, trainings and funnels in the background, newest first',
    description:
      'A job is deleted a day after its end. A game keeps 100 jobs; of more, the oldest are deleted.',
    querystring: Type.Object({
      ...pageParameters(LIMITS),
      kind: Type.Optional(Type.Union(JobKindSchema.anyOf, { description: 'Only jobs of this kind' })),
    }),
    response: { 200: JobsResponse },
    handle: async ({ gameId, query }) => {
      const { cursor, limit = LIMITS.fallback, kind = null } = query;
      const after = timeCursorOf(LIST, cursor, UUID);
      const found = await listJobs(ctx.pool, gameId, { kind, after, limit });
      const { page, nextCursor } = cutPage(LIST, found, limit, (job) => [job.createdAt, job.jobId]);
      return { jobs: page.map(toJob), nextCursor };
    },
  });

  routes.get('/admin/v1/games/:game/jobs/:jobId', {
    role: 'viewer',
    operationId: 'getJob',
    summary: 'A job, its progress and its result',
    params: JobParameters,
    response: { 200: JobResponse },
    errors: ['job_not_found'],
    handle: async ({ gameId, params }) => {
      const { jobId } = params;
      const job = UUID.test(jobId) ? await findJob(ctx.pool, gameId, jobId) : undefined;
      if (job === undefined) throw new ApiError('job_not_found');
      return toJob(job);
    },
  });

  routes.delete('/admin/v1/games/:game/jobs/:jobId', {
    role: 'viewer',
    operationId: 'cancelJob',
    summary: 'Cancel a running job',
    description:
      'It ends within seconds. What it has done until then stays done. A viewer may cancel what the viewer has started, such as a dry run or a funnel; an editor may cancel every job.',
    params: JobParameters,
    response: { 200: CancelledJobResponse },
    errors: ['job_not_found'],
    handle: async ({ admin: { role }, gameId, params, actorNow }) => {
      const { jobId } = params;
      const actor = actorNow();
      const job = UUID.test(jobId) ? await findJob(ctx.pool, gameId, jobId) : undefined;
      if (job === undefined) throw new ApiError('job_not_found');
      if (!isStartedBy(job, actor)) refuseRoleBelow(role, 'editor');
      if (!(await cancelJob(ctx.pool, gameId, jobId, actor))) throw new ApiError('job_not_found');
      return { jobId };
    },
  });
}
