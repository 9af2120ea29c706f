import fc from 'fast-check';
import type { PlayerFacts } from '../../../src/decide/attributes/player-facts.js';
import { DAY_MS } from '../../../src/platform/lib/day.js';

/**
 * Random rules, each as CEL and as an obvious function that says what it means. The function knows nothing of the code
 * under test: it reads the facts itself, and an error is the value 'error'.
 */
export type World = {
  facts: PlayerFacts;
  now: number;
  isMember: (segmentId: string) => boolean;
  flag: (flagId: string) => boolean;
};
export type Outcome = boolean | 'error';
export type PairedRule = { cel: string; outcome: (world: World) => Outcome };

type IntTerm = { cel: string; value: (world: World) => number | 'error' };

export const EVENT_TYPES = ['Win', 'Lose', '__proto__', 'constructor'];
export const CURRENCIES = ['USD', 'EUR', 'JPY'];
export const COUNTRIES = ['DE', 'AT', 'JP', ''];
export const LOCALES = ['de-AT', 'de', 'en_US', 'zh-Hant-TW', 'fr', ''];

const wholeDays = (from: number, now: number) => Math.max(0, Math.floor((now - from) / DAY_MS));

/** Sums a column over the days whose date is one of the last n, today included. */
function window(world: World, n: number, read: (day: PlayerFacts['days'][number]) => number): number {
  const dates = Array.from({ length: n }, (_, back) => Math.floor(world.now / DAY_MS) - back);
  return world.facts.days
    .filter(({ epochDay }) => dates.includes(epochDay))
    .reduce((sum, day) => sum + read(day), 0);
}

const own = (record: Readonly<Record<string, number>>, key: string) =>
  new Map(Object.entries(record)).get(key) ?? 0;

const intAttributes: IntTerm[] = [
  {
    cel: 'daysSinceFirstSeen',
    value: ({ facts: { createdAt, history }, now }) => {
      const dayMs = (history.firstDay ?? Number.POSITIVE_INFINITY) * DAY_MS;
      return wholeDays(dayMs + DAY_MS <= createdAt ? dayMs : createdAt, now);
    },
  },
  {
    cel: 'daysSinceLastEvent',
    value: ({ facts, now }) => wholeDays(facts.lastEventAt ?? facts.createdAt, now),
  },
  {
    cel: 'daysSinceLastPurchase',
    value: ({ facts, now }) =>
      facts.lastPurchaseAt === null ? 1_000_000 : wholeDays(facts.lastPurchaseAt, now),
  },
  { cel: 'purchases.total', value: ({ facts }) => facts.purchaseCount },
  { cel: 'purchases.last7d', value: (world) => window(world, 7, (day) => day.purchases) },
  { cel: 'sessions.last7d', value: (world) => window(world, 7, (day) => day.sessions) },
  { cel: 'adImpressions.last28d', value: (world) => window(world, 28, (day) => day.adImpressions) },
  { cel: 'storeViews.total', value: ({ facts }) => own(facts.eventCounts, 'Store_View') },
  { cel: 'eventCount.total', value: ({ facts }) => facts.eventCount },
  {
    cel: 'playMinutes.last7d',
    value: (world) => Math.floor(window(world, 7, (day) => day.playMs) / 60_000),
  },
  { cel: 'activeDays.last28d', value: (world) => window(world, 28, (day) => Number(day.events > 0)) },
  ...EVENT_TYPES.flatMap((type): IntTerm[] => [
    { cel: `events["${type}"].total`, value: ({ facts }) => own(facts.eventCounts, type) },
    {
      cel: `events["${type}"].last7d`,
      value: (world) => window(world, 7, (day) => own(day.eventCounts, type)),
    },
  ]),
];

const literals: fc.Arbitrary<IntTerm> = fc
  .integer({ min: 0, max: 30 })
  .map((n) => ({ cel: `${n}`, value: () => n }));

const intTerms: fc.Arbitrary<IntTerm> = fc.letrec<{ term: IntTerm }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 4, arbitrary: fc.constantFrom(...intAttributes) },
    { weight: 2, arbitrary: literals },
    {
      weight: 1,
      arbitrary: fc
        .oneof(
          { weight: 4, arbitrary: fc.tuple(fc.constantFrom('+', '-', '/', '%'), tie('term'), tie('term')) },
          // Only by a small number: `calculate` knows no overflow.
          { weight: 1, arbitrary: fc.tuple(fc.constant('*'), tie('term'), literals) },
        )
        .map(([operator, a, b]) => ({
          cel: `(${a.cel} ${operator} ${b.cel})`,
          value: (world: World) => calculate(operator, a.value(world), b.value(world)),
        })),
    },
  ),
})).term;

