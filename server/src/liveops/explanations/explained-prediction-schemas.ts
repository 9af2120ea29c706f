import { Type } from 'typebox';
import { nullable, Time } from '../../platform/admin-api/admin-responses.js';

/** The predictions in the response of an explanation. */

const Contribution = Type.Object(
  {
    feature: Type.String(),
    label: Type.String({ description: 'The feature in words' }),
    told: Type.String({ description: 'The value for this player: `9`, `4 to 7`' }),
    coefficient: Type.Number(),
    standardised: Type.Number({ description: 'Standard deviations from the mean of the trained players' }),
    logOdds: Type.Number({ description: 'coefficient × standardised' }),
  },
  { title: 'PredictionContribution' },
);

const Regression = Type.Object(
  {
    intercept: Type.Number(),
    slope: Type.Number(),
    offset: Type.Number(),
    contributions: Type.Array(Contribution, { description: 'Largest first' }),
  },
  {
    title: 'PredictionRegression',
    description: 'ln(p / (1 − p)) of one week is offset + slope × (intercept + the sum of all logOdds)',
  },
);

const ExplainedPrediction = Type.Object(
  {
    value: Type.Number(),
    defaultValue: Type.Number({ description: 'The average of similar players' }),
    expiredAt: nullable(Time('From this time on use `defaultValue`')),
    unit: Type.String(),
    horizonDays: nullable(Type.Integer()),
    percentile: nullable(Type.Number()),
    band: nullable(Type.String({ description: 'low, medium or high' })),
    state: Type.String({ description: 'ready, cold_start, degraded or off' }),
    model: Type.String(),
    reason: nullable(Type.String({ description: 'Why the value is an average: `412 of 2,000 players`' })),
    visibleToClients: Type.Boolean({ description: 'Whether GET /v1/player/predictions lists it' }),
    reported: nullable(
      Type.Object(
        { currency: Type.String(), value: Type.Number(), defaultValue: Type.Number() },
        {
          description:
            'An amount in the reporting currency of the studio, at the rate of the day. Null for a probability or a number, without a reporting currency and without a rate. Rules compare with `value`.',
        },
      ),
    ),
    sentence: Type.String(),
    regression: nullable(Regression),
  },
  { title: 'ExplainedPrediction' },
);

const Statistics = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

export const ExplainedPredictions = Type.Object(
  {
    modelVersion: nullable(Type.Integer({ description: 'The version of the models that was in force' })),
    inForceSince: nullable(Time('Since when the models are in force')),
    trainedDays: Type.Record(Type.String(), nullable(Type.String({ format: 'date' })), {
      description: 'By model: the last day of its training data; null if there is no model',
    }),
    distrusted: Type.Array(Type.String(), {
      description:
        'Models (`purchases`), or single predictions of them (`purchases.revenue90`), that were wrong recently: players got averages instead',
    }),
    activity: Statistics(
      'The input of the models for activity: x active days in the n days after the first, the last on day tx; sums of the last days as levels (0, 1, 2 to 3, 4 to 7 and so on are 0, 1, 2, 3)',
    ),
    purchases: nullable(
      Statistics(
        'The input for a payer: x days with a purchase after the first such day, the last one tx days after it, t days since the first, and the mean value of such a day',
      ),
    ),
    aliveByActivity: nullable(Type.Number({ description: 'P(alive) by the model of activity (BG/BB)' })),
    aliveByPurchases: nullable(Type.Number({ description: 'P(alive) by the model of purchases (MBG/NBD)' })),
    predictions: Type.Record(Type.String(), ExplainedPrediction),
  },
  {
    title: 'ExplainedPredictions',
    description: 'The predictions of the player with the models that were in force',
  },
);

export const PREDICTIONS_EXAMPLE = {
  modelVersion: 3,
  inForceSince: '2026-11-15T01:12:00.000Z',
  trainedDays: { activity: '2026-11-14', purchases: null, conversion: null },
  distrusted: [],
  activity: { n: 14, x: 5, tx: 5, active7: 0, active28: 5, isPayer: false },
  purchases: null,
  aliveByActivity: 0.31,
  aliveByPurchases: null,
  predictions: {
    churn: {
      value: 0.812041,
      defaultValue: 0.448113,
      expiredAt: '2026-11-16T00:00:00.000Z',
      unit: 'probability',
      horizonDays: 7,
      percentile: 82,
      band: 'high',
      state: 'ready',
      model: 'activity',
      reason: null,
      visibleToClients: true,
      reported: null,
      sentence:
        'The probability of not being active in the next 7 days is 81.2 % (high; 82 % of players have a lower one): days since the last active day (9) raises it.',
      regression: {
        intercept: -0.2,
        slope: 1.01,
        offset: 0.02,
        contributions: [
          {
            feature: 'absence',
            label: 'days since the last active day',
            told: '9',
            coefficient: 0.9,
            standardised: 1.8,
            logOdds: 1.62,
          },
        ],
      },
    },
  },
};
