import { Type } from 'typebox';
import { Metric } from '../decide/document/parts/experiment-metrics.js';
import { EXPERIMENTS } from '../decide/document/parts/experiments.js';
import { ConfirmPriceRaises } from '../liveops/configs/config-schemas.js';
import { GameParameters, nullable, successOf, Time } from '../platform/admin-api/admin-responses.js';
import { FORMER_LISTED } from './former-queries.js';
import { LONGEST_DAYS } from './report/plan.js';
import { titledMetrics } from './report/words.js';
import { ArmMetric, Day, NullableNumber, oneOf, Report, Role } from './report-schemas.js';
import { EXAMPLE_EXPERIMENT, EXAMPLE_PLAN, EXAMPLE_REPORT } from './schema-examples.js';
import { EXPOSED_COUNTED } from './view-queries.js';

/** Documentation of the reports of experiments. */

export const ExperimentParameters = Type.Object({
  ...GameParameters.properties,
  experimentId: Type.String({ description: 'Id of the experiment', examples: ['starter_price'] }),
});

export const ExperimentQuery = Type.Object({
  seed: Type.Optional(
    Type.String({ maxLength: 64, description: 'Of an earlier run, if all players were drawn anew since' }),
  ),
});

const Shown = {
  experiment: EXPERIMENTS.schema.items,
  sentence: Type.String({ description: 'State and verdict in a sentence or two' }),
  startedAt: nullable(Time('The publication with which it began to run')),
  endedAt: nullable(
    Time(
      'The publication with which it ended; null until the service has noticed it, minutes later. For runs that ended under earlier releases, when the service noticed it',
    ),
  ),
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

export const FormerExperimentsResponse = successOf(
  'FormerExperimentsResponse',
  Type.Object({ experiments: Type.Array(Type.Object(Shown)) }),
  {
    description: `Runs with a report whose experiment was removed or has another seed now, as they were at their end; the ${FORMER_LISTED} that ended last. The hold-out of an offer is among them as the experiment "offer:<offerId>", with its percent as seed.`,
    example: {
      experiments: [{ ...SHOWN_EXAMPLE, endedAt: '2026-11-15T09:05:00.000Z', report: EXAMPLE_REPORT }],
    },
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
        endedAt: nullable(Time('The publication since which nobody is held out any more')),
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
    isFormer: Type.Boolean({
      description:
        'The published version does not have it, or not with this seed: it is given as it was at its end',
    }),
    publishedSeed: nullable(
      Type.String({
        description: 'The seed with which the published version has it; null: it does not have it',
      }),
    ),
    version: Type.Integer({ description: 'The published version' }),
    segments: Type.Array(Type.String(), {
      description: 'Ids of those by which its players can be explored',
    }),
    metrics: Type.Array(Type.Object({ title: Type.String(), role: Role }), {
      description: 'By what it is measured',
    }),
    exposed: nullable(
      Type.Object(
        {
          arms: Type.Array(Type.Object({ variantId: Type.String(), players: Type.Integer() })),
          isBounded: Type.Boolean({
            description: `There are more: the first ${EXPOSED_COUNTED} are counted`,
          }),
        },
        { description: 'Players so far, while it runs without a report; null otherwise' },
      ),
    ),
    ending: nullable(
      Type.Object(
        {
          version: Type.Integer(),
          author: Type.String(),
          authorEmail: nullable(Type.String()),
          note: Type.String(),
        },
        { description: 'The publication with which it ended, if it has ended and that is known' },
      ),
    ),
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
      isFormer: false,
      publishedSeed: EXAMPLE_EXPERIMENT.seed,
      version: 12,
      segments: ['big_spenders'],
      metrics: titledMetrics(EXAMPLE_EXPERIMENT),
      exposed: null,
      ending: null,
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
    confirmPriceRaises: ConfirmPriceRaises,
    basedOn: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The version that you have seen; by default the one in force',
      }),
    ),
  },
  { title: 'EndExperimentBody', examples: [{ winner: 'b', note: 'More payers, and no less revenue.' }] },
);
