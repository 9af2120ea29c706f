import { type Static, Type } from 'typebox';
import { successOf, Time } from '../../http/admin-responses.js';
import { ConfigDocument } from '../../personalisation/document/document.js';
import { NEAR_MISS_EXAMPLE, NearMiss } from '../explanations/near-miss-schema.js';
import { DOCUMENT_EXAMPLE } from '../game-configs/config-schemas.js';

/** Documentation of the count of an audience, and the form of its body. */

const members = {
  offerId: Type.Optional(Type.String({ maxLength: 64, description: 'An offer of the document' })),
  segmentId: Type.Optional(Type.String({ maxLength: 64, description: 'A segment of the document' })),
};
const closed = { additionalProperties: false };

export const AudienceBody = Type.Object(
  {
    document: Type.Optional(ConfigDocument),
    ...members,
  },
  {
    ...closed,
    title: 'AudienceRequest',
    description: 'An offer or a segment, of the document given or, without one, of the draft.',
    examples: [{ document: DOCUMENT_EXAMPLE, segmentId: 'payer' }],
  },
);
/** What is checked before the document itself is, which has an error of its own. */
export const AudienceEnvelope = Type.Object({ document: Type.Optional(Type.Unknown()), ...members }, closed);
export type AudienceEnvelope = Static<typeof AudienceEnvelope>;

export const AudienceResponse = successOf(
  'AudienceResponse',
  Type.Object({
    players: Type.Integer({ description: 'Of the game' }),
    examined: Type.Integer({ description: 'How many of them were looked at: 10,000 at the most' }),
    isSampled: Type.Boolean({
      description:
        'Not all were examined: the audience is estimated from an even sample, off by less than one percent of all players in 19 of 20 cases',
    }),
    countedAt: Time('The moment it was decided for'),
    audience: Type.Object({
      players: Type.Integer({ description: 'Players whom it reaches' }),
      payers: Type.Integer({ description: 'Of these: who have a purchase that was not refunded' }),
      share: Type.Number({ description: 'Of all players of the game: 0.25 is a quarter' }),
    }),
    revenueShare: Type.Record(Type.String(), Type.Number(), {
      description: 'By currency: what part of all that the examined players have spent is theirs',
    }),
    examples: Type.Object({
      inside: Type.Array(Type.String(), { description: 'Up to ten userIds' }),
      outside: Type.Array(
        Type.Object({
          playerId: Type.String(),
          nearMiss: NearMiss,
          sentence: Type.String(),
        }),
        { description: 'Up to ten players who would enter with the smallest change of one number' },
      ),
    }),
  }),
  {
    example: {
      players: 20_311,
      examined: 10_000,
      isSampled: true,
      countedAt: '2026-11-15T12:00:00.000Z',
      audience: { players: 1204, payers: 1204, share: 0.0593 },
      revenueShare: { USD: 0.38 },
      examples: {
        inside: ['0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a'],
        outside: [
          {
            playerId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1b',
            nearMiss: NEAR_MISS_EXAMPLE,
            sentence: 'Would enter with purchases.total of at least 3: 2 more than now.',
          },
        ],
      },
    },
  },
);
