import type { FastifyInstance, FastifySchemaCompiler, FastifyTypeProvider } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { Compile } from 'typebox/schema';
import { ApiError } from '../errors.js';
import { createSuggest, didYouMean, nearestName } from '../lib/nearest-name.js';
import { noMember, schemaAt, valueAt } from '../lib/schema-members.js';
import { NAME_PATTERN, NAME_RULE } from './api-schemas.js';
import { readParameters } from './parameters.js';
import { closeObjects } from './unknown-members.js';

const accept = () => true;

/**
 * Bodies are checked against their schema as they are: nothing is coerced, removed or defaulted. Parameters are texts, and are
 * read as their schema says. Header schemas are documentation; the guards check headers, because their errors have codes of
 * their own.
 */
const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'params' || httpPart === 'querystring') return parameterReader(schema);
  if (httpPart !== 'body') return accept;
  const validator = Compile(schema);
  return (value: unknown) => {
    if (validator.Check(value)) return { value };
    return {
      error: new ApiError('body_invalid', { message: describe(schema, value, validator.Errors(value)[1]) }),
    };
  };
};

function parameterReader(schema: TSchema) {
  return (given: Record<string, unknown>) => {
    try {
      return { value: readParameters(schema, given) };
    } catch (error) {
      return { error: error as ApiError };
    }
  };
}

/** A sentence about the first thing that is wrong with a body; for an unknown member, with the name that was probably meant. */
function describe(schema: TSchema, value: unknown, errors: readonly TLocalizedValidationError[]): string {
  // Says what `additionalProperties` says better.
  const first = errors.find(({ keyword }) => keyword !== 'boolean');
  if (first === undefined) return 'The body is not valid.';
  const where = first.instancePath === '' ? 'The body' : first.instancePath.slice(1).replaceAll('/', '.');
  const unknown = unknownMember(first, schema, value);
  if (unknown === undefined) {
    return `${where} ${wordProblem(first, schema, value) ?? nameProblem(first) ?? `${first.message}.`}`;
  }
  return `${where} has ${noMember(unknown, schemaAt(schema, first.schemaPath), createSuggest())}`;
}

/** Names the allowed words, where the schema allows only a few. */
function wordProblem(
  { schemaPath, instancePath }: TLocalizedValidationError,
  schema: TSchema,
  value: unknown,
): string | undefined {
  const { anyOf = [] } = schemaAt(schema, schemaPath.replace(/\/anyOf\/\d+$/, ''));
  const words = anyOf.flatMap((each) => (typeof each.const === 'string' ? [each.const] : []));
  if (words.length === 0 || words.length < anyOf.length) return undefined;
  const given = valueAt(value, instancePath);
  const nearest = typeof given === 'string' ? didYouMean(nearestName(given, words)) : '';
  return `must be ${words.map((word) => `"${word}"`).join(' or ')}.${nearest}`;
}

/** The pattern of names is not for people to read. */
function nameProblem({ keyword, params }: TLocalizedValidationError): string | undefined {
  return keyword === 'pattern' && params.pattern === NAME_PATTERN ? `${NAME_RULE}.` : undefined;
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
  const missing = error.params.requiredProperties;
  return given.find((name) => !known.includes(name) && missing.includes(nearestName(name, known) ?? ''));
}

export function registerValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  // Response schemas are documentation too: a serialiser made from them would reorder members and drop unlisted ones.
  app.setSerializerCompiler(() => JSON.stringify);
}

/**
 * For an admin route whose documented body holds a part that is checked elsewhere, with errors of its own: only `schema` is
 * checked here. Unknown members are refused, as by every admin route.
 */
export function checkBodyAgainst(schema: TSchema): FastifySchemaCompiler<TSchema> {
  const closed = closeObjects(schema);
  return (route) => compileValidator(route.httpPart === 'body' ? { ...route, schema: closed } : route);
}

/** Bodies and parameters have the types that their schemas say. Responses are not checked: their schemas are documentation. */
interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}

/** For routes whose requests have the types of their schemas. */
export function withSchemaTypes(app: FastifyInstance) {
  return app.withTypeProvider<SchemaTypes>();
}

/**
 * For a route whose body holds a document that is checked elsewhere, with errors of its own. The API reference shows
 * `documented`. Requests are checked against `checked`, and have its type.
 */
export function bodyCheckedAs<Checked extends TSchema>(documented: TSchema, checked: Checked) {
  return { body: documented as Checked, validatorCompiler: checkBodyAgainst(checked) };
}
