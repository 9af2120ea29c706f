import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { SEGMENT_SAMPLE_SIZE } from './player-samples.js';

/** Documentation of the list of segments. */

const Size = Type.Object(
  {
    players: Type.Integer({ description: 'Players in the segment; an estimate if `isSampled`' }),
    payers: Type.Integer({ description: 'Players in the segment with a purchase that was not refunded' }),
    share: Type.Number({ description: 'The share of all players of the game: 0.25 is a quarter' }),
  },
  {
    title: 'SegmentSize',
    description: 'Null if the rules use more different facts about a player than can be read at once',
  },
);

export const SegmentsResponse = successOf(
  'SegmentsResponse',
  Type.Object({
    version: Type.Integer({ description: 'The published version of the segments' }),
    segments: Type.Array(
      Type.Object(
        {
          segmentId: Type.String(),
          name: Type.String(),
          rule: Type.String({ description: 'CEL' }),
          thresholds: Type.Optional(
            Type.Object({
              prediction: Type.String(),
              enterAbove: Type.Number(),
              leaveBelow: Type.Number(),
            }),
          ),
          segmentVersion: Type.Integer({
            description: 'Increased by each change of rule, thresholds or name',
          }),
          visibleToClients: Type.Boolean(),
          priority: Type.Integer(),
          size: nullable(Size),
          usedBy: Type.Object(
            {
              segments: Type.Array(Type.String(), {
                description: 'Ids of segments whose rules use the segment',
              }),
              flags: Type.Array(Type.String(), { description: 'Ids of flags whose rules use the segment' }),
              offers: Type.Array(Type.String(), { description: 'Ids of offers whose rules use the segment' }),
            },
            { title: 'SegmentUse' },
          ),
        },
        { title: 'ListedSegment' },
      ),
      { description: 'In the order of the document' },
    ),
    players: Type.Integer({ description: 'All players of the game' }),
    examined: Type.Integer({ description: 'Players that were examined for the sizes' }),
    isSampled: Type.Boolean({
      description: `True: an even sample of ${SEGMENT_SAMPLE_SIZE.toLocaleString('en')} players was examined, in the order of first login`,
    }),
    countedAt: Time('When the sizes were counted'),
    days: Type.Array(
      Type.Object(
        {
          day: Type.String({ format: 'date', description: 'UTC' }),
          version: Type.Integer({ description: 'The published version of the segments' }),
          players: Type.Integer({ description: 'All players of the game' }),
          sizes: Type.Record(Type.String(), Type.Integer(), {
            description: `Segment id → players; an estimate in a game of more than ${SEGMENT_SAMPLE_SIZE.toLocaleString('en')} players`,
          }),
        },
        { title: 'SegmentSizeDay' },
      ),
      { description: 'The last count of each of the last 30 days, oldest first, today included' },
    ),
  }),
  {
    example: {
      version: 7,
      segments: [
        {
          segmentId: 'whales',
          name: 'Whales',
          rule: 'spend["USD"].last28d > 50.0',
          segmentVersion: 2,
          visibleToClients: false,
          priority: 10,
          size: { players: 1200, payers: 1200, share: 0.0591 },
          usedBy: { segments: [], flags: [], offers: ['winter_sale'] },
        },
      ],
      players: 20_311,
      examined: 20_000,
      isSampled: true,
      countedAt: '2026-11-15T12:00:00.000Z',
      days: [{ day: '2026-11-15', version: 7, players: 20_311, sizes: { whales: 1200 } }],
    },
  },
);
