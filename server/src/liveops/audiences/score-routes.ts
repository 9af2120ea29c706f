import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { nullable, successOf, Time, toTime } from '../../platform/admin-api/admin-responses.js';
import { busy } from '../../platform/errors.js';
import { createFairSemaphore } from '../../platform/lib/fair-semaphore.js';
import { createTtlCache } from '../../platform/lib/ttl-cache.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { FAST_SAMPLE_SIZE, type PlayerSamples } from './player-samples.js';
import { countScores, type ScoreDistributions } from './score-distributions.js';
import { requireCount } from './segment-counter.js';

const COUNTS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 4 };
const RETRY_AFTER_SECONDS = 2;
/** Predictions change once a day, and with what players do. */
const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;

const Distribution = Type.Object(
  {
    unit: Type.String({ description: '`probability`, `purchases` or a currency' }),
    bins: Type.Array(
      Type.Object({
        from: Type.Number(),
        to: nullable(Type.Number({ description: 'The end of the bin, not included; null: no end' })),
        players: Type.Integer(),
      }),
      {
        description:
          'Probabilities from 0 to 1; amounts up to a round number that 98 of 100 players stay below',
      },
    ),
    bands: Type.Object({ low: Type.Integer(), medium: Type.Integer(), high: Type.Integer() }),
    ready: Type.Integer({
      description: 'Players with a prediction of their own; the others have an average',
    }),
    reported: nullable(
      Type.Object(
        {
          currency: Type.String({ description: 'The reporting currency of the studio' }),
          rate: Type.String({ description: 'What one unit of `unit` is worth in it today' }),
        },
        {
          description:
            'Bins are in `unit`, because rules compare with it. Null if that is no currency, without a reporting currency and without a rate.',
        },
      ),
    ),
  },
  { title: 'ScoreDistribution' },
);

const DISTRIBUTION_EXAMPLE = {
  unit: 'probability',
  bins: [{ from: 0, to: 0.05, players: 812 }],
  bands: { low: 9000, medium: 7311, high: 4000 },
  ready: 20_311,
  reported: null,
};

const ScoresResponse = successOf(
  'PredictionScoresResponse',
  Type.Object({
    players: Type.Integer({ description: 'All players of the game' }),
    examined: Type.Integer({
      description: `How many of them were scored: ${FAST_SAMPLE_SIZE.toLocaleString('en')} at most`,
    }),
    isSampled: Type.Boolean({ description: 'True: counts are estimated from a sample' }),
    countedAt: Time('The instant of the scores'),
    modelVersion: nullable(
      Type.Integer({ description: 'The version of the models in force; null before the first training' }),
    ),
    predictions: Type.Record(Type.String(), Distribution, { description: 'By the name of the prediction' }),
  }),
  {
    example: {
      players: 20_311,
      examined: 10_000,
      isSampled: true,
      countedAt: '2026-11-15T12:00:00.000Z',
      modelVersion: 3,
      predictions: { churn: DISTRIBUTION_EXAMPLE },
    },
  },
);

type Counted = ScoreDistributions & { countedAt: number };

/** The distribution of predictions over the players of a game. */
export function scoreRoutes(
  app: FastifyInstance,
  ctx: AdminContext,
  samples: PlayerSamples,
  maxWaitMs?: number,
): void {
  const routes = routesOfGame(app, ctx, 'Predictions');
  const semaphore = createFairSemaphore(COUNTS);
  const kept = createTtlCache<number, Counted>({
    clock: ctx.clock,
    keptMs: KEPT_MS,
    maxKept: MAX_KEPT,
  });

  routes.get('/admin/v1/games/:game/prediction-scores', {
    role: 'viewer',
    operationId: 'listPredictionScores',
    summary: 'The distribution of the predictions over the players',
    description: `Scores players as they are now, with the models in force: all players, or an even sample of ${FAST_SAMPLE_SIZE.toLocaleString('en')} scaled to all. Counts are kept for a minute.`,
    response: { 200: ScoresResponse },
    errors: ['busy'],
    handle: async ({ gameId, admin }) => {
      const nowMs = ctx.clock.now();
      const counting = kept.get(gameId, async () => {
        const running = semaphore.of(admin.tenantId).take(async () => {
          const sample = await samples.of(gameId, FAST_SAMPLE_SIZE);
          const counted = await ctx.reads.run((db) => countScores(db, gameId, sample, nowMs));
          return { ...counted, countedAt: nowMs };
        });
        if (running !== undefined) return running;
        throw busy(RETRY_AFTER_SECONDS);
      });
      const { countedAt, ...counted } = await requireCount(counting, { what: 'The scores', maxWaitMs });
      return { ...counted, countedAt: toTime(countedAt) };
    },
  });
}