function calculate(operator: string, a: number | 'error', b: number | 'error'): number | 'error' {
  if (a === 'error' || b === 'error') return 'error';
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  if (b === 0) return 'error';
  return operator === '/' ? Math.trunc(a / b) : a % b;
}

const COMPARE: Record<string, (a: number, b: number) => boolean> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

const comparisons: fc.Arbitrary<PairedRule> = fc
  .tuple(fc.constantFrom(...Object.keys(COMPARE)), intTerms, intTerms)
  .map(([operator, a, b]) => ({
    cel: `${a.cel} ${operator} ${b.cel}`,
    outcome: (world) => {
      const [x, y] = [a.value(world), b.value(world)];
      return x === 'error' || y === 'error' ? 'error' : (COMPARE[operator]?.(x, y) ?? 'error');
    },
  }));

const spends: fc.Arbitrary<PairedRule> = fc
  .tuple(fc.constantFrom(...CURRENCIES), fc.constantFrom('0.3', '4.99', '10'), fc.boolean())
  .map(([currency, amount, isTotal]) => ({
    cel: `spend["${currency}"].${isTotal ? 'total' : 'last28d'} >= ${amount}`,
    outcome: (world) => {
      const spent = isTotal
        ? own(world.facts.spend, currency)
        : window(world, 28, (day) => Math.round(own(day.revenue, currency) * 100)) / 100;
      return spent >= Number(amount);
    },
  }));

const texts: fc.Arbitrary<PairedRule> = fc.oneof(
  fc.subarray(COUNTRIES, { minLength: 1 }).map(
    (countries): PairedRule => ({
      cel: `country in [${countries.map((country) => `"${country}"`).join(', ')}]`,
      outcome: ({ facts }) => countries.includes(facts.profile.country?.v ?? ''),
    }),
  ),
  fc.subarray(['de', 'en', 'zh'], { minLength: 1 }).map(
    (languages): PairedRule => ({
      cel: `[${languages.map((language) => `"${language}"`).join(', ')}].exists(x, locale.startsWith(x))`,
      outcome: ({ facts }) =>
        languages.some((language) => facts.profile.locale?.v.startsWith(language) === true),
    }),
  ),
);

function references(segments: readonly string[], flags: readonly string[]): fc.Arbitrary<PairedRule>[] {
  const flagRules = fc.constantFrom('isPayer', ...flags).map(
    (id): PairedRule => ({
      cel: `flags.${id}`,
      outcome: ({ flag }) => flag(id),
    }),
  );
  if (segments.length === 0) return [flagRules];
  const segmentRules = fc.tuple(fc.constantFrom(...segments), fc.boolean()).map(
    ([id, isCall]): PairedRule => ({
      cel: isCall ? `segment("${id}")` : `"${id}" in segments`,
      outcome: ({ isMember }) => isMember(id),
    }),
  );
  return [flagRules, segmentRules];
}

/** Rules that may refer to these segments and flags. */
export function rules(segments: readonly string[], flags: readonly string[]): fc.Arbitrary<PairedRule> {
  return fc.letrec<{ rule: PairedRule }>((tie) => ({
    rule: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      { weight: 3, arbitrary: comparisons },
      spends,
      texts,
      ...references(segments, flags),
      tie('rule').map((a) => ({
        cel: `!(${a.cel})`,
        outcome: (world: World) => negate(a.outcome(world)),
      })),
      fc.tuple(fc.boolean(), tie('rule'), tie('rule')).map(([isAnd, a, b]) => ({
        cel: `(${a.cel}) ${isAnd ? '&&' : '||'} (${b.cel})`,
        outcome: (world: World) => combine(!isAnd, [a.outcome(world), b.outcome(world)]),
      })),
      fc.tuple(tie('rule'), tie('rule'), tie('rule')).map(([a, b, c]) => ({
        cel: `(${a.cel}) ? (${b.cel}) : (${c.cel})`,
        outcome: (world: World) => {
          const condition = a.outcome(world);
          return condition === 'error' ? 'error' : condition ? b.outcome(world) : c.outcome(world);
        },
      })),
    ),
  })).rule;
}

function negate(outcome: Outcome): Outcome {
  return outcome === 'error' ? 'error' : !outcome;
}

/** True decides `||`, false decides `&&`, whatever else there is; otherwise an error stays one. */
function combine(decisive: boolean, outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes(decisive)) return decisive;
  return outcomes.includes('error') ? 'error' : !decisive;
}
