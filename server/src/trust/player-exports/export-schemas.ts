import { type TSchema, Type } from 'typebox';
import { OwnJson } from '../../liveops/own-attributes/own-json.js';
import { nullable, Time } from '../../platform/admin-api/admin-responses.js';
import { EXPORT_EXAMPLE } from './export-example.js';
import { EXPORT_FORMAT, EXPORT_FORMAT_VERSION } from './export-pieces.js';

/** The schema of an export of a player. A test fails if a document has a member that is not here. */

const Day = Type.String({ format: 'date' });
const Counts = (description: string) => Type.Record(Type.String(), Type.Number(), { description });
const Text = nullable(Type.String());
const Spans = (of: TSchema, description: string) =>
  Type.Array(Type.Object({ first: of, last: of }), { description });

const Player = Type.Object(
  {
    playerId: Type.String({ format: 'uuid' }),
    createdAt: Time('First login'),
    ageGroup: nullable(Type.String({ description: 'child, teen or adult; null: not known' })),
    firstEventAt: nullable(Time('Of the first event, by its own time')),
    lastEventAt: nullable(Time('Of the latest event, by its own time')),
    firstDay: nullable(Day),
    activeDays: Spans(Day, 'Days (UTC) with an event'),
    eventCount: Type.Integer(),
    eventCounts: Counts('By event type'),
    purchaseCount: Type.Integer({ description: 'Refunded ones not counted' }),
    firstPurchaseAt: nullable(Time('Of the first purchase that was not refunded')),
    lastPurchaseAt: nullable(Time('Of the latest purchase that was not refunded')),
    purchaseDays: Spans(Day, 'Days (UTC) with a purchase'),
    spend: Counts('By currency, refunds taken off'),
    repeatSpend: Counts('By currency, without the first day of purchase'),
    profile: Type.Record(
      Type.String(),
      Type.Object({ value: Type.String(), at: Time('When it was last seen') }),
      {
        description:
          'Last known country, locale, osName, osVersion, deviceType, clientBuild, currency, paidCurrency, timeZone',
      },
    ),
  },
  { title: 'ExportedPlayer' },
);

const Prediction = Type.Object(
  {
    value: Type.Number(),
    defaultValue: Type.Number({ description: 'The average of similar players' }),
    expiredAt: nullable(Time('From this time on use `defaultValue`')),
    unit: Type.String(),
    horizonDays: nullable(Type.Integer()),
    state: Type.String({ description: 'ready, cold_start, degraded or off' }),
    explanation: Type.String(),
    reasons: Type.Array(
      Type.Object({
        label: Type.String(),
        value: Type.String({ description: 'The value for this player' }),
        effect: Type.Union([Type.Literal('raises'), Type.Literal('lowers')]),
      }),
      { description: 'The largest first; empty where the model knows no single reasons' },
    ),
  },
  { title: 'ExportedPrediction' },
);

const Event = Type.Object(
  {
    eventType: Type.String(),
    timestamp: Type.String({ description: 'As it was sent' }),
    receivedAt: Time('When it was received'),
    clockSuspect: Type.Boolean({ description: 'Its own time was not plausible' }),
    eventId: Text,
    installId: Text,
    seq: nullable(Type.Integer({ description: 'Its number within the installation' })),
    payload: Type.Record(Type.String(), Type.Unknown()),
    metadata: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'ExportedEvent' },
);

