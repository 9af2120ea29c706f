import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/schema';
import type {
  ExperimentExposure,
  FlagOverride,
  PlayerDay,
  PlayerFacts,
  PlayerPin,
  PlayerProfile,
  ProfileMember,
  SegmentStay,
} from '../../decide/attributes/player-facts.js';
import type { NamedDefinition } from '../../decide/own-attributes/own-definition.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { DAY_MS, dateOf } from '../../platform/lib/day.js';
import { createSuggest } from '../../platform/lib/nearest-name.js';
import { noMember, schemaAt } from '../../platform/lib/schema-members.js';
import { ruleOf } from '../../platform/lib/schema-rules.js';
import { TEXT_FORMS } from '../../platform/lib/text-forms.js';
import { OwnJson, readOwn, toOwnJson } from '../own-attributes/own-json.js';
import { HistoryJson, historyOfDays, readHistory, toHistoryJson } from './history-json.js';
import { readInstant } from './instant.js';
import { Instant, OverrideJson, PinJson, readSpan, toSpanJson } from './override-json.js';

/**
 * The facts about a player as JSON: times as text, days by their date. Explanations show them, and a hypothetical player is
 * described by them. So a client can change the facts of an explanation and send them back.
 */

const strict = { additionalProperties: false } as const;
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) });
const Counts = (description: string) =>
  Type.Record(Type.String({ maxLength: 128 }), Type.Integer({ minimum: 0 }), { description });
const Amounts = (description: string) =>
  Type.Record(Type.String({ pattern: TEXT_FORMS.currency.pattern }), Type.Number({ minimum: 0 }), {
    description,
  });
const LastKnown = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }));

const Day = Type.Object(
  {
    day: Type.String({ pattern: TEXT_FORMS.day.pattern, description: 'UTC', examples: ['2026-11-15'] }),
    events: Type.Optional(Count()),
    sessions: Type.Optional(Count()),
    adImpressions: Type.Optional(Count()),
    storeViews: Type.Optional(Count()),
    playMs: Type.Optional(Count()),
    eventCounts: Type.Optional(Counts('Event type → how many')),
    purchases: Type.Optional(Count()),
    revenue: Type.Optional(Amounts('Currency → total')),
  } satisfies Record<Exclude<keyof PlayerDay, 'epochDay'> | 'day', TSchema>,
  strict,
);

const Stay = Type.Object(
  {
    segmentId: Type.String({ maxLength: 64 }),
    thresholds: Type.String({
      maxLength: 100,
      description:
        'The thresholds by which the player entered. If the segment has other thresholds now, the stay is ignored.',
      examples: ['churn > 0.7, < 0.5'],
    }),
    enteredAt: Type.Optional(Instant('The instant that is explained, if left out.')),
    value: Type.Number({ description: 'The prediction with which the player entered' }),
  },
  strict,
);

const Exposure = Type.Object(
  {
    experimentId: Type.String({ maxLength: 64 }),
    seed: Type.String({ maxLength: 64, description: 'Another seed of the experiment ignores it.' }),
    variantId: Type.String({ maxLength: 64 }),
    exposedAt: Type.Optional(Instant('The instant that is explained, if left out.')),
  },
  strict,
);

/** Makes the compiler refuse a fact that explanations do not show. `userId` is called `playerId` in the API. */
type ShownFact = Exclude<keyof PlayerFacts, 'userId' | 'overridesAt' | 'ageGroupAt'> | 'playerId';

