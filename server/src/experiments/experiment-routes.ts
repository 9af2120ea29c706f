import type { FastifyInstance } from 'fastify';
import { PublishedResponse } from '../liveops/configs/config-schemas.js';
import { changeInTurn } from '../liveops/configs/document-changes.js';
import { PUBLICATION_ERRORS, publicationResponse } from '../liveops/configs/publish-response.js';
import { toTime } from '../platform/admin-api/admin-responses.js';
import { ApiError } from '../platform/errors.js';
import { BODY_ERRORS } from '../platform/http/api-schemas.js';
import type { AdminContext } from '../studio/admin-api/admin-context.js';
import { routesOfGame } from '../studio/admin-api/admin-routes.js';
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
import { findExperimentOrFormer, listFormerExperiments, unknownSeed } from './former-experiments.js';
import { titledMetrics } from './report/words.js';
import { listExposureSegments } from './segment-queries.js';
import { updateSumsRequested } from './view-queries.js';

/** Maintenance has not seen the experiment yet. */
const BEGUN_LATELY =
  'The experiment began a few minutes ago, and nothing is summed yet. Its first report comes after the UTC day of its start.';

/** What experiments have shown, and their end. */
export function experimentRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Experiments');

  routes.get('/admin/v1/games/:game/experiments', {
    role: 'viewer',
    operationId: 'listExperiments',
    summary: 'The experiments of the published version, with state and verdict',
    response: { 200: ExperimentsResponse },
    handle: async ({ gameId, publishedVersion }) => {
      const experiments = await listExperiments(ctx.pool, gameId, ctx.clock.now());
      return { version: publishedVersion, experiments: experiments.map(shown) };
    },
  });

  routes.get('/admin/v1/games/:game/experiments/:experimentId', {
    role: 'viewer',
    operationId: 'getExperiment',
    summary: 'What an experiment has shown, with intervals that may be looked at every day',
    description:
      'One that the published version does not have is given as it was at the end of its last run, with the last report.',
    params: ExperimentParameters,
    querystring: ExperimentQuery,
    response: { 200: ExperimentResponse },
    errors: ['experiment_not_found'],
    handle: async ({ gameId, publishedVersion, params, query }) => {
      const run = { experimentId: params.experimentId, seed: query.seed };
      const nowMs = ctx.clock.now();
      const found = await findExperimentOrFormer(ctx.pool, gameId, run, nowMs);
      if (found === undefined) {
        const message = await unknownSeed(ctx.pool, gameId, run, nowMs);
        throw new ApiError('experiment_not_found', message === undefined ? {} : { message });
      }
      const { isFormer, days, exposed, ending, publishedSeed } = found;
      const segments = isFormer ? [] : await listExposureSegments(ctx.pool, gameId, found);
      return {
        ...{ ...shown(found), isFormer, version: publishedVersion, segments, days: [...days] },
        ...{ metrics: titledMetrics(found.experiment), exposed, ending, publishedSeed },
      };
    },
  });

  routes.get('/admin/v1/games/:game/former-experiments', {
    role: 'viewer',
    operationId: 'listFormerExperiments',
    summary: 'Experiments that the published version does not have any more, with their last reports',
    response: { 200: FormerExperimentsResponse },
    handle: async ({ gameId }) => {
      const experiments = await listFormerExperiments(ctx.pool, gameId, ctx.clock.now());
      return { experiments: experiments.map(shown) };
    },
  });

  routes.post('/admin/v1/games/:game/experiments/:experimentId/sums', {
    role: 'editor',
    operationId: 'requestExperimentSums',
    summary: 'Ask for a new report, for instance after late events',
    description: 'Reports are made once a day anyway.',
    params: ExperimentParameters,
    response: { 202: SumsRequestedResponse },
    errors: ['experiment_not_found', 'experiment_not_running'],
    handle: async ({ gameId, params }) => {
      const { experimentId } = params;
      const nowMs = ctx.clock.now();
      const found = await findExperiment(ctx.pool, gameId, experimentId, nowMs);
      if (found === undefined) throw new ApiError('experiment_not_found');
      const { seed, state } = found.experiment;
      if (!(await updateSumsRequested(ctx.pool, { gameId, experimentId, seed }, nowMs))) {
        const message = state === 'running' ? BEGUN_LATELY : undefined;
        throw new ApiError('experiment_not_running', message === undefined ? {} : { message });
      }
      return { isRequested: true as const };
    },
  });

  routes.post('/admin/v1/games/:game/experiments/:experimentId/end', {
    role: 'editor',
    operationId: 'endExperiment',
    summary: 'End a running experiment: everybody gets the winner, in one publication',
    description:
      'The experiment is `decided` from then on, and experiment("id") is the winner for everybody of its `when`, which is asked anew for each response. Nothing else of the document changes. If an offer is cheaper in another arm, its players would see the price go up: the response is `price_raise_unconfirmed` until `confirmPriceRaises` is sent. Its last report is kept as it is. A draft with changes stays as it is, and can be published once it is based on this version.',
    params: ExperimentParameters,
    body: EndExperimentBody,
    response: { 201: PublishedResponse },
    errors: [...BODY_ERRORS, 'experiment_not_found', 'experiment_not_running', ...PUBLICATION_ERRORS],
    handle: async ({ gameId, admin, params, body, actorNow }) => {
      const end = { ...body, gameId, experimentId: params.experimentId };
      const outcome = await changeInTurn(ctx, admin, () => endExperiment(ctx.pool, end, actorNow()));
      return endResponse(outcome);
    },
  });
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
