import { Type } from 'typebox';
import { nullable, successOf } from '../../../platform/admin-api/admin-responses.js';
import { JOB_EXAMPLE, JobSchema } from '../../../studio/admin-api/job-schemas.js';

/** Documentation of funnels. */

export const MAX_WINDOW_HOURS = 90 * 24;

const By = Type.Union([Type.Literal('country'), Type.Literal('platform'), Type.Literal('build')], {
  description:
    'Also counts by one of these: the last value that the metadata of a player’s events reported by the end of the day on which the player entered',
});

export const FunnelBody = Type.Object(
  {
    steps: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      minItems: 2,
      maxItems: 6,
      description: 'Types of events in their order; a type may stand in several steps',
    }),
    windowHours: Type.Integer({
      minimum: 1,
      maximum: MAX_WINDOW_HOURS,
      description: 'All steps must come within this time after the first',
    }),
    from: Type.Optional(
      Type.String({
        format: 'date',
        description: 'The first UTC day of the first step; by default 30 days in all',
      }),
    ),
    to: Type.Optional(
      Type.String({
        format: 'date',
        description: 'The last UTC day of the first step; by default today. Later steps may come after it',
      }),
    ),
    by: Type.Optional(By),
  },
  {
    title: 'FunnelBody',
    examples: [
      {
        steps: ['Session_Start', 'Store_View', 'Purchase'],
        windowHours: 24,
        from: '2026-10-16',
        to: '2026-11-14',
        by: 'country',
      },
    ],
  },
);

const PLAYERS = Type.Array(Type.Integer({ minimum: 0 }), {
  description: 'By step: how many players have completed it, each counted once',
});

/** The `result` of a job of the kind `funnel`. */
export const FunnelResult = Type.Object(
  {
    steps: Type.Array(Type.String()),
    windowHours: Type.Integer(),
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    by: nullable(By),
    isComplete: Type.Boolean({
      description:
        'Whether the window of everybody who entered is over: else more players may still complete later steps',
    }),
    eventsDeletedBefore: nullable(
      Type.String({
        format: 'date',
        description: 'The retention of the game has deleted events of the span before this day',
      }),
    ),
    players: PLAYERS,
    values: Type.Array(
      Type.Object({
        kind: Type.Union([Type.Literal('value'), Type.Literal('unknown'), Type.Literal('other')]),
        value: nullable(Type.String()),
        players: PLAYERS,
      }),
      { description: 'The 50 largest and all others as one; empty without by' },
    ),
  },
  { title: 'FunnelResult' },
);

/** A job as the list of jobs has it, with the form of its result. */
export const FunnelJobResponse = successOf(
  'FunnelJobResponse',
  Type.Object(
    { ...JobSchema.properties, result: nullable(FunnelResult) },
    { title: 'FunnelJob', description: 'The result is null until the job is done.' },
  ),
  {
    example: {
      ...JOB_EXAMPLE,
      kind: 'funnel' as const,
      subject: {
        steps: 'Session_Start → Store_View → Purchase',
        windowHours: 24,
        from: '2026-10-16',
        to: '2026-11-14',
        by: null,
      },
    },
  },
);
