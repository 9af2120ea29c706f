import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { actorOf, gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success, toTime } from '../../admin/admin-responses.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { withSchemaTypes } from '../../http/validation.js';
import { PublishedResponse } from '../game-configs/config-schemas.js';
import { changeInTurn } from '../game-configs/document-changes.js';
import { PUBLICATION_ERRORS, publicationResponse } from '../game-configs/publish-response.js';
import { type EndOutcome, endExperiment } from './end-experiment.js';
import {
  EndExperimentBody,
  ExperimentParameters,
  ExperimentQuery,
  ExperimentResponse,
  ExperimentsResponse,
  FormerExperimentsResponse,
  SumsRequestedResponse,
} from './experiment-schemas.js';
import { findExperiment, listExperiments, type ShownExperiment } from './experiment-views.js';
import { findExperimentOrFormer, listFormerExperiments } from './former-experiments.js';
import { updateSumsRequested } from './view-queries.js';

/** Maintenance has not seen the experiment yet. */
const BEGUN_LATELY =
  'The experiment began a few minutes ago, and nothing is summed yet. Its first report comes after its first whole UTC day.';

/** What experiments have shown, and their end. */
export function experimentRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = withSchemaTypes(app);
  const common = adminSchema('Experiments');
  const viewer = requireRole(ctx, 'viewer');
  const editor = requireRole(ctx, 'editor');

  routes.get(
    '/admin/v1/games/:game/experiments',
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'listExperiments',
        summary: 'The experiments of the published version, with state and verdict',
        params: GameParameters,
        response: { 200: ExperimentsResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId, publishedVersion } = await gameOf(ctx, request);
      const experiments = await listExperiments(ctx.pool, gameId, ctx.clock.now());
      return success({ version: publishedVersion, experiments: experiments.map(shown) });
    },
  );

  routes.get(
    '/admin/v1/games/:game/experiments/:experimentId',
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'getExperiment',
        summary: 'What an experiment has shown, with intervals that may be looked at every day',
        description:
          'One that the published version does not have is given as it was at the end of its last run, with the last report.',
        params: ExperimentParameters,
        querystring: ExperimentQuery,
        response: {
          200: ExperimentResponse,
          ...gameErrors(['parameter_invalid', 'experiment_not_found']),
        },
      },
    },
    async (request) => {
      const { gameId, publishedVersion } = await gameOf(ctx, request);
      const run = { experimentId: request.params.experimentId, seed: request.query.seed };
      const found = await findExperimentOrFormer(ctx.pool, gameId, run, ctx.clock.now());
      if (found === undefined) throw new ApiError('experiment_not_found');
      const { isFormer, days } = found;
      return success({ ...shown(found), isFormer, version: publishedVersion, days: [...days] });
    },
  );

  routes.get(
    '/admin/v1/games/:game/former-experiments',
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'listFormerExperiments',
        summary: 'Experiments that the published version does not have any more, with their last reports',
        params: GameParameters,
        response: { 200: FormerExperimentsResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const experiments = await listFormerExperiments(ctx.pool, gameId, ctx.clock.now());
      return success({ experiments: experiments.map(shown) });
    },
  );

  routes.post(
    '/admin/v1/games/:game/experiments/:experimentId/sums',
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'requestExperimentSums',
        summary: 'Ask for a new report, for instance after late events',
        description: 'Reports are made once a day anyway.',
        params: ExperimentParameters,
        response: {
          202: SumsRequestedResponse,
          ...gameErrors(['experiment_not_found', 'experiment_not_running']),
        },
      },
    },
    async (request, reply) => {
      const { gameId } = await gameOf(ctx, request);
      const { experimentId } = request.params;
      const nowMs = ctx.clock.now();
      const found = await findExperiment(ctx.pool, gameId, experimentId, nowMs);
      if (found === undefined) throw new ApiError('experiment_not_found');
      const { seed, state } = found.experiment;
      if (!(await updateSumsRequested(ctx.pool, { gameId, experimentId, seed }, nowMs))) {
        const message = state === 'running' ? BEGUN_LATELY : undefined;
        throw new ApiError('experiment_not_running', message === undefined ? {} : { message });
      }
      return reply.code(202).send(success({ isRequested: true as const }));
    },
  );

  routes.post(
    '/admin/v1/games/:game/experiments/:experimentId/end',
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'endExperiment',
        summary: 'End a running experiment: everybody gets the winner, in one publication',
        description:
          'The experiment is `decided` from then on, and experiment("id") is the winner for everybody whom it covers. Nothing else of the document changes. Its last report is kept as it is. A draft with changes stays as it is, and can be published once it is based on this version.',
        params: ExperimentParameters,
        body: EndExperimentBody,
        response: {
          201: PublishedResponse,
          ...gameErrors([
            ...BODY_ERRORS,
            'experiment_not_found',
            'experiment_not_running',
            ...PUBLICATION_ERRORS,
          ]),
        },
      },
    },
    async (request, reply) => {
      const { gameId } = await gameOf(ctx, request);
      const end = { ...request.body, gameId, experimentId: request.params.experimentId };
      const outcome = await changeInTurn(ctx, request, () =>
        endExperiment(ctx.pool, end, actorOf(ctx, request)),
      );
      return reply.code(201).send(success(endResponse(outcome)));
    },
  );
}

function endResponse(outcome: EndOutcome) {
  switch (outcome.outcome) {
    case 'no_such_experiment':
      throw new ApiError('experiment_not_found');
    case 'not_running':
      throw new ApiError('experiment_not_running');
    case 'no_such_variant':
      throw new ApiError('body_invalid', { message: `winner must be ${outcome.variants.join(' or ')}.` });
    default:
      return publicationResponse(outcome);
  }
}

function shown({ experiment, sentence, startedAt, endedAt, isRequested, madeAt, report }: ShownExperiment) {
  const times = { startedAt: toTime(startedAt), endedAt: toTime(endedAt), madeAt: toTime(madeAt) };
  return { experiment, sentence, ...times, isRequested, report };
}
