import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { EVENT_LIMITS } from '../../core/events/intake/limits.js';
import { findEventType, retireEventType } from '../../core/events/types/event-type-queries.js';
import { nullable, successOf, Time, toTime } from '../../platform/admin-api/admin-responses.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { textParameter } from '../../platform/http/parameters.js';
import { whyUnusable } from '../../platform/lib/json-schema/bounded-schema.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { registerEventType } from './event-types.js';

const SCHEMA_EXAMPLE = {
  type: 'object',
  properties: { payload: { type: 'object', properties: { level: { type: 'integer' } } } },
};
const Schema = Type.Unknown({ description: 'JSON Schema, draft 2020-12, for the whole event as it is sent' });
const eventTypeParameter = {
  eventType: Type.String({ description: 'The event type', examples: ['Level_Complete'] }),
};

const SchemaResponse = successOf(
  'EventSchemaResponse',
  Type.Object({
    eventType: Type.String(),
    version: Type.Integer(),
    author: Type.String(),
    createdAt: Time('When it was registered'),
    retiredAt: nullable(Time('Since then the type counts as not registered')),
    schema: Schema,
    notChecked: nullable(
      Type.String({
        description:
          'Why the events of this type are not checked: an older version of the service took the schema',
      }),
    ),
  }),
  {
    example: {
      eventType: 'Level_Complete',
      version: 2,
      author: 'Ada',
      createdAt: '2026-11-15T12:00:00.000Z',
      retiredAt: null,
      schema: SCHEMA_EXAMPLE,
      notChecked: null,
    },
  },
);

const SchemaBody = Type.Object(
  { schema: Schema },
  { title: 'EventSchemaRequest', examples: [{ schema: SCHEMA_EXAMPLE }] },
);

const RegisteredResponse = successOf(
  'EventSchemaRegisteredResponse',
  Type.Object({
    eventType: Type.String(),
    version: Type.Integer(),
    warnings: Type.Array(Type.String(), {
      description: 'What the schema says without effect, such as a misspelt keyword',
    }),
  }),
  { example: { eventType: 'Level_Complete', version: 2, warnings: [] } },
);

const RetiredResponse = successOf('EventTypeRetiredResponse', Type.Object({ eventType: Type.String() }), {
  description: 'The type is checked no longer, and counts as not registered.',
  example: { eventType: 'Level_Complete' },
});

/** The schemas of a game's event types. The type is in the query: its name may be any text. */
export function eventSchemaRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Events');
  const path = '/admin/v1/games/:game/event-types/schema';

  routes.get(path, {
    role: 'viewer',
    operationId: 'getEventSchema',
    summary: 'The schema of an event type',
    querystring: Type.Object({
      ...eventTypeParameter,
      version: Type.Optional(Type.Integer({ minimum: 1, description: 'By default the newest' })),
    }),
    response: { 200: SchemaResponse },
    errors: ['event_type_not_found'],
    handle: async ({ gameId, query }) => {
      const { eventType, version } = query;
      const found = await findEventType(ctx.pool, gameId, checkedType(eventType), version);
      if (found === undefined) throw new ApiError('event_type_not_found');
      const { schemaText, createdAt, retiredAt, ...rest } = found;
      return {
        ...rest,
        createdAt: toTime(createdAt),
        retiredAt: toTime(retiredAt),
        schema: JSON.parse(schemaText) as unknown,
        notChecked: whyUnusable(schemaText) ?? null,
      };
    },
  });

  routes.put(path, {
    role: 'editor',
    operationId: 'registerEventSchema',
    summary: 'Register a schema as the next version of an event type',
    description:
      'Every node checks by it from the next request on. Events that do not match wait in the inbox.',
    querystring: Type.Object(eventTypeParameter),
    body: SchemaBody,
    response: { 200: RegisteredResponse },
    errors: [...BODY_ERRORS, 'event_schema_invalid'],
    handle: async ({ gameId, query, body, actorNow }) => {
      const eventType = checkedType(query.eventType);
      const added = { gameId, eventType, schemaText: JSON.stringify(body.schema) };
      const result = await registerEventType(ctx.pool, added, actorNow());
      if (!result.ok) throw new ApiError('event_schema_invalid', { message: result.reason });
      return { eventType, version: result.version, warnings: result.warnings };
    },
  });

  routes.delete(path, {
    role: 'editor',
    operationId: 'retireEventType',
    summary: 'Check an event type no longer',
    querystring: Type.Object(eventTypeParameter),
    response: { 200: RetiredResponse },
    errors: ['event_type_not_found'],
    handle: async ({ gameId, query, actorNow }) => {
      const eventType = checkedType(query.eventType);
      const isRetired = await retireEventType(ctx.pool, gameId, eventType, actorNow());
      if (!isRetired) throw new ApiError('event_type_not_found');
      return { eventType };
    },
  });
}

function checkedType(eventType: string): string {
  return textParameter('eventType', eventType, EVENT_LIMITS.maxEventTypeLength);
}
