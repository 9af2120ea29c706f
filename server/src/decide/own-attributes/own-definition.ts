import { createHash } from 'node:crypto';

/** How the values of events become one. `sum`, `count` and `distinct` are also known for the last 7 and 28 days. */
export const FOLDS = ['last', 'first', 'min', 'max', 'sum', 'count', 'distinct'] as const;
export type Fold = (typeof FOLDS)[number];

const OWN_TYPES = ['boolean', 'integer', 'number', 'string'] as const;
export type OwnType = (typeof OWN_TYPES)[number];

/** What an own attribute is computed from. */
export type OwnDefinition = Readonly<{
  eventType: string;
  /** `payload.level`; null: the event itself is counted. */
  member: string | null;
  fold: Fold;
  type: OwnType;
}>;

/** Names an own attribute within the rules of a document. */
export type NamedDefinition = OwnDefinition & Readonly<{ attributeId: string }>;

export const OWN_LIMITS = Object.freeze({
  attributes: 50,
  /** Of the state of a player, as JSON. */
  stateBytes: 2_048,
  /** Of a text, as JSON without its quotes. Longer texts are cut. */
  textBytes: 64,
  /** Distinct values that are told apart. */
  distinct: 32,
  windowDays: 28,
});

/** Which types each fold has. */
export const TYPES_OF_FOLD: Readonly<Record<Fold, readonly OwnType[]>> = {
  last: OWN_TYPES,
  first: OWN_TYPES,
  min: ['integer', 'number'],
  max: ['integer', 'number'],
  sum: ['integer', 'number'],
  count: ['integer'],
  distinct: ['integer'],
};

const WINDOWED: ReadonlySet<Fold> = new Set(['sum', 'count', 'distinct']);

/** Whether it is also known for the last days. */
export function isWindowed({ fold }: Pick<OwnDefinition, 'fold'>): boolean {
  return WINDOWED.has(fold);
}

/** 30 bits: two of 50 definitions share them once in a million documents, which the document then refuses. */
const KEY_LENGTH = 5;

/** What an entry of a player's state is found by. Equal definitions have equal keys. */
export function keyOf({ eventType, member, fold, type }: OwnDefinition): string {
  const text = JSON.stringify([eventType, member, fold, type]);
  return createHash('sha256').update(text).digest('base64url').slice(0, KEY_LENGTH);
}

const VALUE_BYTES: Readonly<Record<OwnType, number>> = { boolean: 5, integer: 15, number: 24, string: 66 };
/** `"abcde":` and a comma. */
const KEY_BYTES = KEY_LENGTH + 4;

/** How long an entry can get, with its key. The worst case: so the size of a state does not depend on what players send. */
export function entryBytes({ fold, type }: Pick<OwnDefinition, 'fold' | 'type'>): number {
  return KEY_BYTES + BYTES_OF_FOLD[fold](VALUE_BYTES[type]);
}

const BYTES_OF_FOLD: Readonly<Record<Fold, (valueBytes: number) => number>> = {
  // [value,1790000000000]
  last: (bytes) => bytes + 16,
  first: (bytes) => bytes + 16,
  min: (bytes) => bytes,
  max: (bytes) => bytes,
  // [total,20775,"days"], three characters a day.
  count: () => 107,
  // The same, eight characters a day.
  sum: () => 252,
  // Eight characters a value.
  distinct: () => 2 + 8 * OWN_LIMITS.distinct,
};

/** Of a state with all these entries. */
export function stateBytes(definitions: Iterable<OwnDefinition>): number {
  let bytes = 2;
  for (const definition of definitions) bytes += entryBytes(definition);
  return bytes;
}
