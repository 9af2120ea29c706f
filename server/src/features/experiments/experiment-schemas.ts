import { Type } from 'typebox';
import { GameParameters, nullable, successOf, Time } from '../../admin/admin-responses.js';
import { Metric } from '../../personalisation/document/parts/experiment-metrics.js';
import { EXPERIMENTS } from '../../personalisation/document/parts/experiments.js';
import { MISMATCH_BELOW } from '../../statistics/sample-ratio.js';
import { FEWEST } from './report/compare-arms.js';
import { LONGEST_DAYS } from './report/plan.js';
import { EXAMPLE_EXPERIMENT, EXAMPLE_PLAN, EXAMPLE_REPORT } from './schema-examples.js';

/** Documentation of the reports of experiments. */

export const ExperimentParameters = Type.Object({
  ...GameParameters.properties,
  experimentId: Type.String({ description: 'Id of the experiment', examples: ['starter_price'] }),
});

const oneOf = <const T extends string[]>(values: [...T], description: string) =>
  Type.Enum(values, { description });

const Interval = (description: string) =>
  nullable(Type.Object({ low: Type.Number(), high: Type.Number() }, { description }));
const NullableNumber = (description: string) => nullable(Type.Number({ description }));
const Day = Type.String({ format: 'date' });

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

const ArmMetric = Type.Object(
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

const Gate = Type.Object({
  gate: oneOf(
    ['sample_ratio', 'two_arms', 'arm_changed', 'currency_changed', 'too_few'],
    'What is not as it should be',
  ),
  isStopping: Type.Boolean({ description: 'No result is given because of it' }),
  sentence: Type.String(),
});

const Report = Type.Object(
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
        description: `Whether the arms have the players of their weights: a mismatch below ${MISMATCH_BELOW}`,
      },
    ),
    gates: Type.Array(Gate),
    verdict: Type.String({ description: 'What the primary metric says, or the gate that stopped it' }),
    wouldChange: Type.Array(Type.String(), { description: 'What would change the verdict' }),
    metrics: Type.Array(
      Type.Object({
        metric: Metric,
        role: oneOf(['primary', 'secondary', 'guardrail'], 'What the metric is for'),
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
        arms: Type.Array(ArmMetric, { description: 'The first one is the control' }),
      }),
    ),
  },
  { title: 'ExperimentReport' },
);

const Shown = {
  experiment: EXPERIMENTS.schema.items,
  sentence: Type.String({ description: 'State and verdict in a sentence or two' }),
  startedAt: nullable(Time('The publication with which it began to run')),
  endedAt: nullable(Time('When the service noticed that it does not run any more')),
  isRequested: Type.Boolean({ description: 'Somebody has asked for new sums, which come within minutes' }),
  madeAt: nullable(Time('When the report was made')),
  report: nullable(Report),
};

const SHOWN_EXAMPLE = {
  experiment: EXAMPLE_EXPERIMENT,
  sentence: EXAMPLE_REPORT.verdict,
  startedAt: '2026-10-18T09:00:00.000Z',
  endedAt: null,
  isRequested: false,
  madeAt: '2026-11-15T00:20:00.000Z',
};

export const ExperimentsResponse = successOf(
  'ExperimentsResponse',
  Type.Object({
    version: Type.Integer({ description: 'The published version' }),
    experiments: Type.Array(Type.Object(Shown)),
  }),
  {
    description:
      'The experiments of the published version with their newest reports. A report is made once a day, up to the end of the day before.',
    example: { version: 12, experiments: [{ ...SHOWN_EXAMPLE, report: EXAMPLE_REPORT }] },
  },
);

export const OfferHoldoutsResponse = successOf(
  'OfferHoldoutsResponse',
  Type.Object({
    version: Type.Integer({ description: 'The published version' }),
    offers: Type.Array(
      Type.Object({
        offerId: Type.String(),
        name: Type.String(),
        holdoutPercent: Type.Number(),
        sentence: Type.String({ description: 'The verdict in a sentence or two' }),
        startedAt: nullable(Time('The publication since which this share is held out')),
        endedAt: nullable(Time('When the service noticed that nobody is held out any more')),
        madeAt: nullable(Time('When the report was made')),
        report: nullable(Report),
      }),
    ),
  }),
  {
    description:
      'The offers of the published version that hold players out, each with its newest report. Players count from the first response in which the offer applied, or would have applied to a player who is held out.',
    example: {
      version: 12,
      offers: [
        {
          ...{ offerId: 'starter_half', name: 'Starter pack', holdoutPercent: 10 },
          sentence: EXAMPLE_REPORT.verdict,
          startedAt: '2026-10-18T09:00:00.000Z',
          endedAt: null,
          madeAt: '2026-11-15T00:20:00.000Z',
          report: EXAMPLE_REPORT,
        },
      ],
    },
  },
);

export const ExperimentResponse = successOf(
  'ExperimentResponse',
  Type.Object({
    ...Shown,
    version: Type.Integer({ description: 'The published version' }),
    days: Type.Array(
      Type.Object({
        day: Day,
        arms: nullable(Type.Array(ArmMetric, { description: 'Of the primary metric' })),
      }),
      { description: 'What each daily report said, newest first' },
    ),
  }),
  {
    example: {
      ...SHOWN_EXAMPLE,
      version: 12,
      report: EXAMPLE_REPORT,
      days: [{ day: EXAMPLE_REPORT.to, arms: EXAMPLE_REPORT.metrics[0]?.arms ?? [] }],
    },
  },
);

export const ExperimentPlanResponse = successOf(
  'ExperimentPlanResponse',
  Type.Object({
    arrivals: Type.Object({
      atStart: Type.Integer({ description: 'Players of the last seven days; 0 if only new players enter' }),
      perDay: Type.Integer({ description: 'New players a day, on the mean of 28 days' }),
    }),
    plans: Type.Array(
      Type.Object({
        metric: Metric,
        title: Type.String(),
        state: oneOf(
          ['measurable', 'not_measurable', 'too_few'],
          `Whether it is seen within ${LONGEST_DAYS} days`,
        ),
        mean: NullableNumber('What players of this game do now'),
        players: nullable(Type.Integer({ description: 'In all arms together' })),
        days: nullable(Type.Integer()),
        measurableEffect: NullableNumber(
          `What ${LONGEST_DAYS} days would show: the difference of a share, else relative`,
        ),
        sentence: Type.String(),
      }),
    ),
  }),
  {
    description: 'From a sample of 10,000 players, as if they had been exposed in the last eight weeks.',
    example: EXAMPLE_PLAN,
  },
);

export const SumsRequestedResponse = successOf(
  'SumsRequestedResponse',
  Type.Object({ isRequested: Type.Literal(true) }),
  { description: 'The report is made anew within minutes.', example: { isRequested: true } },
);

export const EndExperimentBody = Type.Object(
  {
    winner: Type.String({ maxLength: 64, description: 'The variant that everybody gets' }),
    note: Type.String({ maxLength: 2000, description: 'Why, for those who look back' }),
    basedOn: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The version that you have seen; by default the one in force',
      }),
    ),
  },
  { title: 'EndExperimentBody', examples: [{ winner: 'b', note: 'More payers, and no less revenue.' }] },
);
