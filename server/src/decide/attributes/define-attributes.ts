import type { Attribute, AttributeField, AttributeKey, ValueType } from './attribute.js';
import type { DaySource, FactSource, PlayerFact, Window } from './fact-source.js';
import type { AttributeReader, DaySum } from './player-attributes.js';
import { numberIn, type PlayerDay, type PlayerFacts, type ProfileMember } from './player-facts.js';
import { TIME_BASIS, type TimeBasis } from './time-basis.js';

/** The kinds of attributes. Each function turns the particulars of an attribute into its definition. */

/** A sum over 28 days takes 1 to 3 µs. It is computed once per player. */
const SUM_OF_DAYS_COST = 30;

export const player = (fact: PlayerFact): FactSource => ({ of: 'player', fact });
export const profile = (member: ProfileMember): FactSource => ({ of: 'profile', member });

type PlainValue = Readonly<{
  type: ValueType;
  description: string;
  basis?: TimeBasis;
  onlyGrows?: boolean;
  read: AttributeReader;
  facts: readonly FactSource[];
}>;

/** A value by itself: `country`. */
export function plainValue(
  name: string,
  { type, description, basis = TIME_BASIS.never, onlyGrows = false, read, facts }: PlainValue,
): Attribute {
  const value = { type, basis, onlyGrows, workCost: 0, readerOf: () => read, factsOf: () => facts };
  return { name, usage: name, type, description, key: null, fields: [], value };
}

type Membership = Readonly<{
  usage: string;
  description: string;
  key: AttributeKey;
  readerOf: (id: string) => AttributeReader;
}>;

/** Flags and segments: true or false by id. They are decided before the rules that refer to them, so no fact is read. */
export function membership(name: string, { usage, description, key, readerOf }: Membership): Attribute {
  const value = {
    type: 'bool',
    basis: TIME_BASIS.never,
    // Where it follows from an own attribute that is not worked out yet.
    canFail: true,
    workCost: 0,
    readerOf,
    factsOf: () => [],
  } as const;
  return { name, usage, type: 'map<string, bool>', description, key, fields: [], value };
}

/** What is added up: day by day, and over all time where that is known. */
type Sum = Readonly<{
  source: DaySource;
  ofDay: (day: PlayerDay) => number;
  total: Total;
  /** What a sum over days becomes. */
  finish?: (sum: number) => number;
}>;
type WindowSum = Omit<Sum, 'total'>;
type Total = Readonly<{ read: (facts: PlayerFacts) => number; facts: readonly FactSource[] }>;

/** The total of what a column of the player's row counts. */
export function totalOf(fact: PlayerFact, read: Total['read']): Total {
  return { read, facts: [player(fact)] };
}

/** The total of events of one type. */
export function totalOfType(eventType: string): Total {
  return {
    read: ({ eventCounts }) => numberIn(eventCounts, eventType),
    facts: [{ of: 'eventType', eventType }],
  };
}

/** A count over all time and over the last days: `purchases.total`. */
export function counts(name: string, description: string, sum: Sum): Attribute {
  return sums(name, description, { type: 'Counts', fields: totalAndWindows(name, 'int', () => sum) });
}

/** A count that is known for the last days only: `playMinutes.last7d`. */
export function windowCounts(name: string, description: string, sum: WindowSum): Attribute {
  return sums(name, description, { type: 'WindowCounts', fields: windows(name, 'int', () => sum) });
}

type SumsByKey = Readonly<{
  type: 'Counts' | 'Amounts';
  usage: string;
  key: AttributeKey;
  sumOf: (key: string) => Sum;
}>;

/** Counts or amounts of money by a key: `events["Level_Complete"].last7d`, `spend["USD"].total`. */
export function sumsByKey(
  name: string,
  description: string,
  { type, usage, key, sumOf }: SumsByKey,
): Attribute {
  const fields = totalAndWindows(name, type === 'Amounts' ? 'double' : 'int', sumOf);
  return { name, usage, type: `map<string, ${type}>`, description, key, fields, value: null };
}

function sums(
  name: string,
  description: string,
  { type, fields }: { type: string; fields: readonly AttributeField[] },
): Attribute {
  return { name, usage: `${name}.last7d`, type, description, key: null, fields, value: null };
}

function totalAndWindows(name: string, type: ValueType, sumOf: (key: string) => Sum): AttributeField[] {
  const total: AttributeField = {
    name: 'total',
    type,
    description: 'of all time',
    basis: TIME_BASIS.never,
    onlyGrows: true,
    workCost: 0,
    readerOf: (key) => {
      const { read } = sumOf(key).total;
      return ({ facts }) => read(facts);
    },
    factsOf: (key) => sumOf(key).total.facts,
  };
  return [total, ...windows(name, type, sumOf)];
}

function windows(name: string, type: ValueType, sumOf: (key: string) => WindowSum): AttributeField[] {
  const daySum = (key: string): DaySum => {
    const { ofDay, finish = (sum) => sum } = sumOf(key);
    return { id: `${name}:${key}`, ofDay, finish };
  };
  const common = { type, basis: TIME_BASIS.midnight, workCost: SUM_OF_DAYS_COST };
  const factsOf = (window: Window) => (key: string) => [
    { of: 'days', source: sumOf(key).source, key: key === '' ? null : key, window } as const,
  ];
  return [
    {
      ...common,
      name: 'last7d',
      description: 'today and the 6 days before, in UTC',
      readerOf: (key) => {
        const sum = daySum(key);
        return (attributes) => attributes.sums(sum).last7d;
      },
      factsOf: factsOf('last7d'),
    },
    {
      ...common,
      name: 'last28d',
      description: 'today and the 27 days before, in UTC',
      readerOf: (key) => {
        const sum = daySum(key);
        return (attributes) => attributes.sums(sum).last28d;
      },
      factsOf: factsOf('last28d'),
    },
  ];
}
