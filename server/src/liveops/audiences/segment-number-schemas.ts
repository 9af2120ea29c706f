import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { ReportedRevenue } from '../../studio/money/money-schemas.js';
import { SEGMENT_SAMPLE_SIZE } from './player-samples.js';

/** Documentation of the numbers by segment. */

const count = (description: string) => Type.Integer({ minimum: 0, description });
const Money = (description: string) => Type.Record(Type.String(), Type.String(), { description });

const NUMBERS = {
  players: count('Players in it now'),
  activePlayers: count('Of these: who had at least one event in the span'),
  payingPlayers: count('Of these: who bought something in the span that was not refunded'),
  conversion: nullable(Type.Number({ description: 'payingPlayers divided by activePlayers' })),
  purchases: count('Their purchases in the span that were not refunded'),
  revenue: Money('Prices of these purchases as decimals by currency; exact unless `isSampled`'),
  revenuePerActivePlayer: Money('revenue divided by activePlayers, to four decimals'),
  revenuePerPayingPlayer: Money(
    'revenue divided by payingPlayers, to four decimals; empty where players paid in several currencies',
  ),
  reported: ReportedRevenue,
};

const EXAMPLE = {
  players: 1200,
  activePlayers: 1104,
  payingPlayers: 830,
  conversion: 0.7518,
  purchases: 1904,
  revenue: { USD: '18211.10' },
  revenuePerActivePlayer: { USD: '16.4956' },
  revenuePerPayingPlayer: { USD: '21.9411' },
  reported: {
    currency: 'USD',
    revenue: '18211.1',
    revenuePerActivePlayer: '16.4956',
    revenuePerPayingPlayer: '21.9411',
    missing: {},
  },
};

export const SegmentNumbersResponse = successOf(
  'SegmentNumbersResponse',
  Type.Object({
    version: Type.Integer({ description: 'The published version that the segments are of' }),
    from: Type.String({ format: 'date', description: 'UTC' }),
    to: Type.String({ format: 'date', description: 'UTC, included: today' }),
    players: count('All players of the game'),
    examined: count(`How many of them were evaluated: ${SEGMENT_SAMPLE_SIZE.toLocaleString('en')} at most`),
    isSampled: Type.Boolean({
      description: 'True: the numbers are estimated from a sample',
    }),
    countedAt: Time('When they were counted'),
    all: Type.Object(NUMBERS, { title: 'PlayerNumbers', description: 'All players, to compare with' }),
    segments: nullable(
      Type.Array(
        Type.Object(
          { segmentId: Type.String(), name: Type.String(), ...NUMBERS },
          { title: 'SegmentNumbers' },
        ),
        {
          description:
            'In the order of the document; a player may be in several. Null where the rules ask for more different things about a player than can be read at once',
        },
      ),
    ),
  }),
  {
    description:
      'What the players who are in each published segment now did in the last 28 UTC days, today included. It says nothing of who was in a segment on a past day: that is not kept.',
    example: {
      version: 7,
      from: '2026-10-19',
      to: '2026-11-15',
      players: 20_311,
      examined: 20_000,
      isSampled: true,
      countedAt: '2026-11-15T12:00:00.000Z',
      all: { ...EXAMPLE, players: 20_311 },
      segments: [{ segmentId: 'whales', name: 'Whales', ...EXAMPLE }],
    },
  },
);
