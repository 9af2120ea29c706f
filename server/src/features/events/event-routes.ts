import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../../context.js';
import { ApiError } from '../../errors.js';
import { BEARER, errorResponses, PLAYER_GUARD_ERRORS, TenantHeaders } from '../../http/api-schemas.js';
import { authenticated, requirePlayer, TENANT_HEADER } from '../../http/guards.js';
import { type CheckedBatch, checkEvents } from './check-events.js';
import { EVENT_LIMITS } from './limits.js';

const Event = Type.Object(
  {
    eventType: Type.String({ minLength: 1, maxLength: 128 }),
    timestamp: Type.String({ description: 'RFC 3339; normally YYYY-MM-DDThh:mm:ss.sssZ' }),
    payload: Type.Object({}, { additionalProperties: true }),
    metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
    eventId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Names the event within its player' }),
    ),
  },
  {
    examples: [
      {
        eventType: 'Ad_Impression',
        timestamp: '2026-11-15T12:00:00.000Z',
        payload: { userId: 'u-1', sessionId: 's-1', adId: 'ad-7', campaignId: 'c-3' },
        metadata: { deviceType: 'phone', osName: 'Android', osVersion: '16' },
      },
    ],
  },
);

const EventsResponse = Type.Object({
  data: Type.Object({
    accepted: Type.Integer(),
    duplicates: Type.Optional(Type.Integer()),
    rejected: Type.Array(Type.Object({ index: Type.Integer(), code: Type.String(), message: Type.String() })),
  }),
  status: Type.Literal('success'),
});

export function eventRoutes(app: FastifyInstance, ctx: Context): void {
  app.addHook('onRequest', requirePlayer(ctx, TENANT_HEADER));

  app.post(
    '/v1/events',
    {
      bodyLimit: EVENT_LIMITS.maxBodyBytes,
      // The schema is documentation: each event is checked on its own, because a bad one must not spoil the batch.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'sendEvents',
        tags: ['Events'],
        summary: 'Send a batch of events',
        description:
          'Answered once the events are durable. Sending a batch again, in whole or in part, changes nothing. On 429, 503 or no answer send it again unchanged; on any other answer do not.',
        security: BEARER,
        headers: TenantHeaders,
        body: Type.Array(Event),
        response: {
          202: EventsResponse,
          ...errorResponses('data', [
            ...PLAYER_GUARD_ERRORS,
            'body_invalid',
            'invalid_json',
            'invalid_utf8',
            'encoding_invalid',
            'events_rejected',
            'body_too_large',
            'batch_too_large',
            'unsupported_media_type',
            'unsupported_encoding',
          ]),
        },
      },
    },
    async (request, reply) => {
      const { playerId, gameId } = authenticated(request).player;
      const events = request.json?.value;
      if (request.json === undefined || !Array.isArray(events)) {
        throw new ApiError('body_invalid', { message: 'The body must be a JSON array of events.' });
      }
      if (events.length > EVENT_LIMITS.maxEvents) {
        throw new ApiError('batch_too_large', { details: { maxEvents: EVENT_LIMITS.maxEvents } });
      }
      const { bytes, suspicious } = request.json;
      const checked = checkEvents({ events, bytes, suspicious }, { playerId, gameId }, ctx.clock.now());
      const data = await accept(ctx, checked, events.length);
      return reply.code(202).send({ data, status: 'success' });
    },
  );
}

async function accept(ctx: Context, { records, rejected }: CheckedBatch, sent: number) {
  ctx.metrics.events.inc({ outcome: 'rejected' }, rejected.length);
  if (rejected.length > 0 && rejected.length === sent) {
    throw new ApiError('events_rejected', { details: { rejected } });
  }
  const accepted = records.length === 0 ? 0 : await ctx.intake.submit(records);
  const duplicates = records.length - accepted;
  ctx.metrics.events.inc({ outcome: 'accepted' }, accepted);
  ctx.metrics.events.inc({ outcome: 'duplicate' }, duplicates);
  return { accepted, duplicates, rejected };
}
