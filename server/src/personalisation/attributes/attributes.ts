import { TIME_BASIS, type TimeBasis } from './time-basis.js';

/**
 * Everything a rule can ask about a player, as data: the rules are typed by it, their dependence on time is worked out
 * from it, and the documentation and the console list it.
 */

export type AttributeField = Readonly<{
  name: string;
  type: 'int' | 'double';
  meaning: string;
  basis: TimeBasis;
}>;

export type Attribute = Readonly<{
  name: string;
  /** How it is written in a rule. */
  usage: string;
  /** Its CEL type. */
  type: string;
  meaning: string;
  /** What it is looked up by, in quotes, if it is. */
  key: 'eventType' | 'currency' | 'flagId' | 'segmentId' | null;
  fields: readonly AttributeField[];
  basis: TimeBasis;
}>;

/** What "days since" gives for what never happened: longer ago than anything that did. */
export const NEVER_DAYS = 1_000_000;

const WINDOWS = [
  { name: 'last7d', meaning: 'today and the 6 days before, in UTC' },
  { name: 'last28d', meaning: 'today and the 27 days before, in UTC' },
];

function windows(type: 'int' | 'double'): AttributeField[] {
  return WINDOWS.map((window) => ({ ...window, type, basis: TIME_BASIS.midnight }));
}

function totalAndWindows(type: 'int' | 'double'): AttributeField[] {
  return [{ name: 'total', type, meaning: 'of all time', basis: TIME_BASIS.never }, ...windows(type)];
}

const COUNTS = totalAndWindows('int');
const WINDOW_COUNTS = windows('int');
const AMOUNTS = totalAndWindows('double');

function value(name: string, type: 'int' | 'string', meaning: string, basis: TimeBasis): Attribute {
  return { name, usage: name, type, meaning, key: null, fields: [], basis };
}

function sums(name: string, type: string, fields: readonly AttributeField[], meaning: string): Attribute {
  const usage = `${name}.last7d`;
  return { name, usage, type, meaning, key: null, fields, basis: TIME_BASIS.never };
}

export const ATTRIBUTES: readonly Attribute[] = [
  value('daysSinceFirstSeen', 'int', 'Whole days since the first login.', TIME_BASIS.firstSeen),
  value(
    'daysSinceLastEvent',
    'int',
    'Whole days since the last event, or since the first login for a player who sent none.',
    TIME_BASIS.lastEvent,
  ),
  value(
    'daysSinceLastPurchase',
    'int',
    `Whole days since the last purchase that was not refunded; ${NEVER_DAYS} if there is none.`,
    TIME_BASIS.lastPurchase,
  ),
  sums('purchases', 'Counts', COUNTS, 'Purchases, refunded ones not counted.'),
  sums('sessions', 'Counts', COUNTS, 'Sessions begun (Session_Start events).'),
  sums('adImpressions', 'Counts', COUNTS, 'Ads shown (Ad_Impression events).'),
  sums('storeViews', 'Counts', COUNTS, 'Visits to the store (Store_View events).'),
  sums('eventCount', 'Counts', COUNTS, 'Events of any type.'),
  sums(
    'playMinutes',
    'WindowCounts',
    WINDOW_COUNTS,
    'Whole minutes of play, from the durations of Session_End events.',
  ),
  sums('activeDays', 'WindowCounts', WINDOW_COUNTS, 'Days with at least one event.'),
  {
    name: 'events',
    usage: 'events["Level_Complete"].last7d',
    type: 'map<string, Counts>',
    meaning: 'Events by type; 0 for a type that never came.',
    key: 'eventType',
    fields: COUNTS,
    basis: TIME_BASIS.never,
  },
  {
    name: 'spend',
    usage: 'spend["USD"].total',
    type: 'map<string, Amounts>',
    meaning: 'Money spent by currency, refunds taken off; 0 for a currency without purchases.',
    key: 'currency',
    fields: AMOUNTS,
    basis: TIME_BASIS.never,
  },
  value('country', 'string', 'Last known country, two capital letters; "" if unknown.', TIME_BASIS.never),
  value('locale', 'string', 'Last known locale as the game sent it; "" if unknown.', TIME_BASIS.never),
  value('os', 'string', 'Last known osName; "" if unknown.', TIME_BASIS.never),
  value('osVersion', 'string', 'Last known osVersion; "" if unknown.', TIME_BASIS.never),
  value('deviceType', 'string', 'Last known deviceType; "" if unknown.', TIME_BASIS.never),
  {
    name: 'flags',
    usage: 'flags.isPayer',
    type: 'map<string, bool>',
    meaning: 'The flags of the player: isPayer and those the studio defined.',
    key: 'flagId',
    fields: [],
    basis: TIME_BASIS.never,
  },
  {
    name: 'segments',
    usage: '"payer" in segments, or segment("payer")',
    type: 'map<string, bool>',
    meaning: 'Whether the player is in another segment.',
    key: 'segmentId',
    fields: [],
    basis: TIME_BASIS.never,
  },
];

const byName = new Map(ATTRIBUTES.map((attribute) => [attribute.name, attribute]));

export function findAttribute(name: string): Attribute | undefined {
  return byName.get(name);
}

/** A value a rule reads: `country`, `purchases.total`, `events["Win"].last7d`, `flags.isPayer`. */
export type AttributePath = Readonly<{ name: string; key: string | null; field: string | null }>;

export function writePath({ name, key, field }: AttributePath): string {
  const keyed = key === null ? name : `${name}[${JSON.stringify(key)}]`;
  return field === null ? keyed : `${keyed}.${field}`;
}
