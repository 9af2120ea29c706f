import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.js';
import { ApiError } from '../../errors.js';
import {
  BEARER,
  BODY_ERRORS,
  errorResponses,
  TENANT_GUARD_ERRORS,
  TenantHeaders,
} from '../../http/api-schemas.js';
import { requireSender, senderOf, TENANT_HEADER } from '../../http/guards.js';
import { type CheckedBatch, checkEvents } from './check-events.js';
import { EventBatch as EventBatchSchema, EventsResponse } from './event-schemas.js';
import type { EventBatch } from './intake.js';
import { EVENT_LIMITS } from './limits.js';

export function eventRoutes(app: FastifyInstance, ctx: Context): void {
  app.addHook('onRequest', requireSender(ctx, TENANT_HEADER));

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
          'Answered once the events are durable. Sending a batch again, in whole or in part, in any order, changes nothing: each event counts once. On 429, 503 or no answer send it again unchanged, on 401 with a new token; on any other answer do not. A bad event never spoils the good ones of its batch. `Content-Encoding: gzip`, `br` and `deflate` are accepted; `GET /v1/limits` tells how much.',
        security: BEARER,
        headers: TenantHeaders,
        body: EventBatchSchema,
        response: {
          202: EventsResponse,
          ...errorResponses('data', [
            ...TENANT_GUARD_ERRORS,
            ...BODY_ERRORS,
            'events_rejected',
            'batch_too_large',
          ]),
        },
      },
    },
    async (request, reply) => {
      const events = request.json?.value;
      if (request.json === undefined || !Array.isArray(events)) {
        throw new ApiError('body_invalid', { message: 'The body must be a JSON array of events.' });
      }
      if (events.length > EVENT_LIMITS.maxEvents) {
        throw new ApiError('batch_too_large', { details: { maxEvents: EVENT_LIMITS.maxEvents } });
      }
      const { bytes, suspicious } = request.json;
      const { claims, player } = senderOf(request);
      const { userId } = claims;
      const checked = checkEvents({ events, bytes, suspicious }, { userId }, ctx.clock.now());
      const data = await accept(ctx, checked, { userId, player, bytes, sent: events.length });
      return reply.code(202).send({ data, status: 'success' });
    },
  );
}

type Batch = Omit<EventBatch, 'events'> & { sent: number };

async function accept(ctx: Context, { events, rejected }: CheckedBatch, batch: Batch) {
  ctx.metrics.events.inc({ outcome: 'rejected' }, rejected.length);
  if (rejected.length > 0 && rejected.length === batch.sent) {
    throw new ApiError('events_rejected', { details: { rejected } });
  }
  const { userId, player, bytes } = batch;
  const taken = events.length === 0 ? NOTHING : await ctx.intake.submit({ userId, player, events, bytes });
  ctx.metrics.events.inc({ outcome: 'accepted' }, taken.accepted);
  ctx.metrics.events.inc({ outcome: 'duplicate' }, taken.duplicates ?? 0);
  return { ...taken, rejected };
}

const NOTHING = { accepted: 0, duplicates: 0 };
