import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { NextCursor } from '../../platform/admin-api/page-cursor.js';

/** Responses of the admin API about prediction models. */

const ModelOutcome = Type.Object(
  {
    model: Type.String({ description: '`activity`, `purchases` or `conversion`' }),
    outcome: Type.Union([Type.Literal('promoted'), Type.Literal('refused'), Type.Literal('cold_start')]),
    reason: Type.String({
      description: 'What data is missing, why the model was refused, or how much better it is',
    }),
    isPresentKept: Type.Boolean({ description: 'Whether the former model stays in force' }),
    origins: Type.Array(Type.Unknown(), {
      description: 'Metrics of the weeks that the model was not trained with, oldest first',
    }),
    source: Type.Optional(
      Type.Object(
        {
          kind: Type.Union([Type.Literal('prior'), Type.Literal('pooled'), Type.Literal('own')]),
          ownShare: Type.Number({
            description: 'How much of the model the players of this game decide, from 0 to 1',
          }),
        },
        {
          title: 'ModelSource',
          description:
            'Whose players the model has learnt from. `prior`: those of other games, by the prior that ships with the product. `pooled`: those of other games and of this one. `own`: those of this game',
        },
      ),
    ),
    refusedModel: Type.Optional(
      Type.Unknown({
        description:
          'The parameters of a model that was refused. The artefact has the model that is used instead.',
      }),
    ),
  },
  { title: 'ModelOutcome' },
);

const Progress = Type.Array(
  Type.Object({ what: Type.String(), have: Type.Number(), need: Type.Number() }, { title: 'DataProgress' }),
  { description: 'How much of the data that models need is there' },
);

const summary = {
  version: Type.Integer(),
  trainedAt: Time('When the training ended'),
  trainedDay: Type.String({ format: 'date', description: 'The last day of the training data' }),
  author: Type.String(),
  players: Type.Number({ description: 'Players that the training read' }),
  allPlayers: Type.Number({ description: 'Players of the game at that time' }),
  payers: Type.Number(),
  allPayers: Type.Number(),
  durationMs: Type.Integer(),
  isPromoted: Type.Boolean({ description: 'Whether the training was put in force' }),
  models: Type.Array(ModelOutcome),
  progress: Progress,
};

const SUMMARY_EXAMPLE = {
  version: 3,
  trainedAt: '2026-11-15T01:12:00.000Z',
  trainedDay: '2026-11-14',
  author: 'savepoint',
  players: 412,
  allPlayers: 412,
  payers: 12,
  allPayers: 12,
  durationMs: 310,
  isPromoted: true,
  models: [
    {
      model: 'activity',
      outcome: 'cold_start' as const,
      reason: 'less than two weeks of history whose outcome is known',
      isPresentKept: false,
      origins: [],
    },
  ],
  progress: [{ what: 'weeks of history', have: 1, need: 2 }],
};

const InForce = Type.Object(
  {
    modelVersion: Type.Integer(),
    since: Time('Since when'),
    author: Type.String(),
    cause: Type.String({ description: '`train`, `roll_back` or `grade` (trust was lost or regained)' }),
    distrusted: Type.Array(Type.String(), {
      description:
        'Models (`purchases`), or single predictions of them (`purchases.revenue90`), that were wrong recently: players get averages instead',
    }),
  },
  { title: 'ModelInForce' },
);

const IN_FORCE_EXAMPLE = {
  modelVersion: 3,
  since: '2026-11-15T01:12:00.000Z',
  author: 'savepoint',
  cause: 'train',
  distrusted: [],
};

export const ModelsResponse = successOf(
  'ModelsResponse',
  Type.Object({
    inForce: nullable(InForce),
    history: Type.Array(InForce, { description: 'The states in force, newest first' }),
    models: Type.Array(Type.Object(summary, { title: 'ModelSummary' }), { description: 'Newest first' }),
    lastFailure: nullable(
      Type.Object(
        { at: Time('When'), message: Type.String() },
        { description: 'Why the last attempt to train or grade failed; null if it succeeded' },
      ),
    ),
  }),
  {
    example: {
      inForce: IN_FORCE_EXAMPLE,
      history: [IN_FORCE_EXAMPLE],
      models: [SUMMARY_EXAMPLE],
      lastFailure: null,
    },
  },
);

