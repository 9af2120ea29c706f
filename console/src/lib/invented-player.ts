import type { Schemas } from '../api/client.js';

/**
 * An invented player, described by attributes: `purchases.total` → `3`. The service decides for facts, not for attributes, so this
 * makes the smallest facts that have these attributes.
 */
export type InventedValues = Readonly<Record<string, string>>;
export type InventedFacts = Schemas['ExplainedFacts'];
type Day = NonNullable<InventedFacts['days']>[number];

const DAY_MS = 86_400_000;
/** A day within the last 28 days and not within the last 7. */
const EARLIER = 7;

const PROFILE = {
  country: 'country',
  locale: 'locale',
  os: 'osName',
  osVersion: 'osVersion',
  deviceType: 'deviceType',
  currency: 'currency',
} as const;

/** Attributes that a day counts in a member of its own, and the event type that counts them over all time. */
const COUNTED = {
  sessions: { member: 'sessions', eventType: 'Session_Start' },
  adImpressions: { member: 'adImpressions', eventType: 'Ad_Impression' },
  storeViews: { member: 'storeViews', eventType: 'Store_View' },
} as const;

const KEYED = /^(events|spend)\["((?:[^"\\]|\\.)*)"\]\.(total|last7d|last28d)$/;
const PLAIN = /^([A-Za-z]+)(?:\.(\w+))?$/;

/** What follows from other attributes, or from who the player is. */
const NOT_INVENTED = ['predictions', 'own.', 'experiment('];

/** Whether the form can have a value for the attribute. */
export function canBeInvented(usage: string): boolean {
  return !NOT_INVENTED.some((start) => usage.startsWith(start)) && !usage.includes('segments');
}

/** What is wrong with a value, or undefined. */
export function valueProblem(path: string, text: string): string | undefined {
  if (text.trim() === '' || path in PROFILE) return undefined;
  if (path.startsWith('flags.')) return /^(?:true|false)$/.test(text) ? undefined : 'true or false';
  const isMoney = path.startsWith('spend');
  const isRight = isMoney ? /^\d+(?:\.\d+)?$/ : /^\d+$/;
  if (!isRight.test(text.trim())) return isMoney ? 'An amount such as 4.99' : 'A whole number';
  return undefined;
}

export function inventedFacts(values: InventedValues, nowMs: number): InventedFacts {
  const given = new Map(Object.entries(values).filter(([path, text]) => isUsable(path, text)));
  const number = (path: string) => (given.has(path) ? Number(given.get(path)) : undefined);
  const ago = (days: number) => new Date(nowMs - days * DAY_MS).toISOString();
  const days = new Days(nowMs);
  const facts: InventedFacts = {};
  const profile: Record<string, string> = {};
  const eventCounts: Record<string, number> = {};
  const spend: Record<string, number> = {};

  for (const [attribute, member] of Object.entries(PROFILE)) {
    const text = given.get(attribute);
    if (text !== undefined) profile[member] = text.trim();
  }
  for (const [attribute, { member, eventType }] of Object.entries(COUNTED)) {
    const total = days.add(windowsOf(number, attribute), (day, count) => {
      day[member] = count;
    });
    if (total > 0) eventCounts[eventType] = total;
  }
  days.add(windowsOf(number, 'playMinutes'), (day, minutes) => {
    day.playMs = minutes * 60_000;
  });
  for (const path of new Set([...given.keys()].map((each) => each.replace(/\.\w+$/, '')))) {
    const [, kind, quoted] = KEYED.exec(`${path}.total`) ?? [];
    if (kind === undefined || quoted === undefined) continue;
    const key = JSON.parse(`"${quoted}"`) as string;
    const total = days.add(windowsOf(number, path), (day, count) => {
      if (kind === 'spend') day.revenue = { ...day.revenue, [key]: count };
      else day.eventCounts = { ...day.eventCounts, [key]: count };
    });
    if (total > 0) (kind === 'spend' ? spend : eventCounts)[key] = total;
  }
  const purchases = days.add(windowsOf(number, 'purchases'), (day, count) => {
    day.purchases = count;
  });
  if (purchases > 0) {
    facts.purchaseCount = purchases;
    facts.lastPurchaseAt = ago(number('daysSinceLastPurchase') ?? 0);
  }
  days.setActive(number('activeDays.last7d') ?? 0, number('activeDays.last28d') ?? 0);
  const events = days.setEvents(windowsOf(number, 'eventCount'));
  if (events > 0) facts.eventCount = events;

  const firstSeen = number('daysSinceFirstSeen');
  if (firstSeen !== undefined) facts.createdAt = ago(firstSeen);
  const lastEvent = number('daysSinceLastEvent');
  if (lastEvent !== undefined) facts.lastEventAt = ago(lastEvent);
  const overrides = [...given].flatMap(([path, text]) =>
    path.startsWith('flags.') ? [{ flagId: path.slice('flags.'.length), value: text === 'true' }] : [],
  );
  const stored = days.stored();
  return {
    ...facts,
    ...(Object.keys(profile).length === 0 ? {} : { profile }),
    ...(Object.keys(eventCounts).length === 0 ? {} : { eventCounts }),
    ...(Object.keys(spend).length === 0 ? {} : { spend }),
    ...(overrides.length === 0 ? {} : { overrides }),
    ...(stored.length === 0 ? {} : { days: stored }),
  };
}

