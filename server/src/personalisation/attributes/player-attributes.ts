import { type AttributePath, NEVER_DAYS } from './attributes.js';
import { epochDay, numberIn, type PlayerDay, type PlayerFacts } from './player-facts.js';
import { daysSince, lastSeenAt } from './time-basis.js';

/**
 * The attributes of one player at one moment: what rules are evaluated on. Nothing is worked out before a rule asks for
 * it, and no sum over days twice. `ATTRIBUTES` lists what rules can ask for, `readerOf` finds it here.
 */
export class PlayerAttributes {
  readonly facts: PlayerFacts;
  readonly now: number;
  /** Filled in dependency order while deciding: a rule finds there whatever it may refer to. */
  readonly segments = new Set<string>();
  readonly flags = new Map<string, boolean>();
  readonly #sums = new Map<string, DaySums>();

  constructor(facts: PlayerFacts, now: number) {
    this.facts = facts;
    this.now = now;
  }

  sums(source: SumSource): DaySums {
    let sums = this.#sums.get(source.id);
    if (sums === undefined) {
      sums = new DaySums(this, source);
      this.#sums.set(source.id, sums);
    }
    return sums;
  }
}

export type AttributeValue = string | number | boolean;
export type AttributeReader = (attributes: PlayerAttributes) => AttributeValue;

/** Something that is counted or added up, of all time and day by day. */
type SumSource = Readonly<{
  id: string;
  total: (facts: PlayerFacts) => number;
  ofDay: (day: PlayerDay) => number;
  /** What a sum over days becomes. */
  finish: (sum: number) => number;
}>;

class DaySums {
  readonly #attributes: PlayerAttributes;
  readonly #source: SumSource;
  #last7d: number | undefined;
  #last28d: number | undefined;

  constructor(attributes: PlayerAttributes, source: SumSource) {
    this.#attributes = attributes;
    this.#source = source;
  }

  get last7d(): number {
    this.#last7d ??= this.#sum(7);
    return this.#last7d;
  }

  get last28d(): number {
    this.#last28d ??= this.#sum(28);
    return this.#last28d;
  }

  /** Over today and the days before it. */
  #sum(days: number): number {
    const { facts, now } = this.#attributes;
    const today = epochDay(now);
    let sum = 0;
    for (const day of facts.days) {
      if (day.epochDay <= today && day.epochDay > today - days) sum += this.#source.ofDay(day);
    }
    return this.#source.finish(sum);
  }
}

const whole = (sum: number) => sum;
const minutes = (sum: number) => Math.floor(sum / 60_000);
/** 0.1 + 0.2 is 0.3 to whoever wrote the rule: money is rounded to the six decimals that a price can have. */
const money = (sum: number) => Math.round(sum * 1e6) / 1e6;
const noTotal = () => 0;

function ofType(id: string, eventType: string, ofDay: (day: PlayerDay) => number): SumSource {
  return { id, total: ({ eventCounts }) => numberIn(eventCounts, eventType), ofDay, finish: whole };
}

const SUMS: ReadonlyMap<string, SumSource> = new Map(
  [
    {
      id: 'purchases',
      total: (facts: PlayerFacts) => facts.purchaseCount,
      ofDay: (day: PlayerDay) => day.purchases,
      finish: whole,
    },
    ofType('sessions', 'Session_Start', (day) => day.sessions),
    ofType('adImpressions', 'Ad_Impression', (day) => day.adImpressions),
    ofType('storeViews', 'Store_View', (day) => day.storeViews),
    {
      id: 'eventCount',
      total: (facts: PlayerFacts) => facts.eventCount,
      ofDay: (day: PlayerDay) => day.events,
      finish: whole,
    },
    { id: 'playMinutes', total: noTotal, ofDay: (day: PlayerDay) => day.playMs, finish: minutes },
    {
      id: 'activeDays',
      total: noTotal,
      ofDay: (day: PlayerDay) => (day.events > 0 ? 1 : 0),
      finish: whole,
    },
  ].map((source) => [source.id, source]),
);

const VALUES: ReadonlyMap<string, AttributeReader> = new Map<string, AttributeReader>([
  ['daysSinceFirstSeen', ({ facts, now }) => daysSince(facts.createdAt, now)],
  ['daysSinceLastEvent', ({ facts, now }) => daysSince(lastSeenAt(facts), now)],
  [
    'daysSinceLastPurchase',
    ({ facts, now }) => (facts.lastPurchaseAt === null ? NEVER_DAYS : daysSince(facts.lastPurchaseAt, now)),
  ],
  ['country', ({ facts }) => facts.profile.country?.v ?? ''],
  ['locale', ({ facts }) => facts.profile.locale?.v ?? ''],
  ['os', ({ facts }) => facts.profile.osName?.v ?? ''],
  ['osVersion', ({ facts }) => facts.profile.osVersion?.v ?? ''],
  ['deviceType', ({ facts }) => facts.profile.deviceType?.v ?? ''],
]);

/** How to read the attribute at a path. Worked out when a rule is compiled, not when it is evaluated. */
export function readerOf({ name, key, field }: AttributePath): AttributeReader {
  if (name === 'flags' && key !== null) return ({ flags }) => flags.get(key) === true;
  if (name === 'segments' && key !== null) return ({ segments }) => segments.has(key);
  const source = sumSourceOf(name, key);
  if (source !== undefined && field === 'total') return (attributes) => source.total(attributes.facts);
  if (source !== undefined && field === 'last7d') return (attributes) => attributes.sums(source).last7d;
  if (source !== undefined && field === 'last28d') return (attributes) => attributes.sums(source).last28d;
  const value = VALUES.get(name);
  if (value === undefined) throw new Error(`there is no reader for the attribute ${name}`);
  return value;
}

function sumSourceOf(name: string, key: string | null): SumSource | undefined {
  if (name === 'events' && key !== null) {
    return {
      id: `events:${key}`,
      total: ({ eventCounts }) => numberIn(eventCounts, key),
      ofDay: ({ eventCounts }) => numberIn(eventCounts, key),
      finish: whole,
    };
  }
  if (name === 'spend' && key !== null) {
    return {
      id: `spend:${key}`,
      total: ({ spend }) => numberIn(spend, key),
      ofDay: ({ revenue }) => numberIn(revenue, key),
      finish: money,
    };
  }
  return SUMS.get(name);
}
