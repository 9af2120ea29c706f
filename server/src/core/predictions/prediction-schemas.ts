import { Type } from 'typebox';

const nullableNumber = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });
const nullableTime = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });

const Prediction = Type.Object(
  {
    value: Type.Number({ description: 'What is expected of this player' }),
    defaultValue: Type.Number({
      description: 'The average of similar players; use it once expiredAt has passed',
    }),
    expiredAt: nullableTime(
      'When the default replaces the value, ISO 8601 UTC; null if the value is the default',
    ),
    unit: Type.String({ description: '`probability`, `purchases`, or the ISO 4217 code of a currency' }),
    horizonDays: Type.Union([Type.Integer(), Type.Null()], {
      description: 'How many days the prediction looks ahead; null if it is about now',
    }),
    percentile: nullableNumber('The share of players with a lower value, in percent'),
    band: Type.Union([Type.Literal('low'), Type.Literal('medium'), Type.Literal('high'), Type.Null()]),
    state: Type.Union(
      [Type.Literal('ready'), Type.Literal('cold_start'), Type.Literal('degraded'), Type.Literal('off')],
      {
        description:
          '`ready`: from a model. `cold_start`: no model is certain to be better than the average yet, so the value is an average. `degraded`: the model was wrong recently, so the value is an average. `off`: the studio has switched the prediction off, so the value is an average.',
      },
    ),
    model: Type.String({ description: 'The name of its model in `models`' }),
  },
  { title: 'Prediction' },
);

const Model = Type.Object(
  {
    algorithm: Type.String({
      description:
        'Ends with `(shipped prior)` if the model has learnt from other games only, with `(pooled with the shipped prior)` if the players of this game decide a part of it',
    }),
    trainedAt: nullableTime('The end of the last day of the training data'),
    players: Type.Integer({ description: 'Players in the training data' }),
    quality: Type.Union(
      [
        Type.Object({
          auc: nullableNumber('How well the model separates players: 0.5 is chance, 1 is perfect'),
          brierSkill: nullableNumber(
            'How much better than the average rate the model is: 0 is no better, 1 is perfect',
          ),
          ece: Type.Number({ description: 'Mean distance between predicted and observed rates' }),
          totalRatio: nullableNumber('Predicted divided by observed number'),
        }),
        Type.Null(),
      ],
      { description: 'Metrics of the newest week, which the model was not trained with' },
    ),
    health: Type.Union([Type.Literal('green'), Type.Literal('red'), Type.Literal('unknown')], {
      description:
        '`red`: recent predictions of the model, or one of them, were wrong; the `state` of each prediction says which. `unknown`: there is no model yet.',
    }),
  },
  { title: 'PredictionModel' },
);

export const PREDICTIONS_EXAMPLE = {
  playerId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
  asOf: '2026-11-15T12:00:00.000Z',
  predictions: {
    churn: {
      value: 0.731204,
      defaultValue: 0.448113,
      expiredAt: '2026-11-16T00:00:00.000Z',
      unit: 'probability',
      horizonDays: 7,
      percentile: 82,
      band: 'high' as const,
      state: 'ready' as const,
      model: 'activity',
    },
  },
  models: {
    activity: {
      algorithm: 'BG/BB and logistic regression',
      trainedAt: '2026-11-15T00:00:00.000Z',
      players: 48_211,
      quality: { auc: 0.842, brierSkill: 0.351, ece: 0.012, totalRatio: 1.01 },
      health: 'green' as const,
    },
  },
};

export const PlayerPredictions = Type.Object(
  {
    playerId: Type.String(),
    asOf: Type.String({ format: 'date-time', description: 'The instant of the computation' }),
    predictions: Type.Object(
      {},
      {
        additionalProperties: Prediction,
        description:
          'The predictions that the studio has marked as visible to clients, by name: `churn` (not active in the next 7 days), `spend` (a purchase in the next 7 days), `purchases` and `revenue` (of the next 28 days), `revenue90` (of the next 90 days), `payerAlive` (a payer will buy again at all)',
      },
    ),
    models: Type.Object(
      {},
      { additionalProperties: Model, description: 'The models behind the listed predictions, by name' },
    ),
  },
  {
    title: 'PlayerPredictions',
    description: 'What the player will probably do.',
    examples: [PREDICTIONS_EXAMPLE],
  },
);
