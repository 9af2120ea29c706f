import { Type } from 'typebox';
import { nullable } from '../../platform/admin-api/admin-responses.js';

/** The lines of the response to a recount. */

const Difference = Type.Object(
  {
    table: Type.Union(
      [
        Type.Literal('game_days'),
        Type.Literal('game_cohorts'),
        Type.Literal('player_days'),
        Type.Literal('players'),
      ],
      { description: 'Where the value is kept' },
    ),
    key: Type.String({
      description: 'The day; the cohort and the active day; the userId and the day; or the userId',
    }),
    name: Type.String({ description: 'Which value of it' }),
    kept: nullable(Type.String({ description: 'The value as it is kept' })),
    counted: nullable(Type.String({ description: 'The value as it was counted again' })),
  },
  { title: 'RollupDifference' },
);

const Result = Type.Object(
  {
    message: Type.String({ description: 'What was found, in a few sentences' }),
    events: Type.Integer({ description: 'How many events were counted' }),
    players: Type.Integer(),
    eventsDeletedBefore: nullable(
      Type.String({ description: 'A day: the events before it are deleted, and cannot be counted again' }),
    ),
    differenceCount: Type.Integer({ description: '0: everything agrees' }),
    differences: Type.Array(Difference, { description: 'The first 200' }),
  },
  { title: 'RollupCheckResult' },
);

export const RollupCheckLine = Type.Union(
  [
    Type.Object({
      progress: Type.Object({
        step: Type.Union([Type.Literal('events'), Type.Literal('players')], {
          description: 'First all events are read, then players are compared',
        }),
        done: Type.Integer({ description: 'Of `total`; the unit is not the same in both steps' }),
        total: Type.Integer(),
      }),
    }),
    Type.Object({ result: Result }),
    Type.Object({ error: Type.Object({ code: Type.String(), message: Type.String() }) }),
  ],
  {
    title: 'RollupCheckLine',
    description: 'Progress while the check runs, then one line with the result or the error.',
    examples: [
      { progress: { step: 'events', done: 120, total: 400 } },
      {
        result: {
          message: 'Counted 52,310 events and 1,204 players again. 1 value differs.',
          events: 52310,
          players: 1204,
          eventsDeletedBefore: null,
          differenceCount: 1,
          differences: [
            { table: 'game_days', key: '2026-11-15', name: 'sessions', kept: '411', counted: '412' },
          ],
        },
      },
    ],
  },
);
