import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { createSuggest, didYouMean, nearestName } from '../lib/nearest-name.js';
import { noMember, schemaAt, valueAt } from '../lib/schema-members.js';
import { alternativesOf, ruleOf } from '../lib/schema-rules.js';

/**
 * A sentence about the first thing that is wrong with a body. Forms of the console show it to people, so it names a member in words
 * (`currentPassword` is "the current password"); for a member within a member it adds the path, which programs look for.
 */
export function bodySentence(
  schema: TSchema,
  value: unknown,
  errors: readonly TLocalizedValidationError[],
): string {
  // `additionalProperties` says the same as `boolean`, and better.
  const first = errors.find(({ keyword }) => keyword !== 'boolean');
  if (first === undefined) return 'The body is not valid.';
  const unknown = unknownMember(first, schema, value);
  if (unknown !== undefined) {
    const where = first.instancePath === '' ? 'The body' : pathOf(first.instancePath);
    return `${where} has ${noMember(unknown, schemaAt(schema, first.schemaPath), createSuggest())}`;
  }
  if (first.keyword === 'required') return missing(first.params.requiredProperties, first.instancePath);
  const choice = choiceOf(first, schema, value);
  if (choice !== undefined) return `${subjectOf(first.instancePath)} must be ${choice}`;
  return asked(first) ?? `${subjectOf(first.instancePath)} ${ruleOf(first)}${placeOf(first.instancePath)}.`;
}

/** What a form asks a person for: nothing was typed, or something else than what the field is for. */
function asked(error: TLocalizedValidationError): string | undefined {
  const { keyword, instancePath } = error;
  if (instancePath.split('/').length !== 2) return undefined;
  const rule = ruleOf(error);
  if (keyword === 'minLength' && error.params.limit === 1) return `Enter the ${wordsOf(instancePath)}.`;
  if (keyword === 'pattern' && rule.startsWith('must be ')) return `Enter ${rule.slice('must be '.length)}.`;
  return undefined;
}

function missing(names: readonly string[], path: string): string {
  const listed = names.map((name) => `the ${wordsOf(`/${name}`)}`).join(' and ');
  const sentence = `${listed} ${names.length === 1 ? 'is' : 'are'} missing`;
  return `${sentence[0]?.toUpperCase()}${sentence.slice(1)}${path === '' ? '' : ` (in ${pathOf(path)})`}.`;
}

/** Names what a union allows, and the word that was probably meant. */
function choiceOf(
  { keyword, schemaPath, instancePath }: TLocalizedValidationError,
  schema: TSchema,
  value: unknown,
): string | undefined {
  if (keyword !== 'type' && keyword !== 'const' && keyword !== 'anyOf') return undefined;
  const union = schemaAt(schema, schemaPath.replace(/\/anyOf\/\d+$/, ''));
  const alternatives = alternativesOf(union);
  if (alternatives === undefined) return undefined;
  const words = (union.anyOf ?? []).flatMap((each) => (typeof each.const === 'string' ? [each.const] : []));
  const given = valueAt(value, instancePath);
  const nearest = typeof given === 'string' ? didYouMean(nearestName(given, words)) : '';
  return `${alternatives}${placeOf(instancePath)}.${nearest}`;
}

/** Names an unknown member. Where a required member is missing, only if the unknown one is probably that member, misspelt. */
function unknownMember(
  error: TLocalizedValidationError,
  schema: TSchema,
  value: unknown,
): string | undefined {
  if (error.keyword === 'additionalProperties') return error.params.additionalProperties[0];
  if (error.keyword !== 'required') return undefined;
  const known = Object.keys(schemaAt(schema, error.schemaPath).properties ?? {});
  const given = Object.keys(valueAt(value, error.instancePath) ?? {});
  const required = error.params.requiredProperties;
  return given.find((name) => !known.includes(name) && required.includes(nearestName(name, known) ?? ''));
}

function subjectOf(path: string): string {
  return path === '' ? 'The body' : `The ${wordsOf(path)}`;
}

/** The last name of a path, as words: `/account/currentPassword` is "current password". */
function wordsOf(path: string): string {
  const name = path.split('/').findLast((part) => !/^\d*$/.test(part)) ?? 'body';
  return name.replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
}

function pathOf(path: string): string {
  return path.slice(1).replaceAll('/', '.');
}

function placeOf(path: string): string {
  return path.split('/').length > 2 ? ` (at ${pathOf(path)})` : '';
}
