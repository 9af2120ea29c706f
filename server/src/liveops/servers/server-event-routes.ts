import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { Event, EventsResponse } from '../../core/events/intake/event-schemas.js';
import { EVENT_LIMITS } from '../../core/events/intake/limits.js';
import { isSentAgain } from '../../core/events/intake/player-quota.js';
import { responseOf } from '../../core/events/intake/take-batch.js';
import {
  BODY_ERRORS,
  errorResponses,
  SERVER_GUARD_ERRORS,
  SERVER_KEY,
  ServerHeaders,
} from '../../platform/http/api-schemas.js';
import { registerBytesParser } from '../../platform/http/body-parser.js';
import { addLimitHeaders } from '../../platform/http/rate-limits.js';
import { type EventAdmission, respondAfterHangUp } from '../../platform/overload/event-admission.js';
import type { ServerContext } from './server-context.js';
import { requireServer, serverKeyOf } from './server-guard.js';
import { takeServerBatch } from './take-server-batch.js';

const NO_BYTES = Buffer.alloc(0);

const ServerEvents = Type.Array(
  Type.Object({
    userId: Type.String({ format: 'uuid', description: 'The player whose event it is: `userId` of a login' }),
    ...Event.properties,
  }),
  {
    maxItems: EVENT_LIMITS.maxEvents,
    examples: [
      [
        {
          userId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
          eventType: 'Match_End',
          timestamp: '2026-11-15T12:00:00.000Z',
          payload: { matchId: 'm-9', place: 1 },
          eventId: 'match-m-9-0199c1a2',
        },
      ],
    ],
  },
);

/** Events that the studio's own servers send for their players. */
export function serverEventRoutes(app: FastifyInstance, ctx: ServerContext, admission: EventAdmission): void {
  registerBytesParser(app);
  app.addHook('onRequest', requireServer(ctx, 'events:write'));
  app.addHook('onRequest', async (request, reply) =>
    admission.announce(request, reply, serverKeyOf(request).keyId),
  );
  app.addHook('onRequest', admission.endAnnouncement);

  app.post(
    '/v1/server/events',
    {
      bodyLimit: EVENT_LIMITS.maxBodyBytes,
      // The schema is documentation: each event is checked on its own, because a bad one must not spoil the batch.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'sendServerEvents',
        tags: ['Server'],
        summary: 'Send a batch of events of several players',
        description:
          'As `POST /v1/events`, with the `userId` of its player beside the other members of each event. Needs the scope `events:write`. Each event counts once per player: an `eventId` that the game sends, too, is the same event. An event of an unknown player is rejected alone (`player_unknown`).',
        security: SERVER_KEY,
        headers: ServerHeaders,
        body: ServerEvents,
        response: {
          202: EventsResponse,
          ...errorResponses('data', [
            ...SERVER_GUARD_ERRORS,
            ...BODY_ERRORS,
            'events_rejected',
            'batch_too_large',
          ]),
        },
      },
    },
    async (request, reply) => {
      const body = request.body instanceof Buffer ? request.body : NO_BYTES;
      const { keyId } = serverKeyOf(request);
      const { serverEvents } = ctx.rateLimits;
      let counted = 0;
      const countEvents = (count: number) => {
        addLimitHeaders(reply, serverEvents.take(keyId, count));
        counted = count;
      };
      try {
        const size = { userId: keyId, bytes: body.length };
        const taken = await admission.run(reply, size, () =>
          takeServerBatch(ctx, request, body, countEvents),
        );
        if (taken === undefined) return respondAfterHangUp(reply);
        await taken.failuresKept;
        return reply.code(202).send({ data: responseOf(taken), status: 'success' });
      } catch (error) {
        if (isSentAgain(error)) serverEvents.giveBack(keyId, counted);
        throw error;
      }
    },
  );
}