export const FactsJson = Type.Object(
  {
    playerId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Decides which shares of players the player belongs to.',
      }),
    ),
    createdAt: Type.Optional(Instant('The first login; the instant that is explained, if left out.')),
    lastEventAt: Type.Optional(nullable(Instant('Null: no event yet.'))),
    eventCount: Type.Optional(Count('Over all time')),
    eventCounts: Type.Optional(Counts('Event type → how many, over all time')),
    purchaseCount: Type.Optional(Count('Over all time, without refunded purchases')),
    lastPurchaseAt: Type.Optional(
      nullable(Instant('Null: no purchase. Required if purchaseCount is not 0.')),
    ),
    spend: Type.Optional(Amounts('Currency → total, minus refunds')),
    profile: Type.Optional(
      Type.Object(
        {
          country: LastKnown,
          locale: LastKnown,
          osName: LastKnown,
          osVersion: LastKnown,
          deviceType: LastKnown,
          clientBuild: LastKnown,
          timeZone: LastKnown,
          currency: LastKnown,
          paidCurrency: LastKnown,
        } satisfies Record<ProfileMember, TSchema>,
        { ...strict, description: 'Last known values' },
      ),
    ),
    days: Type.Optional(
      Type.Array(Day, { maxItems: 100, description: 'The days that windows of 7 and 28 days sum' }),
    ),
    promoPurchases: Type.Optional(Counts('Promotion id → purchases with it that were not refunded')),
    overrides: Type.Optional(Type.Array(OverrideJson, { maxItems: 100 })),
    pins: Type.Optional(
      Type.Array(PinJson, {
        maxItems: 100,
        description: 'Values and variants that are pinned for the player',
      }),
    ),
    stays: Type.Optional(
      Type.Array(Stay, {
        maxItems: 1000,
        description: 'Segments with two thresholds that the player is in',
      }),
    ),
    exposures: Type.Optional(
      Type.Array(Exposure, {
        maxItems: 1000,
        description: 'The arms of experiments that the player was told first',
      }),
    ),
    ageGroup: Type.Optional(
      Type.Union([Type.Literal('child'), Type.Literal('teen'), Type.Literal('adult'), Type.Null()], {
        description:
          'As your server says. A child gets list prices, offers for everybody and no predictions.',
      }),
    ),
    history: Type.Optional(HistoryJson),
    own: Type.Optional(OwnJson),
  } satisfies Record<ShownFact, TSchema>,
  {
    ...strict,
    title: 'ExplainedFacts',
    description:
      'The facts about a player. For a hypothetical player, a member that is left out is zero or unknown.',
  },
);
export type FactsJson = Static<typeof FactsJson>;

/** `attributes`: those that the explained document defines. */
export function toFactsJson(
  { userId, overridesAt: _, ageGroupAt: __, ...facts }: PlayerFacts,
  { attributes, atMs }: Readonly<{ attributes: readonly NamedDefinition[]; atMs: number }>,
): FactsJson {
  return {
    playerId: userId,
    ...facts,
    createdAt: toTime(facts.createdAt),
    lastEventAt: toTime(facts.lastEventAt),
    lastPurchaseAt: toTime(facts.lastPurchaseAt),
    profile: Object.fromEntries(Object.entries(facts.profile).map(([name, { v }]) => [name, v])),
    days: [...facts.days]
      .sort((a, b) => b.epochDay - a.epochDay)
      .map(({ epochDay, ...day }) => ({ day: dateOf(epochDay), ...day })),
    overrides: facts.overrides.map(toSpanJson),
    pins: facts.pins.map(toSpanJson),
    stays: facts.stays.map(({ enteredAt, ...stay }) => ({ ...stay, enteredAt: toTime(enteredAt) })),
    exposures: facts.exposures.map(({ exposedAt, ...exposure }) => ({
      ...exposure,
      exposedAt: toTime(exposedAt),
    })),
    history: toHistoryJson(facts.history),
    own: toOwnJson(facts.own, attributes, atMs),
  };
}

export type FactsReading =
  | Readonly<{ ok: true; facts: PlayerFacts }>
  | Readonly<{ ok: false; message: string }>;

const validator = Compile(FactsJson);

/** The facts about a hypothetical player, or a message with all mistakes. */
export function readFacts(
  value: unknown,
  atMs: number,
  attributes: readonly NamedDefinition[] = [],
): FactsReading {
  if (!validator.Check(value)) return { ok: false, message: schemaProblems(value).join(' ') };
  return readValid(value, atMs, attributes);
}

