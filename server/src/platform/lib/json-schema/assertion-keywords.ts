import { canonicalJson } from '../canonical-json.js';
import { clipText } from '../clip-text.js';
import { isObject } from '../is-object.js';
import type { StepLimit } from '../step-limit.js';
import { type Keyword, type KeywordContext, namesOf } from './schema-check.js';
import { SchemaError } from './schema-document.js';

/** A message is read by people and stored: a value of a megabyte is not repeated in it. */
const MAX_SHOWN = 64;

export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(clipText(value, MAX_SHOWN));
  return clipText(JSON.stringify(value), MAX_SHOWN);
}

type TypeTest = (value: unknown) => boolean;

const TYPES: Record<string, TypeTest> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  object: isObject,
  array: Array.isArray,
};

const type: Keyword = (value, { schema, fail }) => {
  const names = [value].flat() as string[];
  // Of OpenAPI, and in use.
  if (schema.nullable === true && !names.includes('null')) names.push('null');
  const tests = names.flatMap((name) => TYPES[name] ?? []);
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) {
    return (given) => (only(given) ? undefined : fail(`must be ${names[0]}`));
  }
  return (given) => (tests.some((test) => test(given)) ? undefined : fail(`must be ${names.join(',')}`));
};

/** Equal values have equal canonical texts, so any number of values is compared at once. */
function equalsAny(allowed: readonly unknown[]): (value: unknown, steps: StepLimit) => boolean {
  const scalars = new Set(allowed.filter((value) => !isStructure(value)));
  const structures = new Set(allowed.filter(isStructure).map(textOfAllowed));
  return (value, steps) => {
    // A long text is compared sixteen characters at a time.
    if (typeof value === 'string') steps.take(value.length >> 4);
    if (!isStructure(value)) return scalars.has(value);
    return structures.size > 0 && structures.has(countedText(value, steps));
  };
}

function textOfAllowed(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    throw new SchemaError(`No event can hold ${show(value)}: a text is broken, or a number is too large.`);
  }
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function countedText(value: unknown, steps: StepLimit): string {
  const text = canonicalJson(value);
  steps.take(text.length);
  return text;
}

const enumeration: Keyword = (value, { fail }) => {
  const isAllowed = equalsAny(value as unknown[]);
  const message = `must be equal to one of the allowed values ${show(value)}`;
  return (given, steps) => (isAllowed(given, steps) ? undefined : fail(message));
};

const constant: Keyword = (value, { fail }) => {
  const isAllowed = equalsAny([value]);
  const message = `must be equal to constant ${show(value)}`;
  return (given, steps) => (isAllowed(given, steps) ? undefined : fail(message));
};

const uniqueItems: Keyword = (value, { fail }) => {
  if (value !== true) return undefined;
  return (given, steps) => {
    if (!Array.isArray(given)) return undefined;
    const texts = new Set(given.map((item) => countedText(item, steps)));
    return texts.size === given.length ? undefined : fail('must NOT have duplicate items');
  };
};

function numberKeyword(sign: string, isRight: (value: number, limit: number) => boolean): Keyword {
  return (value, { fail }) => {
    const limit = value as number;
    return (given) =>
      typeof given !== 'number' || isRight(given, limit) ? undefined : fail(`must be ${sign} ${limit}`);
  };
}

/** `sizeOf` is undefined for values that have no such size. */
function sizeKeyword(
  comparison: 'fewer' | 'more',
  unit: string,
  sizeOf: (value: unknown, steps: StepLimit) => number | undefined,
): Keyword {
  return (value, { fail }) => {
    const limit = value as number;
    return (given, steps) => {
      const size = sizeOf(given, steps);
      const isWrong = size !== undefined && (comparison === 'fewer' ? size < limit : size > limit);
      return isWrong ? fail(`must NOT have ${comparison} than ${limit} ${unit}`) : undefined;
    };
  };
}

function characters(value: unknown, steps: StepLimit): number | undefined {
  if (typeof value !== 'string') return undefined;
  steps.take(value.length);
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

function items(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

function members(value: unknown, steps: StepLimit): number | undefined {
  if (!isObject(value)) return undefined;
  return namesOf(value, steps).length;
}

const pattern: Keyword = (value, context: KeywordContext) => {
  const compiled = context.pattern(value as string);
  const message = `must match pattern ${show(value)}`;
  return (given, steps) =>
    typeof given !== 'string' || compiled.test(given, steps) ? undefined : context.fail(message);
};

const required: Keyword = (value, { fail }) => {
  const names = value as string[];
  return (given, steps) => {
    if (!isObject(given)) return undefined;
    steps.take(names.length);
    const missing = names.find((name) => !Object.hasOwn(given, name));
    return missing === undefined
      ? undefined
      : fail(`must have required property '${clipText(missing, MAX_SHOWN)}'`);
  };
};

const dependentRequired: Keyword = (value, { fail }) => {
  // `dependencies`, of an older draft, also holds schemas.
  const rules = Object.entries(value as Record<string, unknown>).flatMap(([name, names]) =>
    Array.isArray(names) ? (names as string[]).map((needed) => ({ name, needed })) : [],
  );
  return (given, steps) => {
    if (!isObject(given)) return undefined;
    steps.take(rules.length);
    const broken = rules.find(
      ({ name, needed }) => Object.hasOwn(given, name) && !Object.hasOwn(given, needed),
    );
    return (
      broken &&
      fail(`must have property ${show(broken.needed)} when property ${show(broken.name)} is present`)
    );
  };
};

/** Keywords that look at a value without the help of other schemas. Failures are reported in this order. */
export const ASSERTION_KEYWORDS: Record<string, Keyword> = {
  type,
  const: constant,
  enum: enumeration,
  maximum: numberKeyword('<=', (value, limit) => value <= limit),
  minimum: numberKeyword('>=', (value, limit) => value >= limit),
  exclusiveMaximum: numberKeyword('<', (value, limit) => value < limit),
  exclusiveMinimum: numberKeyword('>', (value, limit) => value > limit),
  multipleOf: numberKeyword('multiple of', (value, divisor) => Number.isInteger(value / divisor)),
  maxLength: sizeKeyword('more', 'characters', characters),
  minLength: sizeKeyword('fewer', 'characters', characters),
  pattern,
  maxItems: sizeKeyword('more', 'items', items),
  minItems: sizeKeyword('fewer', 'items', items),
  uniqueItems,
  maxProperties: sizeKeyword('more', 'properties', members),
  minProperties: sizeKeyword('fewer', 'properties', members),
  required,
  dependentRequired,
  dependencies: dependentRequired,
};
