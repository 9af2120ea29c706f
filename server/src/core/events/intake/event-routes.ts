import type { FastifyInstance } from 'fastify';
import {
  BEARER,
  BODY_ERRORS,
  EventHeaders,
  errorResponses,
  TENANT_GUARD_ERRORS,
} from '../../../platform/http/api-schemas.js';
import { registerBytesParser } from '../../../platform/http/body-parser.js';
import { addLimitHeaders } from '../../../platform/http/rate-limits.js';
import { type EventAdmission, respondAfterHangUp } from '../../../platform/overload/event-admission.js';
import { requireSender, senderOf, TENANT_HEADER } from '../../sessions/player-guard.js';
import type { EventContext } from './event-context.js';
import { EventBatchSchema, EventsResponse } from './event-schemas.js';
import { EVENT_LIMITS } from './limits.js';
import { createPlayerQuota, isSentAgain } from './player-quota.js';
import { responseOf, takeBatch } from './take-batch.js';

export const EVENTS_PATH = '/v1/events';

const NO_BYTES = Buffer.alloc(0);

export function eventRoutes(app: FastifyInstance, ctx: EventContext, admission: EventAdmission): void {
  registerBytesParser(app);
  app.decorateRequest('endAnnouncement', undefined);
  const limited = { headers: TENANT_HEADER, limit: ctx.rateLimits.player };
  app.addHook('onRequest', requireSender(ctx, limited, admission.announce));
  app.addHook('onRequest', admission.endAnnouncement);

  app.post(
    EVENTS_PATH,
    {
      bodyLimit: EVENT_LIMITS.maxBodyBytes,
      // The schema is documentation: each event is checked on its own, because a bad one must not spoil the batch.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'sendEvents',
        tags: ['Events'],
        summary: 'Send a batch of events',
        description:
          'Responds once the events are durable. Sending a batch again, in whole or in part, in any order, changes nothing: each event counts once. On 429, 503 or no response send it again unchanged, on 401 with a new token; on any other response do not. A bad event never spoils the good ones of its batch: it waits, with the reason, in the studio’s inbox of failed events, where it can be corrected and replayed. `Content-Encoding: gzip`, `br` and `deflate` are accepted; `GET /v1/limits` tells how much.',
        security: BEARER,
        headers: EventHeaders,
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
      const body = request.body instanceof Buffer ? request.body : NO_BYTES;
      const { userId } = senderOf(request).claims;
      const quota = createPlayerQuota(ctx.rateLimits, userId, body.length);
      addLimitHeaders(reply, quota.takeBytes());
      const countEvents = (count: number) => addLimitHeaders(reply, quota.takeEvents(count));
      try {
        const size = { userId, bytes: body.length };
        const taken = await admission.run(reply, size, () => takeBatch(ctx, request, body, countEvents));
        if (taken === undefined) {
          quota.giveBack();
          return respondAfterHangUp(reply);
        }
        // Outside the queue: a stuck inbox must not take capacity from good events.
        await taken.failuresKept;
        return reply.code(202).send({ data: responseOf(taken), status: 'success' });
      } catch (error) {
        if (isSentAgain(error)) quota.giveBack();
        throw error;
      }
    },
  );
}