function schemaProblems(value: unknown): string[] {
  const [, errors] = validator.Errors(value);
  const suggest = createSuggest();
  const sentences = errors.flatMap((error) => {
    const place = `hypothetical${error.instancePath.replaceAll('/', '.')}`;
    // `additionalProperties` reports the same mistake with a better message.
    if (error.keyword === 'boolean') return [];
    if (error.keyword !== 'additionalProperties') return [`${place} ${ruleOf(error)}.`];
    const schema = schemaAt(FactsJson, error.schemaPath);
    return error.params.additionalProperties.map((name) => `${place} has ${noMember(name, schema, suggest)}`);
  });
  return [...new Set(sentences)];
}

function readValid(json: FactsJson, atMs: number, attributes: readonly NamedDefinition[]): FactsReading {
  const wrong: string[] = [];
  const instant = (name: string, text: string): number => {
    const read = readInstant(text);
    if (read === undefined) wrong.push(`${name} must be a time such as 2026-11-15T12:00:00Z.`);
    return read ?? 0;
  };
  const instantOrNull = (name: string, text: string | null | undefined) =>
    text == null ? null : instant(name, text);

  const { purchaseCount = 0 } = json;
  const lastPurchaseAt = instantOrNull('lastPurchaseAt', json.lastPurchaseAt);
  if (purchaseCount > 0 !== (lastPurchaseAt !== null)) {
    wrong.push('purchaseCount and lastPurchaseAt belong together: send both or neither.');
  }
  const days = (json.days ?? []).map((day, n) =>
    readDay(day, instant(`days.${n}.day`, `${day.day}T00:00:00Z`)),
  );
  const facts: PlayerFacts = {
    userId: json.playerId ?? 'hypothetical',
    createdAt: json.createdAt === undefined ? atMs : instant('createdAt', json.createdAt),
    lastEventAt: instantOrNull('lastEventAt', json.lastEventAt),
    eventCount: json.eventCount ?? 0,
    eventCounts: json.eventCounts ?? {},
    purchaseCount,
    lastPurchaseAt,
    spend: json.spend ?? {},
    profile: readProfile(json.profile ?? {}, atMs),
    days,
    promoPurchases: json.promoPurchases ?? {},
    ageGroup: json.ageGroup ?? null,
    ageGroupAt: null,
    overridesAt: null,
    overrides: (json.overrides ?? []).map((each, n): FlagOverride => {
      const { flagId, value } = each;
      return { flagId, value, ...readSpan(each, `overrides.${n}`, atMs, instant) };
    }),
    pins: (json.pins ?? []).map((each, n): PlayerPin => {
      const { kind, target, value, reason = '', author = '' } = each;
      return { kind, target, value, reason, author, ...readSpan(each, `pins.${n}`, atMs, instant) };
    }),
    stays: (json.stays ?? []).map(
      ({ enteredAt, ...stay }, n): SegmentStay => ({
        ...stay,
        enteredAt: enteredAt === undefined ? atMs : instant(`stays.${n}.enteredAt`, enteredAt),
      }),
    ),
    exposures: (json.exposures ?? []).map(
      ({ exposedAt, ...exposure }, n): ExperimentExposure => ({
        ...exposure,
        exposedAt: exposedAt === undefined ? atMs : instant(`exposures.${n}.exposedAt`, exposedAt),
      }),
    ),
    history: json.history === undefined ? historyOfDays(days) : readHistory(json.history, wrong),
    own: readOwn(json.own ?? {}, attributes, atMs, wrong),
  };
  return wrong.length === 0 ? { ok: true, facts } : { ok: false, message: wrong.join(' ') };
}

function readProfile(profile: NonNullable<FactsJson['profile']>, atMs: number): PlayerProfile {
  return Object.fromEntries(
    Object.entries(profile).flatMap(([name, v]) => (v === undefined ? [] : [[name, { v, t: atMs }]])),
  );
}

function readDay(day: Static<typeof Day>, atMs: number): PlayerDay {
  return {
    epochDay: Math.floor(atMs / DAY_MS),
    events: day.events ?? 0,
    sessions: day.sessions ?? 0,
    adImpressions: day.adImpressions ?? 0,
    storeViews: day.storeViews ?? 0,
    playMs: day.playMs ?? 0,
    eventCounts: day.eventCounts ?? {},
    purchases: day.purchases ?? 0,
    revenue: day.revenue ?? {},
  };
}
