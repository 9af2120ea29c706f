import { Type } from 'typebox';
import { Metric } from '../decide/document/parts/experiment-metrics.js';
import { FORECAST_NAMES } from '../decide/predict/forecast.js';
import { nullable } from '../platform/admin-api/admin-responses.js';
import { FEWEST } from './report/compare-arms.js';

/** Documentation of a report: what `reportOf` makes. */

export const oneOf = <const T extends string[]>(values: [...T], description: string) =>
  Type.Enum(values, { description });

const Interval = (description: string) =>
  nullable(Type.Object({ low: Type.Number(), high: Type.Number() }, { description }));
export const NullableNumber = (description: string) => nullable(Type.Number({ description }));
export const Day = Type.String({ format: 'date' });

const Comparison = Type.Object(
  {
    state: oneOf(
      ['higher', 'lower', 'not_proven', 'too_few', 'sample_ratio_mismatch'],
      `Against the control. too_few: fewer than ${FEWEST.players} players in an arm, or fewer than ${FEWEST.positive} with a value`,
    ),
    difference: NullableNumber('Arm less control, with large values capped; null where there is no verdict'),
    interval: Interval('95% at all looks and for all comparisons of its kind together'),
    relative: NullableNumber('The difference as a share of the control: 0.05 is 5% more'),
    relativeInterval: Interval('The same, relative to the control'),
    p: NullableNumber('Always valid, adjusted by Holm over arms and secondary metrics'),
    guardrail: nullable(
      Type.Object({
        state: oneOf(['safe', 'breached', 'not_proven'], 'Whether the arm is worse by more than the margin'),
        worse: oneOf(['lower', 'higher'], 'Which change would be a harm'),
        marginPercent: Type.Number(),
        above: Type.Number({ description: 'The relative change is above this, with 95% at all looks' }),
        below: Type.Number({ description: 'And below this' }),
      }),
    ),
    plannedEndInterval: Interval(
      'For one look, at the end of the plan (Welch): the difference of a share, else relative. Decides nothing',
    ),
    daysUntilProven: nullable(
      Type.Integer({
        description: 'At the pace of the last week, if the difference stays; null if nobody can say',
      }),
    ),
    sentence: Type.String(),
  },
  { title: 'ExperimentComparison' },
);

export const ArmMetric = Type.Object(
  {
    variantId: Type.String(),
    players: Type.Integer({
      description: 'Players who have a value: of day 7 retention those whose day 7 is over',
    }),
    positive: Type.Integer({ description: 'Those whose value is above zero' }),
    mean: NullableNumber('Share, mean or ratio, with large values capped'),
    comparison: nullable(Comparison),
  },
  { title: 'ExperimentArm' },
);

const Narrowing = Type.Object(
  {
    percent: Type.Integer({ description: 'How much narrower the intervals are than without it' }),
    hasDaysBefore: Type.Boolean({
      description: 'By the same measure of the 28 days before the exposure. Of retention there is none',
    }),
    forecast: nullable(
      Type.Object(
        {
          prediction: oneOf([...FORECAST_NAMES], 'What a model expected of players at their exposure'),
          players: Type.Integer({ description: 'Of so many players. The others had no forecast' }),
        },
        { description: 'And by this forecast; null: by none' },
      ),
    ),
    sentence: Type.String(),
  },
  {
    title: 'ExperimentNarrowing',
    description:
      'What was known of players at the exposure is taken out of their values; null where there is nothing. Missing in reports of earlier releases',
  },
);

const Gate = Type.Object({
  gate: oneOf(
    ['sample_ratio', 'two_arms', 'arm_changed', 'currency_changed', 'too_few', 'not_read'],
    'What is not as it should be',
  ),
  isStopping: Type.Boolean({ description: 'No result is given because of it' }),
  sentence: Type.String(),
});

export const Role = oneOf(['primary', 'secondary', 'guardrail'], 'What the metric is for');

export const Report = Type.Object(
  {
    from: Day,
    to: Day,
    days: Type.Integer(),
    arms: Type.Array(
      Type.Object({
        variantId: Type.String(),
        name: Type.String(),
        weight: Type.Integer(),
        players: Type.Integer({ description: 'With erased players' }),
        erasedPlayers: Type.Integer({ description: 'Erased since; they count as on the day of the erasure' }),
      }),
    ),
    playersPerDay: Type.Integer({ description: 'Exposed on a day, on the mean of the last seven' }),
    sampleRatio: Type.Object(
      { p: Type.Number(), isMismatch: Type.Boolean() },
      {
        description:
          'Whether the arms have the players of their weights, at all looks together, and the p-value of one look (chi-squared)',
      },
    ),
    gates: Type.Array(Gate),
    verdict: Type.String({ description: 'What the primary metric says, or the gate that stopped it' }),
    wouldChange: Type.Array(Type.String(), { description: 'What would change the verdict' }),
    metrics: Type.Array(
      Type.Object({
        metric: Metric,
        role: Role,
        title: Type.String(),
        capped: nullable(
          Type.Object(
            { players: Type.Integer(), at: Type.Number() },
            {
              description:
                'So many players were above `at`, the 99th percentile of all arms, and count as `at`',
            },
          ),
        ),
        narrowing: Type.Optional(nullable(Narrowing)),
        arms: Type.Array(ArmMetric, { description: 'The first one is the control' }),
      }),
    ),
  },
  { title: 'ExperimentReport' },
);
