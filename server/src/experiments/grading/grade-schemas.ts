import { Type } from 'typebox';
import { Metric } from '../../decide/document/parts/experiment-metrics.js';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { NIGHTS, RED_ONCE_IN } from './standing.js';

const Line = {
  state: Type.Enum(['good', 'red', 'waiting'], {
    description: `red: more false alarms than \`mostByChance\`. waiting: too few verdicts`,
  }),
  judged: Type.Integer({ description: 'Hidden A/A experiments with a verdict' }),
  alarms: Type.Integer({
    description: 'Those that proved a difference, or a sample ratio mismatch, at any look',
  }),
  tooFew: Type.Integer({ description: 'Those with too few players or payers in an arm; not in the rate' }),
  rate: nullable(Type.Number({ description: 'alarms / judged; at most 0.05 is promised' })),
  mostByChance: Type.Integer({
    description: `The bound: if the true rate is 0.05, more false alarms come less than once in ${RED_ONCE_IN} times (exact binomial)`,
  }),
};

export const ExperimentGradesResponse = successOf(
  'ExperimentGradesResponse',
  Type.Object({
    ...Line,
    sentence: Type.String(),
    night: nullable(
      Type.String({
        format: 'date',
        description: 'The last day that was graded; null before the first night',
      }),
    ),
    madeAt: nullable(Time('When it was graded')),
    players: Type.Integer({ description: 'In the A/A experiments of the last night' }),
    isSampled: Type.Boolean({ description: 'The game has more players than are graded: these are a sample' }),
    metrics: Type.Array(
      Type.Object({
        ...Line,
        metric: Metric,
        smallArmPercent: Type.Optional(
          Type.Number({
            description:
              'The share of the smaller arm: 50, and those of the experiments and hold-outs of the game. Left out by a night of an earlier release: 50',
          }),
        ),
        title: Type.String(),
      }),
      { description: 'A line for each metric and each share of the smaller arm' },
    ),
  }),
  {
    description: `Of the last ${NIGHTS} nights. Every night, players of the last four weeks are divided in two at random, as if an experiment had run that changes nothing, and as if somebody had looked every day: over all four weeks, and over each of them. They are divided in halves, and as the running experiments and the hold-outs of the game are.`,
    example: {
      ...{ state: 'good', judged: 560, alarms: 9, tooFew: 140, rate: 0.0161, mostByChance: 45 },
      sentence:
        '9 of 560 hidden A/A experiments of the last 28 nights gave a false alarm (1.6%). 5% are promised, and up to 45 can be chance.',
      night: '2026-11-14',
      madeAt: '2026-11-15T00:20:00.000Z',
      ...{ players: 8120, isSampled: false },
      metrics: [
        {
          ...{ state: 'good', judged: 140, alarms: 2, tooFew: 0, rate: 0.0143, mostByChance: 16 },
          ...{ metric: { kind: 'share', of: 'converted' }, smallArmPercent: 50, title: 'Conversion' },
        },
      ],
    },
  },
);
