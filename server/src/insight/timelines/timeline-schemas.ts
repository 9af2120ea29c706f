import { type Static, Type } from 'typebox';
import { nullable, PersonEmail, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { NextCursor } from '../../platform/admin-api/page-cursor.js';

/** Documentation of a player's timeline. */

export const TIMELINE_KINDS = [
  'event',
  'purchase',
  'refund',
  'failed',
  'login',
  'override',
  'pin',
  'version',
] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

const eventMembers = {
  at: Time(
    'When it happened, the order of the timeline: its own time, but not later than its receipt, and its receipt if the clock is suspect',
  ),
  receivedAt: Time('When the service received it'),
  eventType: Type.String(),
  timestamp: Type.String({ description: "The event's own time, as the client sent it" }),
  clockSuspect: Type.Boolean({
    description: 'The own time is far from the time of receipt; the event counts at its time of receipt',
  }),
  eventId: nullable(Type.String({ description: 'The name that the client gave it' })),
  sequence: nullable(Type.Integer({ description: '`seq`, the number that the client gave it' })),
  installId: nullable(Type.String({ description: '`X-Install-Id` of the request, of numbered events' })),
  payload: Type.Record(Type.String(), Type.Unknown()),
  metadata: Type.Record(Type.String(), Type.Unknown()),
};

const EventItem = Type.Object(
  { kind: Type.Literal('event'), ...eventMembers },
  { title: 'TimelineEvent', description: 'An event of any type but Purchase and Refund.' },
);

const PurchaseItem = Type.Object(
  {
    kind: Type.Literal('purchase'),
    ...eventMembers,
    transactionId: nullable(Type.String()),
    skuId: nullable(Type.String()),
    price: nullable(Type.String({ description: 'Exact decimal' })),
    currency: nullable(Type.String()),
    promoId: nullable(Type.String()),
    refundedAt: nullable(Time('When it was refunded')),
    movedAt: nullable(Time('When another player proved it: since then it counts for that player')),
    verifiedBy: nullable(
      Type.String({ description: 'Who proved it: apple, google or server. Null: only the client says so' }),
    ),
    isIgnored: Type.Boolean({
      description:
        'It never counted: shared within a family, or not proved in a game that counts verified purchases only',
    }),
  },
  { title: 'TimelinePurchase' },
);

const RefundItem = Type.Object(
  {
    kind: Type.Literal('refund'),
    ...eventMembers,
    transactionId: nullable(Type.String()),
    isIgnored: Type.Boolean({
      description: 'It never counted: sent by a client of a game that counts verified purchases only',
    }),
  },
  { title: 'TimelineRefund' },
);

const FailedItem = Type.Object(
  {
    kind: Type.Literal('failed'),
    at: Time('When the service received it'),
    id: Type.String({ description: 'Of the entry in the inbox of failed events' }),
    eventType: nullable(Type.String({ description: 'Null where it could not be read' })),
    transactionId: nullable(Type.String({ description: '`payload.transactionId`, if it has one' })),
    reason: Type.String({ description: 'Why it was refused: a permanent code' }),
    message: Type.String({ description: 'A sentence for the developer' }),
    replayedAt: nullable(
      Time('When it was replayed, and so is an event of the player; null while it is open'),
    ),
  },
  {
    title: 'TimelineFailedEvent',
    description: 'An event that was refused. Entries of the inbox are kept for 30 days.',
  },
);

const LoginItem = Type.Object(
  {
    kind: Type.Literal('login'),
    at: Time('When the session was opened'),
    isFirst: Type.Boolean({ description: 'The login that created the player' }),
    sessionId: nullable(Type.String({ description: 'Null for the first login once its session is gone' })),
    deviceId: nullable(Type.String()),
  },
  {
    title: 'TimelineLogin',
    description:
      'A session that still exists, or the first login. Sessions that were logged out, revoked or have expired are deleted.',
  },
);

const changeMembers = {
  at: Time('When it was set, cleared or ended'),
  change: Type.Union([Type.Literal('set'), Type.Literal('cleared'), Type.Literal('ended')], {
    description: '`ended`: its `until` passed, and the rule decides again. Setting it anew clears first.',
  }),
  reason: Type.String(),
  by: nullable(Type.String({ description: 'Who set or cleared it; null if it ended by itself' })),
  byEmail: PersonEmail,
  until: nullable(Time('When it ends or ended by itself')),
};

const OverrideItem = Type.Object(
  { kind: Type.Literal('override'), ...changeMembers, flagId: Type.String(), value: Type.Boolean() },
  { title: 'TimelineOverride' },
);

const PinItem = Type.Object(
  {
    kind: Type.Literal('pin'),
    ...changeMembers,
    pinKind: Type.Union([Type.Literal('value'), Type.Literal('variant')]),
    target: Type.String({ description: 'The key of the value, or the id of the experiment' }),
    value: Type.Unknown({ description: 'The value, or the id of the variant' }),
  },
  { title: 'TimelinePin' },
);

const VersionItem = Type.Object(
  {
    kind: Type.Literal('version'),
    at: Time('When it was published'),
    version: Type.Integer(),
    author: Type.String(),
    authorEmail: PersonEmail,
    note: Type.String(),
    copyOf: nullable(Type.Integer({ description: 'The older version that it repeats, if it is a way back' })),
  },
  {
    title: 'TimelineVersion',
    description:
      'From here on the player was decided for under this version. The oldest one was in force when the player was created.',
  },
);

export const TimelineItem = Type.Union([
  EventItem,
  PurchaseItem,
  RefundItem,
  FailedItem,
  LoginItem,
  OverrideItem,
  PinItem,
  VersionItem,
]);
export type TimelineItem = Static<typeof TimelineItem>;

export const TimelineResponse = successOf(
  'TimelineResponse',
  Type.Object({
    items: Type.Array(TimelineItem, { description: 'Newest first' }),
    nextCursor: NextCursor,
    eventsDeletedBefore: nullable(
      Type.String({ format: 'date', description: 'Events before this UTC day were deleted (retention)' }),
    ),
  }),
  {
    example: {
      items: [
        {
          kind: 'purchase',
          at: '2026-11-15T14:02:05.120Z',
          receivedAt: '2026-11-15T14:02:07.000Z',
          eventType: 'Purchase',
          timestamp: '2026-11-15T14:02:05.120Z',
          clockSuspect: false,
          eventId: null,
          sequence: 412,
          installId: '5f0c9d1e-8a53-4c1b-9a55-2d0f7b6c3e21',
          payload: { transactionId: 'GPA.3345', skuId: 'starter_pack', price: 4.99, currency: 'USD' },
          metadata: { osName: 'Android' },
          transactionId: 'GPA.3345',
          skuId: 'starter_pack',
          price: '4.99',
          currency: 'USD',
          promoId: null,
          refundedAt: null,
          movedAt: null,
          verifiedBy: 'google',
          isIgnored: false,
        },
        {
          kind: 'login',
          at: '2026-11-15T13:58:00.000Z',
          isFirst: false,
          sessionId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1b',
          deviceId: 'device-1',
        },
        {
          kind: 'version',
          at: '2026-11-15T12:00:00.000Z',
          version: 7,
          author: 'Ana',
          authorEmail: 'ana@studio.example',
          note: 'Weekend sale',
          copyOf: null,
        },
      ],
      nextCursor: 'WyJ0aW1lbGluZSIsMTc2MzIwODAwMDAwMCwxXQ',
      eventsDeletedBefore: null,
    },
  },
);
