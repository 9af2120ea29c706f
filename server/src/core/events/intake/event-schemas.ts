import { Type } from 'typebox';
import { Rejection } from '../../../platform/http/api-schemas.js';
import { EVENT_LIMITS } from './limits.js';

/** Documentation only: each event is checked on its own, because a bad one must not spoil the batch. */
export const Event = Type.Object(
  {
    eventType: Type.String({
      minLength: 1,
      maxLength: EVENT_LIMITS.maxEventTypeLength,
      description:
        'Kind of event. The guide lists the types with a meaning; any other is stored and counted.',
    }),
    timestamp: Type.String({
      format: 'date-time',
      description:
        'When it happened: RFC 3339 with a zone and 0 to 9 decimals, normally YYYY-MM-DDThh:mm:ss.sssZ. Never refused for being old or ahead.',
    }),
    payload: Type.Object({}, { additionalProperties: true, description: 'Event data' }),
    metadata: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Device data; absent means {}. `country` is a code of two letters (ISO 3166-1), `currency` one of three capital letters (ISO 4217).',
        },
      ),
    ),
    eventId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: EVENT_LIMITS.maxEventIdLength,
        description:
          'Names the event within its player: sent again under this name, it is a duplicate whatever else it holds.',
      }),
    ),
    seq: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'Numbers the event within the installation of `X-Install-Id`, from 1 without gaps: sent again under this number, it is a duplicate whatever else it holds. Ignored without that header.',
      }),
    ),
  },
  { title: 'Event' },
);

const metadata = { deviceType: 'phone', osName: 'Android', osVersion: '16' };

const BATCHES = {
  Ad_Impression: {
    summary: 'Advertisements shown',
    value: [
      {
        eventType: 'Ad_Impression',
        timestamp: '2026-11-15T12:00:00.000Z',
        payload: { userId: 'u-1', sessionId: 's-1', adId: 'ad-7', campaignId: 'c-3' },
        metadata,
      },
      {
        eventType: 'Ad_Impression',
        timestamp: '2026-11-15T12:00:41.250Z',
        payload: { userId: 'u-1', sessionId: 's-1', adId: 'ad-9', campaignId: 'c-3' },
        metadata,
      },
    ],
  },
  Purchase: {
    summary: 'A purchase, and its refund',
    value: [
      {
        eventType: 'Purchase',
        timestamp: '2026-11-15T12:03:00.000Z',
        payload: {
          transactionId: 'GPA.3372-4150-8203-17209',
          skuId: 'starter_pack',
          price: 4.99,
          currency: 'USD',
        },
        metadata,
        eventId: 'purchase-17209',
      },
      {
        eventType: 'Refund',
        timestamp: '2026-11-16T08:00:00.000Z',
        payload: { transactionId: 'GPA.3372-4150-8203-17209' },
      },
    ],
  },
  VerifiedPurchase: {
    summary: 'A purchase with the receipt of a store',
    value: [
      {
        eventType: 'Purchase',
        timestamp: '2026-11-15T12:03:00.000Z',
        payload: {
          receipt: { store: 'apple', signedTransaction: 'eyJhbGciOiJFUzI1NiIsIng1YyI6W119.e30.c2ln' },
          promoId: 'weekend',
        },
      },
    ],
  },
  Session: {
    summary: 'A session with a level in it',
    value: [
      {
        eventType: 'Session_Start',
        timestamp: '2026-11-15T12:00:00.000Z',
        payload: { sessionId: 's-1' },
        metadata,
      },
      {
        eventType: 'Level_Complete',
        timestamp: '2026-11-15T12:04:10.500Z',
        payload: { level: 12, stars: 3 },
        metadata,
      },
      {
        eventType: 'Session_End',
        timestamp: '2026-11-15T12:10:00.000Z',
        payload: { sessionId: 's-1', durationMs: 600_000 },
        metadata,
      },
    ],
  },
};

export const EventBatchSchema = Type.Array(Event, {
  maxItems: EVENT_LIMITS.maxEvents,
  'x-examples': BATCHES,
});

export const EventsResponse = Type.Object(
  {
    data: Type.Object({
      accepted: Type.Integer({ description: 'Events that are durable now and were not known before' }),
      duplicates: Type.Optional(
        Type.Integer({
          description:
            'Events that were known already; left out where a queue stands between and it is not known yet',
        }),
      ),
      rejected: Type.Array(Rejection, {
        description: 'Events that were not accepted; do not send them again',
      }),
    }),
    status: Type.Literal('success'),
  },
  {
    title: 'EventsResponse',
    description: 'The good events of the batch are durable.',
    'x-examples': {
      accepted: {
        summary: 'All events were new',
        value: { data: { accepted: 2, duplicates: 0, rejected: [] }, status: 'success' },
      },
      retried: {
        summary: 'The same batch once more',
        value: { data: { accepted: 0, duplicates: 2, rejected: [] }, status: 'success' },
      },
      partly: {
        summary: 'One event was bad; the other is kept',
        value: {
          data: {
            accepted: 1,
            duplicates: 0,
            rejected: [{ index: 1, code: 'payload_invalid', message: 'payload.adId must be a string.' }],
          },
          status: 'success',
        },
      },
    },
  },
);
