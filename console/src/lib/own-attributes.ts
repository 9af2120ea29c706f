import type { DataOf } from '../api/client.js';
import type { OwnAttribute } from './document.js';

export type RuleAttribute = DataOf<'listAttributes'>['attributes'][number];
type Fold = OwnAttribute['fold'];
type Type = OwnAttribute['type'];

export const FOLDS: readonly { value: Fold; label: string }[] = [
  { value: 'last', label: 'The last value' },
  { value: 'first', label: 'The first value' },
  { value: 'min', label: 'The smallest value' },
  { value: 'max', label: 'The largest value' },
  { value: 'sum', label: 'The sum of all values' },
  { value: 'count', label: 'How many events' },
  { value: 'distinct', label: 'How many different values (up to 32)' },
];

const TYPE_LABELS: Readonly<Record<Type, string>> = {
  integer: 'Whole number',
  number: 'Number',
  string: 'Text',
  boolean: 'Switch (true or false)',
};

const TYPES_OF_FOLD: Readonly<Record<Fold, readonly Type[]>> = {
  last: ['integer', 'number', 'string', 'boolean'],
  first: ['integer', 'number', 'string', 'boolean'],
  min: ['integer', 'number'],
  max: ['integer', 'number'],
  sum: ['integer', 'number'],
  count: ['integer'],
  distinct: ['integer'],
};

export function typesOf(fold: Fold): { value: Type; label: string }[] {
  return TYPES_OF_FOLD[fold].map((value) => ({ value, label: TYPE_LABELS[value] }));
}

/** The attribute with another fold: it has a type and a member that the fold can have. */
export function withFold(attribute: OwnAttribute, fold: Fold): OwnAttribute {
  const types = TYPES_OF_FOLD[fold];
  const [first = 'integer'] = types;
  return {
    ...attribute,
    fold,
    type: types.includes(attribute.type) ? attribute.type : first,
    member: attribute.member ?? (fold === 'count' ? null : 'payload.'),
  };
}

/** `the last payload.level of Level_Up` */
export function inWords({ eventType, member, fold }: OwnAttribute): string {
  const value = member === null ? '' : ` ${member}`;
  switch (fold) {
    case 'count':
      return `how many ${eventType} events${member === null ? '' : ` with${value}`}`;
    case 'distinct':
      return `how many different${value} of ${eventType}`;
    case 'min':
      return `the smallest${value} of ${eventType}`;
    case 'max':
      return `the largest${value} of ${eventType}`;
    case 'sum':
      return `the sum of${value} of ${eventType}`;
    default:
      return `the ${fold}${value} of ${eventType}`;
  }
}

const RULE_TYPES: Readonly<Record<Type, string>> = {
  integer: 'int',
  number: 'double',
  string: 'string',
  boolean: 'bool',
};

/** The values that a rule can read: `level`, or `boss_kills.total` and its windows. */
export function pathsOf({ attributeId, fold }: OwnAttribute): string[] {
  const isWindowed = fold === 'sum' || fold === 'count' || fold === 'distinct';
  return isWindowed
    ? ['total', 'last7d', 'last28d'].map((window) => `${attributeId}.${window}`)
    : [attributeId];
}

/** What rules can ask: what the service counts, and what the game defines. */
export function withOwn(
  attributes: readonly RuleAttribute[],
  own: readonly OwnAttribute[],
): readonly RuleAttribute[] {
  if (own.length === 0) return attributes;
  const fields = own.flatMap((attribute) =>
    pathsOf(attribute).map((name) => ({
      name,
      type: RULE_TYPES[attribute.type],
      meaning: attribute.description === '' ? inWords(attribute) : attribute.description,
    })),
  );
  const usage = `own.${fields[0]?.name}`;
  const meaning = 'What the game defines itself, from its events.';
  return [...attributes, { name: 'own', usage, type: 'Own', meaning, key: null, fields }];
}