function isUsable(path: string, text: string): boolean {
  const isKnown = PLAIN.test(path) || KEYED.test(path);
  return isKnown && text.trim() !== '' && valueProblem(path, text) === undefined;
}

type Windows = { total: number; last7d: number; last28d: number };

/** A longer window includes the shorter one: a purchase of this week is also one of this month. */
function windowsOf(number: (path: string) => number | undefined, attribute: string): Windows {
  const last7d = number(`${attribute}.last7d`) ?? 0;
  const last28d = Math.max(last7d, number(`${attribute}.last28d`) ?? 0);
  return { last7d, last28d, total: Math.max(last28d, number(`${attribute}.total`) ?? 0) };
}

/** Values of the last seven days are put on today, the rest on a day a week ago. */
class Days {
  readonly #nowMs: number;
  readonly #days = new Map<number, Day>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** Returns the total. */
  add({ total, last7d, last28d }: Windows, put: (day: Day, count: number) => void): number {
    if (last7d > 0) put(this.#ago(0), last7d);
    if (last28d > last7d) put(this.#ago(EARLIER), last28d - last7d);
    return total;
  }

  /** Each active day has at least one event. */
  setActive(last7d: number, last28d: number): void {
    const recent = Math.min(7, last7d);
    const earlier = Math.min(21, Math.max(0, last28d - last7d));
    for (let n = 0; n < recent; n += 1) this.#ago(n).events = 1;
    for (let n = 0; n < earlier; n += 1) this.#ago(EARLIER + n).events = 1;
  }

  /** In addition to the events of active days. */
  setEvents({ total, last7d, last28d }: Windows): number {
    const counted = (from: number, to: number) =>
      [...this.#days].reduce((sum, [ago, { events = 0 }]) => sum + (ago >= from && ago < to ? events : 0), 0);
    const [recent, earlier] = [counted(0, EARLIER), counted(EARLIER, 28)];
    const more = (day: Day, count: number) => {
      day.events = (day.events ?? 0) + count;
    };
    if (last7d > recent) more(this.#ago(0), last7d - recent);
    if (last28d - last7d > earlier) more(this.#ago(EARLIER), last28d - last7d - earlier);
    return Math.max(total, counted(0, 28));
  }

  stored(): Day[] {
    return [...this.#days].sort(([one], [other]) => one - other).map(([, day]) => day);
  }

  #ago(days: number): Day {
    const known = this.#days.get(days);
    if (known !== undefined) return known;
    const day: Day = { day: new Date(this.#nowMs - days * DAY_MS).toISOString().slice(0, 10) };
    this.#days.set(days, day);
    return day;
  }
}
