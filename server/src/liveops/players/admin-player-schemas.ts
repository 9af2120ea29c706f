import { Type } from 'typebox';
import {
  GameParameters,
  nullable,
  PersonEmail,
  successOf,
  Time,
} from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';
import { TEXT_FORMS } from '../../platform/lib/text-forms.js';
import { REPORTED_AMOUNT_EXAMPLE, ReportedAmount } from '../../studio/money/money-schemas.js';
import { MAX_REASON } from './override-limits.js';

/** Documentation of the admin API's player routes. */

export const PlayerParameters = Type.Object({
  ...GameParameters.properties,
  playerId: Type.String({
    format: 'uuid',
    description: '`userId` of the login response',
    examples: ['0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a'],
  }),
});

export const OverrideParameters = Type.Object({
  ...PlayerParameters.properties,
  flagId: Type.String({ description: 'isPayer, or a flag of the published configuration' }),
});

export const reasonAndUntil = {
  reason: Type.String({
    minLength: 1,
    maxLength: MAX_REASON,
    pattern: TEXT_FORMS.notBlank.pattern,
    description: 'Why, for those who look back',
  }),
  until: Type.Optional(
    nullable(
      Type.String({
        maxLength: 40,
        description: 'RFC 3339 with a zone, in the future: from then on the rule decides again; null: never',
      }),
    ),
  ),
};

export const OverrideBody = Type.Object(
  { value: Type.Boolean(), ...reasonAndUntil },
  {
    title: 'OverrideRequest',
    examples: [{ value: true, reason: 'Paid by bank transfer', until: '2027-01-01T00:00:00Z' }],
  },
);

/** Of an override and of a pin. */
export const setMemberSchemas = {
  reason: Type.String(),
  author: Type.String(),
  authorEmail: PersonEmail,
  setAt: Time('When it was set'),
  until: nullable(Time('When it ends of itself')),
  clearedAt: nullable(Time('When it was replaced or taken back')),
  clearedBy: nullable(Type.String()),
  clearedByEmail: PersonEmail,
  state: Type.Union([Type.Literal('in_force'), Type.Literal('expired'), Type.Literal('cleared')]),
};

const Override = Type.Object(
  { flagId: Type.String(), value: Type.Boolean(), ...setMemberSchemas },
  { title: 'Override' },
);

export const SET_MEMBERS_EXAMPLE = {
  author: 'Ada',
  authorEmail: 'ada@studio.example',
  setAt: '2026-11-15T12:00:00.000Z',
  until: '2027-01-01T00:00:00.000Z',
  clearedAt: null,
  clearedBy: null,
  clearedByEmail: null,
  state: 'in_force' as const,
};

const OVERRIDE_EXAMPLE = {
  flagId: 'isPayer',
  value: true,
  reason: 'Paid by bank transfer',
  ...SET_MEMBERS_EXAMPLE,
};

export const OverrideResponse = successOf('OverrideResponse', Override, { example: OVERRIDE_EXAMPLE });

export const OverridesResponse = listResponse('OverridesResponse', 'overrides', Override, {
  example: OVERRIDE_EXAMPLE,
  description: 'Those that stand, then what is over, newest first',
});

export const ClearedResponse = successOf('OverrideClearedResponse', Type.Object({ flagId: Type.String() }), {
  description: 'The rule decides again.',
  example: { flagId: 'isPayer' },
});

export const FirstSeenAt = Time(
  'The first login, or the beginning of the UTC day of the first event if that day is earlier; daysSinceFirstSeen counts from it',
);
const Counts = Type.Record(Type.String(), Type.Number());
const LastKnown = Type.Object({ value: Type.String(), at: Time('When it was last seen') });

export const PlayerResponse = successOf(
  'PlayerResponse',
  Type.Object(
    {
      playerId: Type.String(),
      createdAt: Time('First login'),
      firstSeenAt: FirstSeenAt,
      lastEventAt: nullable(Time('Of the latest event, by its own time')),
      eventCount: Type.Integer(),
      eventCounts: Type.Record(Type.String(), Type.Number(), { description: 'By event type' }),
      purchaseCount: Type.Integer({ description: 'Refunded ones not counted' }),
      lastPurchaseAt: nullable(Time('Of the latest purchase that was not refunded')),
      spend: Type.Record(Type.String(), Type.Number(), { description: 'By currency, refunds taken off' }),
      reportedSpend: ReportedAmount,
      profile: Type.Record(Type.String(), LastKnown, {
        description:
          'Last known country, locale, osName, osVersion, deviceType, clientBuild and currency; paidCurrency is that of the last purchase',
      }),
      days: Type.Array(
        Type.Object({
          day: Type.String({ format: 'date' }),
          events: Type.Integer(),
          sessions: Type.Integer(),
          adImpressions: Type.Integer(),
          storeViews: Type.Integer(),
          playMs: Type.Integer(),
          purchases: Type.Integer(),
          revenue: Counts,
          eventCounts: Counts,
        }),
        { description: 'The active ones of the last 28, newest first' },
      ),
      promoPurchases: Type.Record(Type.String(), Type.Number(), { description: 'By promotion id' }),
      overrides: Type.Array(Override, { description: 'Those that stand' }),
    },
    { title: 'PlayerFacts' },
  ),
  {
    description: 'All that is known of a player when something is decided for them.',
    example: {
      playerId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
      createdAt: '2026-11-01T09:30:00.000Z',
      firstSeenAt: '2026-11-01T09:30:00.000Z',
      lastEventAt: '2026-11-15T11:59:58.000Z',
      eventCount: 412,
      eventCounts: { Ad_Impression: 380, Purchase: 2, Session_Start: 30 },
      purchaseCount: 2,
      lastPurchaseAt: '2026-11-14T20:15:00.000Z',
      spend: { USD: 9.98 },
      reportedSpend: REPORTED_AMOUNT_EXAMPLE,
      profile: { country: { value: 'DE', at: '2026-11-15T11:59:58.000Z' } },
      days: [
        {
          day: '2026-11-14',
          events: 40,
          sessions: 3,
          adImpressions: 35,
          storeViews: 1,
          playMs: 1_800_000,
          purchases: 1,
          revenue: { USD: 4.99 },
          eventCounts: { Ad_Impression: 35, Purchase: 1, Session_Start: 3, Store_View: 1 },
        },
      ],
      promoPurchases: { 'winter-2026': 1 },
      overrides: [OVERRIDE_EXAMPLE],
    },
  },
);
