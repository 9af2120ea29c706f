import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { asApiError } from '../../db/pool.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { checkBodyAgainst } from '../../http/validation.js';
import { adminSchema, GameParameters } from '../admin/admin-answers.js';
import type { AdminContext } from '../admin/admin-context.js';
import { gameErrors } from '../admin/admin-errors.js';
import { gameOf, requireRole } from '../admin/admin-guard.js';
import { requireConfigVersion } from '../config/config-queries.js';
import { type Candidate, findCandidate } from './candidate.js';
import { type DryRun, dryRun } from './dry-run.js';
import { DryRunBody, DryRunEnvelope, DryRunLine } from './dry-run-schemas.js';

/** Often enough for somebody who watches. */
const PROGRESS_INTERVAL_MS = 500;
/** About how long one takes for a game of a few hundred thousand players. */
const RETRY_AFTER_SECONDS = 10;

/** What publishing would change, before it is published. */
export function dryRunRoutes(app: FastifyInstance, ctx: AdminContext): void {
  // One keeps a core of this process and one of the database busy: a second would only make both slower.
  let isBusy = false;

  app.post<{ Body: DryRunEnvelope }>(
    '/admin/v1/games/:game/dry-run',
    {
      onRequest: requireRole(ctx, 'viewer'),
      validatorCompiler: checkBodyAgainst(DryRunEnvelope),
      schema: {
        ...adminSchema('Draft'),
        operationId: 'dryRun',
        summary: 'What publishing a document would change, for all players',
        description:
          'Decides for every player, or a sample of them, under the published document and under the other. Nothing is changed by it. The answer is a stream of lines, each a JSON text; who hangs up ends it.',
        params: GameParameters,
        body: DryRunBody,
        response: {
          200: {
            description: 'Lines of JSON',
            content: { 'application/x-ndjson': { schema: DryRunLine } },
          },
          ...gameErrors([...BODY_ERRORS, 'version_not_found', 'document_invalid', 'busy']),
        },
      },
    },
    async (request, reply) => {
      const { gameId, publishedVersion } = await gameOf(ctx, request);
      const { sample, ...candidate } = request.body ?? {};
      const after = await candidateOf(ctx, gameId, candidate);
      const { document: before } = await requireConfigVersion(ctx.pool, gameId, publishedVersion);
      if (isBusy) throw new ApiError('busy', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
      isBusy = true;
      const lines = startDryRun(ctx, { gameId, before, after, nowMs: ctx.clock.now(), sample }, () => {
        isBusy = false;
      });
      return reply.header('content-type', 'application/x-ndjson').send(lines);
    },
  );
}

async function candidateOf(ctx: AdminContext, gameId: number, candidate: Candidate) {
  if (candidate.document !== undefined && candidate.version !== undefined) {
    throw new ApiError('body_invalid', { message: 'Give a document or a version, not both.' });
  }
  const found = await findCandidate(ctx.pool, gameId, candidate);
  switch (found.outcome) {
    case 'found':
      return found.document;
    case 'invalid':
      throw new ApiError('document_invalid', { details: { problems: found.problems } });
    case 'no_such_version':
      throw new ApiError('version_not_found');
  }
}

/** The lines of a dry run that goes on for as long as somebody reads them. */
function startDryRun({ pool, logger }: AdminContext, run: DryRun, onEnd: () => void): PassThrough {
  const lines = new PassThrough();
  const write = (line: Record<string, unknown>) => {
    if (!lines.destroyed) lines.write(`${JSON.stringify(line)}\n`);
  };
  const stopping = new AbortController();
  lines.once('close', () => stopping.abort());
  let toldAt = Number.NEGATIVE_INFINITY;
  const onProgress: DryRun['onProgress'] = (progress) => {
    if (performance.now() - toldAt < PROGRESS_INTERVAL_MS) return;
    toldAt = performance.now();
    write({ progress });
  };
  dryRun(pool, { ...run, signal: stopping.signal, onProgress })
    .then((outcome) => {
      if (outcome.outcome === 'done') write({ result: outcome.result });
    })
    .catch((error: unknown) => {
      // Nobody reads it any more, or the service is being stopped.
      if (stopping.signal.aborted) return;
      const answer = asApiError(error);
      const { code, message } = answer instanceof ApiError ? answer : new ApiError('internal');
      logger.error({ err: error, gameId: run.gameId }, 'a dry run failed');
      write({ error: { code, message } });
    })
    .finally(() => {
      onEnd();
      lines.end();
    });
  return lines;
}
