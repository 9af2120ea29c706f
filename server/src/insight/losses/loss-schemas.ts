import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';

export const LossesResponse = successOf(
  'LossesResponse',
  Type.Object({
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    graceHours: Type.Integer({ description: 'How long a number may be missing before it counts as lost' }),
    losses: Type.Array(
      Type.Object(
        {
          day: Type.String({ format: 'date', description: 'The UTC day on which the gap was noticed' }),
          build: nullable(Type.String({ description: '`X-Client-Build` of the client, if it told' })),
          platform: nullable(Type.String()),
          events: Type.Integer({ description: 'Numbers that never arrived' }),
          players: Type.Integer({ description: 'Players of whom they are missing' }),
        },
        { title: 'Loss' },
      ),
      { description: 'The newest day first, the largest loss of a day first; 1,000 at most' },
    ),
    isCut: Type.Boolean({ description: 'There are more than 1,000: ask for fewer days' }),
    missing: Type.Array(
      Type.Object(
        {
          build: nullable(Type.String({ description: '`X-Client-Build` of the client, if it told' })),
          platform: nullable(Type.String()),
          events: Type.Integer({ description: 'Numbers that have not arrived yet' }),
          players: Type.Integer({ description: 'Players of whom they are missing' }),
          since: Time('When the oldest of these gaps was noticed'),
        },
        { title: 'MissingEvents' },
      ),
      {
        description:
          'What is missing now for less than `graceHours`, whatever days are asked for: it may still arrive. The largest first; 1,000 at most',
      },
    ),
  }),
  {
    description:
      'Events that clients numbered (`X-Install-Id`, `seq`) and that never arrived, and those that are missing now.',
    example: {
      from: '2026-10-17',
      to: '2026-11-15',
      graceHours: 24,
      losses: [{ day: '2026-11-13', build: '1.42.0+3817', platform: 'Android', events: 12, players: 2 }],
      isCut: false,
      missing: [
        {
          build: '1.42.0+3817',
          platform: 'Android',
          events: 3,
          players: 1,
          since: '2026-11-15T09:12:00.000Z',
        },
      ],
    },
  },
);
