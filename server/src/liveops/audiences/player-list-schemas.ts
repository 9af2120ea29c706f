import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { NextCursor } from '../../platform/admin-api/page-cursor.js';
import { REPORTED_AMOUNT_EXAMPLE, ReportedAmount } from '../../studio/money/money-schemas.js';
import { FirstSeenAt } from '../players/admin-player-schemas.js';

/** Documentation of the lists of players. */

export const ListedPlayer = Type.Object(
  {
    playerId: Type.String({ description: '`userId` of the login response' }),
    createdAt: Time('First login'),
    firstSeenAt: FirstSeenAt,
    lastEventAt: nullable(Time('The time of the latest event, by the clock of the client')),
    lastReceivedAt: nullable(
      Time(
        'With `sort=lastSeen`, the order of the list: when the newest events were received, or the first of a compacted group that they belong to',
      ),
    ),
    country: nullable(Type.String({ description: 'Last known' })),
    platform: nullable(Type.String({ description: 'Last known `osName`' })),
    purchaseCount: Type.Integer({ description: 'Without refunded purchases' }),
    spend: Type.Record(Type.String(), Type.Number(), { description: 'By currency, minus refunds' }),
    reportedSpend: ReportedAmount,
    foundBy: nullable(
      Type.Union(
        [
          Type.Literal('userId'),
          Type.Literal('deviceId'),
          Type.Literal('transactionId'),
          Type.Literal('failedTransactionId'),
          Type.Literal('userIdStart'),
          Type.Literal('userIdEnd'),
        ],
        {
          description:
            'The kind of id that `find` matched; null without `find`. `failedTransactionId`: the transaction id of an event that was refused',
        },
      ),
    ),
  },
  { title: 'ListedPlayer' },
);

export const PlayersResponse = successOf(
  'PlayersResponse',
  Type.Object({
    players: Type.Array(ListedPlayer),
    nextCursor: NextCursor,
    examined: nullable(
      Type.Integer({
        description:
          'With a filter: how many players, or with `sort=lastSeen` groups of their events, were examined for this page. Continue with `nextCursor`.',
      }),
    ),
    currencies: nullable(
      Type.Array(Type.String(), {
        description:
          'With `sort=spend`: the currencies in which the game was paid in the last year, those of most days first; 50 at most',
      }),
    ),
  }),
  {
    example: {
      players: [
        {
          playerId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
          createdAt: '2026-11-01T09:30:00.000Z',
          firstSeenAt: '2026-11-01T09:30:00.000Z',
          lastEventAt: '2026-11-15T11:59:58.000Z',
          lastReceivedAt: null,
          country: 'DE',
          platform: 'Android',
          purchaseCount: 2,
          spend: { USD: 9.98 },
          reportedSpend: REPORTED_AMOUNT_EXAMPLE,
          foundBy: 'deviceId' as const,
        },
      ],
      nextCursor: null,
      examined: null,
      currencies: null,
    },
  },
);