export const PlayerExport = Type.Object(
  {
    format: Type.Literal(EXPORT_FORMAT),
    formatVersion: Type.Literal(EXPORT_FORMAT_VERSION, {
      description:
        'Goes up when a member is removed or means something else. New members may come at any time.',
    }),
    exportedAt: Time('The instant of the export'),
    tenantId: Type.String({ description: 'The studio' }),
    gameId: Type.String({ description: 'The game' }),
    eventsDeletedBefore: nullable(
      Type.String({ format: 'date', description: 'Events from before this day have been deleted' }),
    ),
    player: Player,
    flags: Type.Record(
      Type.String(),
      Type.Object({
        value: Type.Boolean(),
        defaultValue: Type.Boolean(),
        expiredAt: nullable(Time('When the value is the default again')),
      }),
      { description: 'As they are at the instant of the export' },
    ),
    attributes: OwnJson,
    segments: Type.Array(Type.Object({ segmentId: Type.String(), name: Type.String() }), {
      description: 'Those the player is in at the instant of the export',
    }),
    predictions: Type.Record(Type.String(), Prediction, {
      description: 'What the models in force say at the instant of the export',
    }),
    days: Type.Array(
      Type.Object({
        day: Day,
        events: Type.Integer(),
        sessions: Type.Integer(),
        adImpressions: Type.Integer(),
        storeViews: Type.Integer(),
        playMs: Type.Integer(),
        eventCounts: Counts('By event type'),
        purchases: Type.Integer(),
        revenue: Counts('By currency'),
        country: Text,
        platform: Text,
        build: Text,
      }),
    ),
    transactions: Type.Array(
      Type.Object({
        transactionId: Type.String(),
        skuId: Text,
        price: nullable(Type.Number()),
        currency: Text,
        promoId: Text,
        purchasedAt: nullable(Time('Null: only the refund has been received')),
        refundedAt: nullable(Time('From when it did not count: refunded, or proved by another player')),
        movedAt: nullable(Time('When another player proved it')),
        verifiedBy: nullable(
          Type.String({ description: 'apple, google or server; null: only the game says so' }),
        ),
        receivedAt: nullable(Time('When the purchase was received')),
      }),
    ),
    promotions: Type.Array(Type.Object({ promoId: Type.String(), purchases: Type.Integer() }), {
      description: 'Purchases that name a promotion',
    }),
    overrides: Type.Array(
      Type.Object({
        flagId: Type.String(),
        value: Type.Boolean(),
        reason: Type.String(),
        setAt: Time('When it was set'),
        until: nullable(Time('When it ends of itself')),
        clearedAt: nullable(Time('When it was replaced or taken back')),
      }),
      { description: 'Flags that the studio has set' },
    ),
    pins: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'value or variant' }),
        target: Type.String({ description: 'The key of the value, or the id of the experiment' }),
        value: Type.Unknown({ description: 'The value, or the id of the variant' }),
        reason: Type.String(),
        setAt: Time('When it was set'),
        until: nullable(Time('When it ends of itself')),
        clearedAt: nullable(Time('When it was replaced or taken back')),
      }),
      { description: 'Values and variants that the studio has pinned' },
    ),
    segmentStays: Type.Array(
      Type.Object({
        segmentId: Type.String(),
        enteredAt: Time('When the player entered the segment'),
        enteredValue: Type.Number({ description: 'The prediction that led to it' }),
        leftAt: nullable(Time('When the player left it')),
        leftValue: nullable(Type.Number()),
      }),
      { description: 'Of segments with two thresholds' },
    ),
    experiments: Type.Array(
      Type.Object({
        experimentId: Type.String(),
        seed: Type.String({ description: 'Which draw of the experiment it was' }),
        variantId: Type.String({ description: 'The arm that the player was in' }),
        exposedAt: Time('When a response depended on it for the first time'),
        activatedAt: nullable(Time('The event from which the player counts, where the experiment names one')),
        forecast: nullable(
          Type.Object({
            churn: nullable(Type.Number({ description: 'That the player stays away for seven days' })),
            spend: nullable(Type.Number({ description: 'That the player buys something within seven days' })),
            revenue: nullable(Type.Number({ description: 'Of the next 28 days' })),
          }),
        ),
        segments: nullable(
          Type.Array(Type.String(), { description: 'Segments that the player was in then; null: not known' }),
        ),
      }),
      { description: 'Experiments that the player took part in' },
    ),
    devices: Type.Array(
      Type.Object({
        deviceId: Type.String(),
        createdAt: Time('First login of the device'),
        attachedAt: nullable(Time('When the studio attached it to the player')),
      }),
    ),
    sessions: Type.Array(
      Type.Object({
        sessionId: Type.String(),
        deviceId: Type.String(),
        createdAt: Time('When it was opened'),
        expiresAt: Time('When it can no longer be refreshed'),
      }),
      { description: 'Those that have not ended, without their secrets' },
    ),
    installations: Type.Array(
      Type.Object({
        installId: Type.String(),
        receivedNumbers: Spans(Type.Integer(), 'Numbers of the events that have arrived'),
      }),
    ),
    missingEvents: Type.Array(
      Type.Object({
        installId: Type.String(),
        first: Type.Integer(),
        last: Type.Integer(),
        noticedAt: Time('When a later number arrived'),
        clientBuild: Text,
        platform: Text,
      }),
      { description: 'Numbers of events that have not arrived though later ones have' },
    ),
    notes: Type.Array(
      Type.Object({
        text: Type.String(),
        createdAt: Time('When it was written'),
        editedAt: nullable(Time('When it was last changed')),
      }),
      { description: 'What the studio has written down about the player' },
    ),
    refusedEvents: Type.Array(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        path: Type.String(),
        eventType: Text,
        sent: Type.String({ description: 'The event as it was sent; its beginning if `isCut`' }),
        isCut: Type.Boolean(),
        clientBuild: Text,
        receivedAt: Time('When it was received'),
        replayedAt: nullable(Time('When it was corrected and accepted')),
      }),
    ),
    events: Type.Array(Event, { description: 'In the order of their receipt' }),
  },
  {
    title: 'PlayerExport',
    description: 'Everything that is stored about a player.',
    examples: [EXPORT_EXAMPLE],
  },
);
