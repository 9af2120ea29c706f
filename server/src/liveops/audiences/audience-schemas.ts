import { type Static, Type } from 'typebox';
import { ConfigDocument } from '../../decide/document/document.js';
import { successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { ReportedShare } from '../../studio/money/money-schemas.js';
import { DOCUMENT_EXAMPLE } from '../configs/config-schemas.js';
import { NEAR_MISS_EXAMPLE, NearMiss } from '../explanations/near-miss-schema.js';
import { Notes } from '../own-attributes/own-attribute-schemas.js';
import { FAST_SAMPLE_SIZE } from './player-samples.js';

/** Request and response of the count of an audience. */

const members = {
  offerId: Type.Optional(Type.String({ maxLength: 64, description: 'An offer of the document' })),
  segmentId: Type.Optional(Type.String({ maxLength: 64, description: 'A segment of the document' })),
  value: Type.Optional(
    Type.Object(
      {
        key: Type.String({ maxLength: 64 }),
        rule: Type.Integer({ minimum: 0, description: 'The index of a rule' }),
      },
      { description: 'A rule of a value of the document: the players who get the value of the rule' },
    ),
  ),
};

export const AudienceBody = Type.Object(
  {
    document: Type.Optional(ConfigDocument),
    ...members,
  },
  {
    title: 'AudienceRequest',
    description:
      'An offer, a segment or a rule of a value of the given document, or of the draft if no document is given.',
    examples: [{ document: DOCUMENT_EXAMPLE, segmentId: 'payer' }],
  },
);
/** Checked first. The document is checked later, and has its own error. */
export const AudienceEnvelope = Type.Object({ document: Type.Optional(Type.Unknown()), ...members });
export type AudienceEnvelope = Static<typeof AudienceEnvelope>;

export const AudienceResponse = successOf(
  'AudienceResponse',
  Type.Object({
    players: Type.Integer({ description: 'All players of the game' }),
    examined: Type.Integer({
      description: `How many of them were examined: ${FAST_SAMPLE_SIZE.toLocaleString('en')} at most`,
    }),
    isSampled: Type.Boolean({
      description:
        'True: the audience is estimated from an even sample. The error is less than one percent of all players in 19 of 20 cases, and larger where `notes` says that fewer players were examined.',
    }),
    countedAt: Time('The instant of the count'),
    at: Time('The instant that was evaluated: the beginning of an offer that begins later, otherwise now'),
    audience: Type.Object({
      players: Type.Integer({ description: 'Players that the offer, segment or rule reaches' }),
      payers: Type.Integer({ description: 'Players of the audience with a purchase that was not refunded' }),
      share: Type.Number({ description: 'The share of all players of the game: 0.25 is a quarter' }),
    }),
    revenueShare: Type.Record(Type.String(), Type.Number(), {
      description: 'By currency: the share of the audience in the spend of all examined players',
    }),
    reportedRevenueShare: ReportedShare,
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
    notes: Notes,
  }),
  {
    example: {
      players: 20_311,
      examined: 10_000,
      isSampled: true,
      countedAt: '2026-11-15T12:00:00.000Z',
      at: '2026-11-15T12:00:00.000Z',
      audience: { players: 1204, payers: 1204, share: 0.0593 },
      revenueShare: { USD: 0.38 },
      reportedRevenueShare: { currency: 'USD', share: 0.38, missing: [] },
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
      notes: [],
    },
  },
);
