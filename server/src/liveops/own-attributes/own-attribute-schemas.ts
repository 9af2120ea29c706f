import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';

export const Notes = Type.Array(Type.String(), {
  description:
    'Sentences about bounds that were reached: fewer players were examined, because own attributes that are not published yet had to be worked out from their events. A dry run also names running experiments that no rule reads. Empty for most.',
});

const Attribute = Type.Object(
  {
    attributeId: Type.String(),
    description: Type.String(),
    eventType: Type.String(),
    member: nullable(Type.String()),
    fold: Type.String(),
    type: Type.String(),
    bytes: Type.Integer({ description: 'What a player’s value can take at most' }),
  },
  { title: 'OwnAttribute' },
);

export const OwnAttributesResponse = successOf(
  'OwnAttributesResponse',
  Type.Object({
    configVersion: Type.Integer({ description: 'The published version that defines them' }),
    attributes: Type.Array(Attribute),
    bytes: Type.Integer({ description: 'What all values of a player can take at most, together' }),
    maxBytes: Type.Integer(),
    state: Type.Union([Type.Literal('none'), Type.Literal('working'), Type.Literal('ready')], {
      description:
        '`working`: the past of some players is still being worked out; rules that need it do not match for them. `none`: the game never had own attributes.',
    }),
    players: nullable(Type.Integer({ description: 'When the work began; null: it has not begun' })),
    playersDone: Type.Integer(),
    since: nullable(Time('When the attributes became what they are')),
    finishedAt: nullable(Time('When the last player was done')),
  }),
  {
    example: {
      configVersion: 7,
      attributes: [
        {
          attributeId: 'level',
          description: 'The level that was reached last',
          eventType: 'Level_Up',
          member: 'payload.level',
          fold: 'last',
          type: 'integer',
          bytes: 40,
        },
      ],
      bytes: 42,
      maxBytes: 2048,
      state: 'working',
      players: 120_000,
      playersDone: 30_000,
      since: '2026-11-18T09:00:00.000Z',
      finishedAt: null,
    },
  },
);
