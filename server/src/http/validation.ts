import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { ApiError } from '../errors.js';

const accept = () => true;

/**
 * Bodies are checked against their schema as they are: nothing is coerced, removed or defaulted. Header schemas are
 * documentation; the guards check headers, because their errors have codes of their own.
 */
const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') return accept;
  const validator = Compile(schema);
  return (value: unknown) => {
    if (validator.Check(value)) return { value };
    const [, [first]] = validator.Errors(value);
    const where = first?.instancePath ? `${first.instancePath.slice(1).replaceAll('/', '.')} ` : 'The body ';
    return {
      error: new ApiError('body_invalid', { message: `${where}${first?.message ?? 'is not valid'}.` }),
    };
  };
};

export function registerValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  // Response schemas are documentation too: a serialiser made from them would reorder members and drop unlisted ones.
  app.setSerializerCompiler(() => JSON.stringify);
}

/**
 * For a route whose documented body holds a part that is checked elsewhere, with errors of its own: only `schema` is asked
 * of it here.
 */
export function checkBodyAgainst(schema: TSchema): FastifySchemaCompiler<TSchema> {
  return (route) => compileValidator({ ...route, schema });
}
