import type { TLocalizedValidationError } from 'typebox/error';
import type { SchemaPart } from './schema-members.js';
import { ruleOfPattern } from './text-forms.js';

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};
const COMPARISONS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};
const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  date: 'a day such as 2026-11-15',
  'date-time': 'a time such as 2026-11-15T12:00:00Z',
};

/**
 * The rule that a value breaks, in words that follow the name of the value: `must be at least 3`. The one place where an error of a
 * schema becomes words, for bodies and documents.
 */
export function ruleOf(error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case 'type':
      return `must be ${[error.params.type].flat().map(typeName).join(' or ')}`;
    case 'minLength':
      return error.params.limit === 1 ? 'must not be empty' : atLeast(error.params.limit, 'character');
    case 'maxLength':
      return atMost(error.params.limit, 'character');
    case 'minItems':
      return atLeast(error.params.limit, 'entry', 'entries');
    case 'maxItems':
      return atMost(error.params.limit, 'entry', 'entries');
    case 'minProperties':
      return atLeast(error.params.limit, 'member');
    case 'maxProperties':
      return atMost(error.params.limit, 'member');
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${COMPARISONS[error.params.comparison] ?? error.params.comparison} ${error.params.limit}`;
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`;
    case 'enum':
      return `must be ${error.params.allowedValues.map((each) => JSON.stringify(each)).join(' or ')}`;
    case 'format':
      return `must be ${FORMATS[error.params.format] ?? 'written in another way'}`;
    case 'pattern':
      return ruleOfPattern(String(error.params.pattern)) ?? 'must be written in another way';
    case 'required':
      return `lacks ${error.params.requiredProperties.join(', ')}`;
    default:
      return 'has the wrong form';
  }
}

/** What a value of a union may be: `"viewer" or "editor"`, `a text or null`. Undefined if the parts are more than words and types. */
export function alternativesOf({ anyOf = [] }: SchemaPart): string | undefined {
  const words = anyOf.map((each) =>
    each.const === undefined ? TYPES[each.type ?? ''] : JSON.stringify(each.const),
  );
  return words.length === 0 || words.includes(undefined) ? undefined : words.join(' or ');
}

function typeName(type: string): string {
  return TYPES[type] ?? type;
}

function atLeast(limit: number | bigint, one: string, many = `${one}s`): string {
  return `must have at least ${limit} ${Number(limit) === 1 ? one : many}`;
}

function atMost(limit: number | bigint, one: string, many = `${one}s`): string {
  return `may have at most ${limit} ${Number(limit) === 1 ? one : many}`;
}
