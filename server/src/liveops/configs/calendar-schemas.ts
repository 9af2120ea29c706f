import { type Static, Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';

/** Documentation of the calendar of a game. */

export const MAX_CALENDAR_DAYS = 62;

export const CalendarQuery = Type.Object({
  from: Type.String({ format: 'date', description: 'The first day, in the zone' }),
  to: Type.String({
    format: 'date',
    description: `The last day, in the zone: up to ${MAX_CALENDAR_DAYS} days in all`,
  }),
  zone: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The zone of the players whose calendar it is, such as Europe/Berlin; by default that of the studio',
    }),
  ),
  version: Type.Optional(
    Type.Union([Type.Literal('draft'), Type.Literal('published')], { description: 'By default the draft' }),
  ),
});
export type CalendarQuery = Static<typeof CalendarQuery>;

const Entry = Type.Object(
  {
    part: Type.String({ description: 'offers, skus, flags or values' }),
    id: Type.String(),
    label: Type.String({ description: 'Which of several times: the rule of a value. Else empty' }),
    windows: Type.Array(
      Type.Object({
        from: nullable(Time('Null: it has always run')),
        until: nullable(Time('Null: it has no end')),
      }),
      { description: 'Those that reach into the days, in order' },
    ),
  },
  { title: 'CalendarEntry' },
);

export const CalendarResponse = successOf(
  'CalendarResponse',
  Type.Object({
    zone: Type.String(),
    from: Time('The start of the first day'),
    to: Time('The end of the last day'),
    version: nullable(Type.Integer({ description: 'Null: the draft' })),
    entries: Type.Array(Entry, {
      description:
        'What has a beginning, an end or a schedule, and offers in any case. Who gets it is not looked at.',
    }),
    leftOut: Type.Integer({ description: 'Entries beyond the first 300' }),
  }),
  {
    example: {
      zone: 'Europe/Berlin',
      from: '2026-10-31T23:00:00.000Z',
      to: '2026-11-30T23:00:00.000Z',
      version: null,
      entries: [
        {
          part: 'offers',
          id: 'winter_sale',
          label: '',
          windows: [{ from: '2026-11-21T17:00:00.000Z', until: '2026-11-21T21:00:00.000Z' }],
        },
      ],
      leftOut: 0,
    },
  },
);
