import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  findCurrentState,
  findModel,
  listModels,
  listStates,
  type ModelSummary,
  type PredictionState,
  type StoredModel,
} from '../../core/predictions/model-queries.js';
import { MODEL_NAMES, type ModelName } from '../../decide/predict/artefact.js';
import { GameParameters, toTime } from '../../platform/admin-api/admin-responses.js';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import { pageLimit } from '../../platform/admin-api/page-cursor.js';
import { ApiError, busy } from '../../platform/errors.js';
import { createFairSemaphore } from '../../platform/lib/fair-semaphore.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import type { JobRun } from '../../studio/admin-api/background-jobs.js';
import { BackgroundQuery, JobResponse, toJob } from '../../studio/admin-api/job-schemas.js';
import { comparedModel } from './compared-model.js';
import {
  ComparisonResponse,
  ModelResponse,
  ModelRolledBackResponse,
  ModelsResponse,
  ModelTrainedResponse,
} from './model-schemas.js';
import { rollBackModel } from './roll-back-model.js';
import { findFailure } from './work-queries.js';

const MAX_MODELS = 100;
const DEFAULT_MODELS = 30;

/** One training at a time, because each may take a gigabyte and a core. No request waits: a second one gets `busy`. */
const TRAININGS = { maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaitingPerKey: 0 };
/** Longer than most trainings take. */
const RETRY_AFTER_SECONDS = 30;

const ModelParameters = Type.Object({
  ...GameParameters.properties,
  model: Type.Integer({ minimum: 1, description: 'Number of the model' }),
});

/** Trains the models of a game in another thread: this one serves requests. */
export type TrainModels = (
  training: Readonly<{ gameId: number; actor: Actor }>,
  run?: JobRun,
) => Promise<TrainingOutcome>;

/** `busy`: a training of this game is running. */
export type TrainingOutcome =
  | Readonly<{ outcome: 'trained'; version: number }>
  | Readonly<{ outcome: 'busy' }>;

type ModelContext = AdminContext & Readonly<{ trainModels: TrainModels }>;

