import { Type } from 'typebox';
import { Metric } from '../decide/document/parts/experiment-metrics.js';
import { nullable, successOf } from '../platform/admin-api/admin-responses.js';
import { EXPLORED_PLAYERS } from './explore-experiment.js';
import { EXPLORED } from './group-queries.js';
import { EXAMPLE_EXPLORATION } from './schema-examples.js';

const Interval = nullable(Type.Object({ low: Type.Number(), high: Type.Number() }));
const Figure = nullable(Type.Number());

const Group = Type.Object(
  {
    title: Type.String({ description: 'The group in words, such as “Had paid before”' }),
    kind: Type.Enum(['value', 'other', 'unknown'], {
      description: 'other: smaller groups together. unknown: not known at the exposure',
    }),
    value: nullable(
      Type.String({ description: 'A country, a platform, or yes and no: of a segment, in it or not' }),
    ),
    players: Type.Integer(),
    arms: Type.Array(
      Type.Object({
        variantId: Type.String(),
        players: Type.Integer(),
        positive: Type.Integer({ description: 'Those whose value is above zero' }),
        mean: Figure,
        difference: Figure,
        interval: Interval,
        relative: Figure,
        relativeInterval: Interval,
      }),
      { description: 'The first one is the control. No interval with too few players' },
    ),
  },
  { title: 'ExploredGroup' },
);

export const ExplorationQuery = Type.Object({
  by: Type.Union(
    EXPLORED.map((by) => Type.Literal(by)),
    {
      description:
        'What was known at the exposure. payer: a purchase before that day. new: the exposure was on the first day of the player. segment: in that segment, or not',
    },
  ),
  segment: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'With by=segment: which one. `GET …/experiments/{experimentId}` lists them',
      examples: ['big_spenders'],
    }),
  ),
  metric: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Which metric of the report, from 0 on; by default the primary one',
    }),
  ),
});

export const ExplorationResponse = successOf(
  'ExplorationResponse',
  Type.Object({
    by: Type.Enum([...EXPLORED]),
    segment: nullable(Type.String({ description: 'With by=segment' })),
    metric: Metric,
    title: Type.String(),
    sentence: Type.String({ description: 'What these figures are, and what they are not' }),
    examined: Type.Integer({ description: `Players, at most ${EXPLORED_PLAYERS.toLocaleString('en')}` }),
    isComplete: Type.Boolean({ description: 'False: the first players of the experiment only' }),
    groups: Type.Array(Group, { description: 'The largest first. None where the report has no result' }),
  }),
  {
    description: 'The intervals hold for all groups and arms together, at all looks. There is no verdict.',
    example: EXAMPLE_EXPLORATION,
  },
);
