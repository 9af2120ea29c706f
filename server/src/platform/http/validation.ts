import type { FastifyInstance, FastifySchemaCompiler, FastifyTypeProvider } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { ApiError } from '../errors.js';
import { bodySentence } from './body-sentences.js';
import { readParameters } from './parameters.js';
import { closeObjects } from './unknown-members.js';

const accept = () => true;

/**
 * Bodies are checked against their schema as they are: nothing is coerced, removed or defaulted. Parameters are texts, and are
 * read as their schema says. Header schemas are documentation; the guards check headers, because their errors have codes of
 * their own.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'params' || httpPart === 'querystring') return parameterReader(schema);
  if (httpPart !== 'body') return accept;
  const validator = Compile(schema);
  return (value: unknown) => {
    if (validator.Check(value)) return { value };
    return {
      error: new ApiError('body_invalid', {
        message: bodySentence(schema, value, validator.Errors(value)[1]),
      }),
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

export function registerValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  // Response schemas are documentation too: a serialiser made from them would reorder members and drop unlisted ones.
  app.setSerializerCompiler(() => JSON.stringify);
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
 * For a route whose body holds a part that is checked elsewhere, with errors of its own. The API reference shows `documented`.
 * Requests are checked against `checked`, and have its type. Unknown members are refused, as by every admin route.
 */
export function bodyCheckedAs<Checked extends TSchema>(documented: TSchema, checked: Checked) {
  const closed = closeObjects(checked);
  const validatorCompiler: FastifySchemaCompiler<TSchema> = (route) =>
    compileValidator(route.httpPart === 'body' ? { ...route, schema: closed } : route);
  return { body: documented as Checked, options: { validatorCompiler } };
}
