import fc from 'fast-check';
import type { PlayerDay, PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { BLANK_HISTORY } from '../../../src/decide/attributes/player-history.js';
import { COUNTRIES, CURRENCIES, EVENT_TYPES, LOCALES } from '../rules/rule-arbitrary.js';
import { DAY_MS, day, NOW, TODAY } from './fixtures.js';

const HOUR_MS = 3_600_000;

/** Moments around NOW, most of them on full hours, so that they meet the boundaries of days and schedules. */
export const moments: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: -40 * 24, max: 10 * 24 }).map((hours) => NOW + hours * HOUR_MS),
  fc.integer({ min: -40 * DAY_MS, max: 10 * DAY_MS }).map((ms) => NOW + ms),
);

const count = fc.nat({ max: 12 });

/** Own members also for names that a plain object inherits. */
function counts(names: readonly string[], values: fc.Arbitrary<number>) {
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), values), { selector: ([name]) => name })
    .map((entries) => {
      const record = Object.create(null) as Record<string, number>;
      for (const [name, value] of entries) record[name] = value;
      return record;
    });
}

const money = fc.nat({ max: 2000 }).map((cents) => cents / 100);

const days: fc.Arbitrary<PlayerDay[]> = fc.uniqueArray(
  fc
    .record({
      epochDay: fc.integer({ min: TODAY - 40, max: TODAY + 3 }),
      events: count,
      sessions: count,
      adImpressions: count,
      storeViews: count,
      playMs: fc.nat({ max: 600_000 }),
      eventCounts: counts(EVENT_TYPES, count),
      purchases: fc.nat({ max: 3 }),
      revenue: counts(CURRENCIES, money),
    })
    .map(({ epochDay, ...rest }) => day(epochDay, rest)),
  { selector: ({ epochDay }) => epochDay, maxLength: 12 },
);

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

const profiles = fc
  .record({
    country: maybe(fc.tuple(fc.constantFrom(...COUNTRIES), moments)),
    locale: maybe(fc.tuple(fc.constantFrom(...LOCALES), moments)),
    currency: maybe(fc.tuple(fc.constantFrom(...CURRENCIES, 'GBP'), moments)),
    paidCurrency: maybe(fc.tuple(fc.constantFrom(...CURRENCIES, 'GBP'), moments)),
  })
  .map((profile) =>
    Object.fromEntries(
      Object.entries(profile).flatMap(([name, known]) =>
        known === undefined ? [] : [[name, { v: known[0], t: known[1] }]],
      ),
    ),
  );

export function playerFacts(
  flags: readonly string[],
  promotions: readonly string[],
): fc.Arbitrary<PlayerFacts> {
  return fc.record({
    userId: fc.uuid(),
    createdAt: moments,
    lastEventAt: fc.option(moments),
    eventCount: count,
    eventCounts: counts([...EVENT_TYPES, 'Store_View', 'Session_Start'], count),
    purchaseCount: fc.nat({ max: 3 }),
    lastPurchaseAt: fc.option(moments),
    spend: counts(CURRENCIES, money),
    profile: profiles,
    days,
    promoPurchases: counts(promotions, fc.nat({ max: 3 })),
    overrides: fc.array(
      fc.record({
        flagId: fc.constantFrom('isPayer', ...flags),
        value: fc.boolean(),
        setAt: moments,
        until: fc.option(moments),
      }),
      { maxLength: 2 },
    ),
    pins: fc.constant([]),
    overridesAt: fc.option(moments),
    stays: fc.constant([]),
    exposures: fc.constant([]),
    ageGroup: fc.constant(null),
    ageGroupAt: fc.constant(null),
    history: fc
      .option(fc.integer({ min: TODAY - 60, max: TODAY }))
      .map((firstDay) => ({ ...BLANK_HISTORY, firstDay })),
    own: fc.constant({}),
  });
}