/** The prediction models: list, read, train, compare and roll back. */
export function modelRoutes(app: FastifyInstance, ctx: ModelContext): void {
  const routes = routesOfGame(app, ctx, 'Predictions');
  const trainings = createFairSemaphore(TRAININGS);

  routes.get('/admin/v1/games/:game/models', {
    role: 'viewer',
    operationId: 'listModels',
    summary: 'The trainings of a game, and which one is in force',
    querystring: Type.Object({
      before: Type.Optional(Type.Integer({ description: 'Only models below this number' })),
      limit: pageLimit({ max: MAX_MODELS, fallback: DEFAULT_MODELS }),
    }),
    response: { 200: ModelsResponse },
    handle: async ({ gameId, query }) => {
      const { before = null, limit = DEFAULT_MODELS } = query;
      const models = await listModels(ctx.pool, gameId, { before, limit });
      const history = (await listStates(ctx.pool, gameId, limit)).map(toState);
      const failed = await findFailure(ctx.pool, gameId);
      const lastFailure =
        failed === undefined ? null : { at: toTime(failed.failedAt), message: failed.failure };
      return { inForce: history[0] ?? null, history, models: models.map(toSummary), lastFailure };
    },
  });

  routes.post('/admin/v1/games/:game/models', {
    role: 'editor',
    operationId: 'trainModels',
    summary: 'Train the models now',
    description:
      'Responds when the training is done, which takes seconds, or minutes for a large game. The training continues if the client disconnects. With `background` it is a job, whose progress can be read. A model that is better than the one in force is put in force.',
    querystring: BackgroundQuery,
    response: { 201: ModelTrainedResponse, 202: JobResponse },
    errors: ['busy'],
    handle: async ({ gameId, admin, query, reply, actorNow }) => {
      const actor = actorNow();
      const slot = trainings.of(admin.tenantId);
      if (query.background === 'true') {
        const job = { gameId, kind: 'training', subject: {}, actor } as const;
        const started = await ctx.jobs.start(
          job,
          async (run) => {
            const trained = await ctx.trainModels({ gameId, actor }, run);
            if (trained.outcome === 'busy') throw isTraining();
            const { isPromoted } = await requireModel(ctx, gameId, trained.version);
            return { modelVersion: trained.version, isPromoted };
          },
          slot.take,
        );
        if (started === undefined) throw isTraining();
        reply.code(202);
        return toJob(started);
      }
      const running = slot.take(() => ctx.trainModels({ gameId, actor }));
      const trained = running === undefined ? { outcome: 'busy' as const } : await running;
      if (trained.outcome === 'busy') throw isTraining();
      const model = await requireModel(ctx, gameId, trained.version);
      return toSummary(withoutArtefact(model));
    },
  });

  routes.get('/admin/v1/games/:game/models/:model', {
    role: 'viewer',
    operationId: 'getModel',
    summary: 'A training with its artefact',
    params: ModelParameters,
    response: { 200: ModelResponse },
    errors: ['model_not_found'],
    handle: async ({ gameId, params }) => {
      const found = await requireModel(ctx, gameId, params.model);
      return { ...toSummary(withoutArtefact(found)), artefact: found.artefact };
    },
  });

  routes.get('/admin/v1/games/:game/models/:model/comparison', {
    role: 'viewer',
    operationId: 'compareModels',
    summary: 'Compare two trainings on their newest weeks',
    params: ModelParameters,
    querystring: Type.Object({
      against: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: 'The model to compare with (default: the one in force)',
        }),
      ),
    }),
    response: { 200: ComparisonResponse },
    errors: ['model_not_found'],
    handle: async ({ gameId, params, query }) => {
      const { model: version } = params;
      const current = await findCurrentState(ctx.pool, gameId);
      const { against = current?.modelVersion ?? version } = query;
      const one = await requireModel(ctx, gameId, version);
      const other = await requireModel(ctx, gameId, against);
      const models = MODEL_NAMES.map((model) => ({
        model,
        version: comparedPart(one, model),
        against: comparedPart(other, model),
      }));
      return { version, against, models };
    },
  });

  routes.post('/admin/v1/games/:game/models/:model/roll-back', {
    role: 'editor',
    operationId: 'rollBackModel',
    summary: 'Put an older training in force again',
    params: ModelParameters,
    response: { 200: ModelRolledBackResponse },
    errors: ['model_not_found', 'model_unusable'],
    handle: async ({ gameId, params, actorNow }) => {
      const { model: version } = params;
      const outcome = await rollBackModel(ctx.pool, { gameId, version }, actorNow());
      switch (outcome.outcome) {
        case 'no_such_model':
          throw new ApiError('model_not_found');
        case 'unusable':
          throw new ApiError('model_unusable');
        default:
          return { modelVersion: version, isChanged: outcome.outcome === 'rolled_back' };
      }
    },
  });
}

const isTraining = () => busy(RETRY_AFTER_SECONDS, 'A training is running already.');

async function requireModel(ctx: AdminContext, gameId: number, version: number): Promise<StoredModel> {
  const found = await findModel(ctx.pool, gameId, version);
  if (found === undefined) throw new ApiError('model_not_found');
  return found;
}

function toSummary({ report, trainedAt, ...model }: ModelSummary) {
  return { ...model, trainedAt: toTime(trainedAt), models: report.models, progress: report.progress };
}

function withoutArtefact({ artefact: _, ...summary }: StoredModel): ModelSummary {
  return summary;
}

function toState({ modelVersion, since, author, cause, distrusted }: PredictionState) {
  return { modelVersion, since: toTime(since), author, cause, distrusted };
}

function comparedPart(stored: StoredModel, name: ModelName) {
  const { state, newestWeek, kept } = comparedModel(stored, name);
  return { state, newestWeek, keptNewestWeek: kept?.origins.at(-1) ?? null };
}