export const ModelTrainedResponse = successOf('ModelTrainedResponse', Type.Object(summary), {
  description: 'The outcome of the training, and whether it is in force.',
  example: SUMMARY_EXAMPLE,
});

export const ModelResponse = successOf(
  'ModelResponse',
  Type.Object({
    ...summary,
    artefact: Type.Unknown({ description: 'The parameters that predictions are computed with' }),
  }),
  { example: { ...SUMMARY_EXAMPLE, artefact: { format: 1, version: 3 } } },
);

const ComparedPart = Type.Object(
  {
    state: Type.String({
      description: '`ready`, `refused`, `cold_start`, or `unusable` (made by a version with other features)',
    }),
    newestWeek: nullable(
      Type.Unknown({
        description:
          'Metrics of the newest week that the model was not trained with, also of a model that was refused',
      }),
    ),
    keptNewestWeek: nullable(
      Type.Unknown({
        description:
          'The same of the older model that the training has kept, because its own was refused or has too little data',
      }),
    ),
  },
  { title: 'ComparedModel' },
);

export const ComparisonResponse = successOf(
  'ModelComparisonResponse',
  Type.Object({
    version: Type.Integer(),
    against: Type.Integer(),
    models: Type.Array(Type.Object({ model: Type.String(), version: ComparedPart, against: ComparedPart })),
  }),
  {
    example: {
      version: 3,
      against: 2,
      models: [
        {
          model: 'activity',
          version: { state: 'cold_start', newestWeek: null, keptNewestWeek: null },
          against: { state: 'cold_start', newestWeek: null, keptNewestWeek: null },
        },
      ],
    },
  },
);

export const ModelRolledBackResponse = successOf(
  'ModelRolledBackResponse',
  Type.Object({
    modelVersion: Type.Integer({ description: 'The version in force now' }),
    isChanged: Type.Boolean({ description: 'False if the version was in force already' }),
  }),
  {
    description: 'Every node uses the models from the next request on.',
    example: { modelVersion: 2, isChanged: true },
  },
);

export const GradesResponse = successOf(
  'PredictionGradesResponse',
  Type.Object({
    grades: Type.Array(
      Type.Object(
        {
          day: Type.String({ format: 'date', description: 'The last day of what was graded' }),
          model: Type.String({
            description:
              '`activity`, `purchases` or `conversion`: what was said of a week. `purchases.revenue90` and the like: what the model said of 28 or 90 days',
          }),
          modelVersion: Type.Integer(),
          wasTold: Type.Boolean({
            description:
              'True: players got these predictions. False: they are of the model that is in force now.',
          }),
          health: Type.Union([Type.Literal('green'), Type.Literal('red')]),
          metrics: Type.Unknown({
            description:
              'Of a week: players, baseRate, auc, brierSkill, ece, eceOfChance (what chance alone gives a perfect model), logLoss, totalRatio, deciles. Of 28 or 90 days: players, predicted, observed, totalRatio, cappedRatio (the share of any one payer is capped; health goes by it), medianRatio (of the tenths), deviations, deciles; for the revenue of payers also week, the same of the newest week',
          }),
        },
        { title: 'PredictionGrade' },
      ),
      { description: 'Newest first' },
    ),
    nextCursor: NextCursor,
  }),
  {
    example: {
      nextCursor: null,
      grades: [
        {
          day: '2026-11-14',
          model: 'activity',
          modelVersion: 3,
          wasTold: true,
          health: 'green' as const,
          metrics: { players: 8_211, ece: 0.011, totalRatio: 1.02 },
        },
      ],
    },
  },
);
