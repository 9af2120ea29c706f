import type { FastifyInstance } from 'fastify';
import { requireConfigVersion } from '../../core/configs/config-queries.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { bodyCheckedAs } from '../../platform/http/validation.js';
import { createFairSemaphore } from '../../platform/lib/fair-semaphore.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import type { JobRun } from '../../studio/admin-api/background-jobs.js';
import { BackgroundQuery } from '../../studio/admin-api/job-schemas.js';
import type { LineWriter } from '../../studio/admin-api/json-lines.js';
import { longWorkResponses, startLongWork } from '../../studio/admin-api/long-work.js';
import { requireCandidate } from '../evaluations/require-candidate.js';
import { type DryRun, type DryRunProgress, dryRun } from './dry-run.js';
import { DryRunBody, DryRunEnvelope, DryRunLine } from './dry-run-schemas.js';
import { readFutureInstant } from './future-instant.js';

/**
 * A dry run keeps one core of this process and one of the database busy, so more at a time would slow all of them down. Each
 * studio may run one, so that no studio blocks the others. No request waits: a second one gets `busy`.
 */
const RUNS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 0 };

/** The dry run: what publishing a document would change. */
export function dryRunRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Draft');
  const semaphore = createFairSemaphore(RUNS);

  routes.post('/admin/v1/games/:game/dry-run', {
    role: 'viewer',
    operationId: 'dryRun',
    summary: 'What publishing a document would change, for all players',
    description:
      'Evaluates every player, or a sample of them, under the published document and under the new one: now, and at each instant at which something of the two begins or ends later. Changes nothing. The response is a stream of lines of JSON. If the client disconnects, the run stops. With `background` it goes on as a job.',
    querystring: BackgroundQuery,
    ...bodyCheckedAs(DryRunBody, DryRunEnvelope),
    response: longWorkResponses(DryRunLine),
    errors: [...BODY_ERRORS, 'version_not_found', 'document_invalid', 'busy'],
    handle: async ({ gameId, publishedVersion, admin, query, body, reply, actorNow }) => {
      const { sample, at, later = at === undefined, ...candidate } = body ?? {};
      const nowMs = instantOf(at, ctx.clock.now());
      const { document: after, revision } = await requireCandidate(ctx.pool, gameId, candidate);
      const { document: before } = await requireConfigVersion(ctx.pool, gameId, publishedVersion);
      const run = { gameId, before, after, nowMs, sample, isWithLater: later };
      const subject = { revision, version: candidate.version ?? null, publishedVersion };
      return startLongWork(ctx, reply, {
        query,
        slot: semaphore.of(admin.tenantId),
        job: { gameId, kind: 'dry_run', subject, actor: actorNow() },
        asJob: (as) => dryRunAs(ctx, run, as),
        what: 'a dry run',
        asLines: (writer) => writeDryRun(ctx, run, writer),
      });
    },
  });
}

function instantOf(at: string | undefined, nowMs: number): number {
  const atMs = at === undefined ? nowMs : readFutureInstant(at, nowMs);
  if (atMs !== undefined) return atMs;
  const message = '`at` must be a time, now or later, such as 2026-11-15T12:00:00Z.';
  throw new ApiError('body_invalid', { message });
}

async function dryRunAs({ reads }: AdminContext, run: DryRun, { signal, tell }: JobRun): Promise<unknown> {
  const onProgress = ({ examined, total }: DryRunProgress) => tell({ done: examined, total });
  const outcome = await reads.run((db) => dryRun(db, { ...run, signal, onProgress }));
  if (outcome.outcome === 'too_many_facts') {
    throw new ApiError('document_invalid', { message: outcome.message });
  }
  return outcome.outcome === 'done' ? outcome.result : null;
}

async function writeDryRun(
  { reads }: AdminContext,
  run: DryRun,
  { signal, write, tell }: LineWriter,
): Promise<void> {
  const outcome = await reads.run((db) => dryRun(db, { ...run, signal, onProgress: tell }));
  if (outcome.outcome === 'done') write({ result: outcome.result });
  if (outcome.outcome === 'too_many_facts')
    write({ error: { code: 'document_invalid', message: outcome.message } });
}
