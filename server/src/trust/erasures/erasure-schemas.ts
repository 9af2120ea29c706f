import { Type } from 'typebox';
import {
  GameParameters,
  nullable,
  PersonEmail,
  successOf,
  Time,
} from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';

/** Documentation of the erasure of players. */

const EXAMPLE_ID = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';

export const ErasureParameters = Type.Object({
  ...GameParameters.properties,
  erasureId: Type.String({
    format: 'uuid',
    description: '`erasureId` of the list of erasures',
    examples: [EXAMPLE_ID],
  }),
});

const Counts = Type.Record(Type.String(), Type.Integer(), {
  description: 'How many rows of each table were deleted, and what else was done',
});

const Erasure = Type.Object(
  {
    erasureId: Type.String({ format: 'uuid' }),
    playerId: nullable(
      Type.String({ description: 'Null once the player is erased, or the request is withdrawn' }),
    ),
    playerHash: Type.String({ description: 'What the audit log calls the player once the player is erased' }),
    state: Type.Union(
      [Type.Literal('waiting'), Type.Literal('erasing'), Type.Literal('done'), Type.Literal('withdrawn')],
      {
        description: '`waiting`: can be withdrawn. `erasing`: has begun, and goes on after any interruption.',
      },
    ),
    requestedBy: Type.String({ description: '`player`, or who of the studio asked for it' }),
    requestedByEmail: PersonEmail,
    requestedAt: Time('When the erasure was requested'),
    dueAt: Time('When it begins'),
    finishedAt: nullable(Time('When the player was erased, or the request withdrawn')),
    counts: Counts,
    receipt: nullable(
      Type.String({
        description: 'The counts as a JWS, to be checked against /.well-known/jwks.json of the player API',
      }),
    ),
  },
  { title: 'Erasure' },
);

const EXAMPLE = {
  erasureId: EXAMPLE_ID,
  playerId: '0199b0c1-1a2b-7c3d-9e4f-5a6b7c8d9e0f',
  playerHash: 'erased:5f0c8b1d2e3f405162738495a6b7c8d',
  state: 'waiting' as const,
  requestedBy: 'player',
  requestedByEmail: null,
  requestedAt: '2026-11-18T12:00:00.000Z',
  dueAt: '2026-11-25T12:00:00.000Z',
  finishedAt: null,
  counts: { devices: 1 },
  receipt: null,
};

export const ErasureResponse = successOf('ErasureResponse', Erasure, { example: EXAMPLE });

export const ErasuresResponse = listResponse('ErasuresResponse', 'erasures', Erasure, {
  example: EXAMPLE,
  description: 'Newest first',
});

export const WithdrawnErasureResponse = successOf(
  'WithdrawnErasureResponse',
  Type.Object({ erasureId: Type.String({ format: 'uuid' }) }),
  { example: { erasureId: EXAMPLE_ID } },
);

export const ErasurePreviewResponse = successOf(
  'ErasurePreviewResponse',
  Type.Object({
    playerId: Type.String(),
    waitDays: Type.Integer({ description: 'For how many days a request can be withdrawn' }),
    erasure: nullable(Erasure),
    goes: Type.Record(Type.String(), Type.Integer(), {
      description:
        'What would be deleted now, by table; counted up to 10,000. `events` are all that were counted for the player.',
    }),
    taxRecords: Type.Integer({
      description:
        'Purchases of which amount, currency, day and a hash of the order stay; counted up to 10,000',
    }),
  }),
  {
    example: {
      playerId: EXAMPLE.playerId,
      waitDays: 7,
      erasure: null,
      goes: { events: 1284, player_days: 31, transactions: 2, devices: 1 },
      taxRecords: 2,
    },
  },
);
