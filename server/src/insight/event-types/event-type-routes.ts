import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { nullable, successOf } from '../../platform/admin-api/admin-responses.js';
import { cursorOf, cutPage, NextCursor, pageParameters } from '../../platform/admin-api/page-cursor.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { listSentTypes, SENT_DAYS } from './sent-types.js';

const LIMITS = { max: 1_000, fallback: 1_000 };
const LIST = 'event types';

const EventTypesResponse = successOf(
  'EventTypesResponse',
  Type.Object({
    days: Type.Integer({ description: 'How far back events are counted, today included' }),
    eventTypes: Type.Array(
      Type.Object(
        {
          eventType: Type.String(),
          events: Type.Integer({ description: 'In those days, by their own time' }),
          lastDay: nullable(Type.String({ format: 'date', description: 'Of the last event in those days' })),
          volumes: Type.Array(Type.Integer(), {
            description: 'Events on each of those days, by their own time, the oldest first',
          }),
          registeredVersion: nullable(Type.Integer({ description: 'Of its schema, if it has one' })),
          isBuiltIn: Type.Boolean({
            description:
              'It has effects of its own, such as making a payer, and is taken whether it has a schema or not',
          }),
          looksLike: nullable(
            Type.String({
              description:
                'A built-in type that it nearly is: such events are stored as they are, but have none of its effects. Null once it is registered.',
            }),
          ),
        },
        { title: 'EventType' },
      ),
      { description: 'Most frequent first, then those that are registered and were not sent' },
    ),
    nextCursor: NextCursor,
  }),
  {
    example: {
      days: SENT_DAYS,
      eventTypes: [
        {
          eventType: 'Level_Complete',
          events: 48_211,
          lastDay: '2026-11-15',
          volumes: [...Array(SENT_DAYS - 2).fill(0), 20_100, 28_111],
          registeredVersion: 2,
          isBuiltIn: true,
          looksLike: null,
        },
        {
          eventType: 'purchase',
          events: 112,
          lastDay: '2026-11-15',
          volumes: [...Array(SENT_DAYS - 1).fill(0), 112],
          registeredVersion: null,
          isBuiltIn: false,
          looksLike: 'Purchase',
        },
      ],
      nextCursor: null,
    },
  },
);

/** Which events a game sends. */
export function eventTypeRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Studio');

  routes.get('/admin/v1/games/:game/event-types', {
    role: 'viewer',
    operationId: 'listEventTypes',
    summary: 'The event types that players send, and those that nearly are built-in ones',
    querystring: Type.Object(pageParameters(LIMITS)),
    response: { 200: EventTypesResponse },
    handle: async ({ gameId, query }) => {
      const { cursor, limit = LIMITS.fallback } = query;
      const key = cursorOf(LIST, cursor, [0, '']);
      const after = key === undefined ? undefined : { events: key[0], eventType: key[1] };
      const types = await listSentTypes(ctx.pool, gameId, ctx.clock.now(), { limit: limit + 1, after });
      const { page, nextCursor } = cutPage(LIST, types, limit, (type) => [type.events, type.eventType]);
      return { days: SENT_DAYS, eventTypes: page, nextCursor };
    },
  });
}
