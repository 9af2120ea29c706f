import fc from 'fast-check';
import type { FlagOverride, PlayerDay, PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { COUNTRIES, CURRENCIES, EVENT_TYPES, LOCALES } from '../rules/rule-arbitrary.js';
import { FLAGS, PROMOTIONS } from './document-arbitrary.js';
import { DAY_MS, day, facts } from './fixtures.js';

/** Something that happens to a player, known at the moment at which it happens. */
export type Deed =
  | { kind: 'event'; type: string; country?: string; locale?: string; currency?: string }
  | { kind: 'purchase'; cents: number; currency: string; promoId: string | undefined }
  | { kind: 'refund' }
  | { kind: 'override'; flagId: string; value: boolean; forMs: number | null }
  | { kind: 'clear'; flagId: string }
  | { kind: 'nothing' };

const HOUR_MS = 3_600_000;
const flagId = fc.constantFrom('isPayer', ...FLAGS);
const deeds: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record(
      {
        kind: fc.constant('event' as const),
        type: fc.constantFrom(...EVENT_TYPES, 'Session_Start', 'Store_View'),
        country: fc.constantFrom(...COUNTRIES.filter(Boolean)),
        locale: fc.constantFrom(...LOCALES.filter(Boolean)),
        currency: fc.constantFrom(...CURRENCIES),
      },
      { requiredKeys: ['kind', 'type'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('purchase' as const),
      cents: fc.integer({ min: 1, max: 1200 }),
      currency: fc.constantFrom(...CURRENCIES),
      promoId: fc.constantFrom(undefined, ...PROMOTIONS),
    }),
  },
  fc.constant({ kind: 'refund' as const }),
  fc.record({
    kind: fc.constant('override' as const),
    flagId,
    value: fc.boolean(),
    forMs: fc.constantFrom(null, HOUR_MS, 2 * DAY_MS),
  }),
  fc.record({ kind: fc.constant('clear' as const), flagId }),
  fc.constant({ kind: 'nothing' as const }),
);

export const lives: fc.Arbitrary<{ waitMs: number; deed: Deed }[]> = fc.array(
  fc.record({
    waitMs: fc.constantFrom(1, 1000, HOUR_MS, 7 * HOUR_MS, DAY_MS, 5 * DAY_MS, 30 * DAY_MS),
    deed: deeds,
  }),
  { minLength: 1, maxLength: 12 },
);

/** A player to whom one thing after the other happens, and what is known of them. */
export class Life {
  readonly #userId: string;
  readonly #createdAt: number;
  #events: { at: number; type: string }[] = [];
  #purchases: { at: number; cents: number; currency: string; promoId: string | undefined }[] = [];
  #profile: PlayerFacts['profile'] = {};
  #overrides: FlagOverride[] = [];
  #overridesAt: number | null = null;

  constructor(userId: string, createdAt: number) {
    this.#userId = userId;
    this.#createdAt = createdAt;
  }

  happen(deed: Deed, at: number): void {
    switch (deed.kind) {
      case 'event': {
        const { type, country, locale, currency } = deed;
        this.#events.push({ at, type });
        for (const [name, v] of Object.entries({ country, locale, currency })) {
          if (v !== undefined) this.#profile = { ...this.#profile, [name]: { v, t: at } };
        }
        return;
      }
      case 'purchase':
        this.#events.push({ at, type: 'Purchase' });
        this.#purchases.push({ at, ...deed });
        this.#profile = { ...this.#profile, paidCurrency: { v: deed.currency, t: at } };
        return;
      case 'refund':
        this.#events.push({ at, type: 'Refund' });
        this.#purchases.pop();
        return;
      case 'override':
      case 'clear':
        this.#overridesAt = at;
        this.#overrides = this.#overrides.filter((override) => override.flagId !== deed.flagId);
        if (deed.kind === 'override') {
          const until = deed.forMs === null ? null : at + deed.forMs;
          this.#overrides.push({ flagId: deed.flagId, value: deed.value, setAt: at, until });
        }
        return;
      case 'nothing':
    }
  }

  facts(): PlayerFacts {
    const days = new Set(this.#events.map(({ at }) => Math.floor(at / DAY_MS)));
    const bought = this.#purchases;
    return facts({
      userId: this.#userId,
      createdAt: this.#createdAt,
      lastEventAt: this.#events.at(-1)?.at ?? null,
      eventCount: this.#events.length,
      eventCounts: tally(this.#events, ({ type }) => type),
      purchaseCount: bought.length,
      lastPurchaseAt: bought.at(-1)?.at ?? null,
      spend: spent(bought),
      profile: this.#profile,
      days: [...days].map((epochDay) => this.#day(epochDay)),
      promoPurchases: tally(bought, ({ promoId }) => promoId),
      overrides: this.#overrides,
      overridesAt: this.#overridesAt,
    });
  }

  #day(epochDay: number): PlayerDay {
    const isThen = ({ at }: { at: number }) => Math.floor(at / DAY_MS) === epochDay;
    const events = this.#events.filter(isThen);
    const purchases = this.#purchases.filter(isThen);
    const eventCounts = tally(events, ({ type }) => type);
    return day(epochDay, {
      events: events.length,
      sessions: eventCounts.Session_Start ?? 0,
      storeViews: eventCounts.Store_View ?? 0,
      eventCounts,
      purchases: purchases.length,
      revenue: spent(purchases),
    });
  }
}

/** Own members also for names that a plain object inherits. */
function tally<T>(all: readonly T[], nameOf: (one: T) => string | undefined): Record<string, number> {
  const counts = Object.create(null) as Record<string, number>;
  for (const one of all) {
    const name = nameOf(one);
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function spent(purchases: readonly { cents: number; currency: string }[]): Record<string, number> {
  const cents: Record<string, number> = {};
  for (const { cents: paid, currency } of purchases) cents[currency] = (cents[currency] ?? 0) + paid;
  return Object.fromEntries(Object.entries(cents).map(([currency, sum]) => [currency, sum / 100]));
}
