import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import { ApiError } from '../errors.js';
import { isObject } from '../lib/is-object.js';
import { createSuggest } from '../lib/nearest-name.js';
import { noMember, type SchemaPart } from '../lib/schema-members.js';

/** As much of a JSON Schema as bodies use. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * Every route of the scope refuses members of its body and parameters of its query that it does not know. A misspelt optional
 * member would otherwise be left out without a word: a misspelt `sessionId` would end all sessions. To be called before the
 * routes are registered.
 */
export function refuseUnknownMembers(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.schema?.body === undefined) return;
    route.schema = { ...route.schema, body: closeBody(route.schema.body as Schema) };
  });
  app.addHook('preValidation', async (request) => {
    const { body, querystring } = request.routeOptions.schema ?? ({} as FastifySchema);
    if (body === undefined) refuseMembers(request);
    refuseParameters(request, (querystring ?? {}) as SchemaPart);
  });
}

/** A body that has several media types has a schema for each. */
function closeBody(body: Schema): Schema {
  if (body.content === undefined) return closeObjects(body);
  return {
    content: mapValues(body.content, (type) => ({ ...type, schema: closeObjects(type.schema as Schema) })),
  };
}

/**
 * A copy of a schema, in which every object that names its members refuses others. What says itself which other members it
 * takes stays as it is: maps do.
 */
export function closeObjects<Given extends object>(schema: Given): Given {
  const { properties, patternProperties, additionalProperties, items, anyOf, allOf } = schema as Schema;
  // Each part would refuse the members of the others.
  if (allOf !== undefined)
    throw new Error('a body must not be an intersection: list all members in one object');
  const closed: Record<string, unknown> = { ...(schema as Schema) };
  if (properties !== undefined) {
    closed.properties = mapValues(properties, closeObjects);
    closed.additionalProperties = additionalProperties ?? false;
  }
  if (patternProperties !== undefined) closed.patternProperties = mapValues(patternProperties, closeObjects);
  if (isObject(additionalProperties)) closed.additionalProperties = closeObjects(additionalProperties);
  if (isObject(items)) closed.items = closeObjects(items);
  if (Array.isArray(anyOf)) closed.anyOf = anyOf.map(closeObjects);
  return closed as Given;
}

function mapValues(values: unknown, change: (value: Schema) => Schema): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(values as Record<string, Schema>).map(([name, value]) => [name, change(value)]),
  );
}

/** For a route that takes no body. */
function refuseMembers({ json }: FastifyRequest): void {
  const [unknown] = isObject(json?.value) ? Object.keys(json.value) : [];
  if (unknown === undefined) return;
  throw new ApiError('body_invalid', { message: `The body has ${noMember(unknown, {}, createSuggest())}` });
}

function refuseParameters({ query }: FastifyRequest, schema: SchemaPart): void {
  const known = schema.properties ?? {};
  const unknown = Object.keys(query as object).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const message = `The query has ${noMember(unknown, schema, createSuggest(), 'parameter')}`;
  throw new ApiError('parameter_invalid', { message });
}
