import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.js';
import { ApiError } from '../../errors.js';
import {
  BEARER,
  BODY_ERRORS,
  EventHeaders,
  errorResponses,
  TENANT_GUARD_ERRORS,
} from '../../http/api-schemas.js';
import { decodeBody, registerBytesParser } from '../../http/body-parser.js';
import { requireSender, senderOf, TENANT_HEADER } from '../../http/guards.js';
import { clipText } from '../../lib/clip-text.js';
import { failedEventsOf } from '../failed-events/failed-event.js';
import type { FailedBatch } from '../failed-events/inbox-queries.js';
import { checkEvents, type RejectedEvent } from './check-events.js';
import { createEventAdmission } from './event-admission.js';
import { EventBatch as EventBatchSchema, EventsResponse } from './event-schemas.js';
import type { EventBatch, IntakeResult } from './intake.js';
import { EVENT_LIMITS } from './limits.js';

/** Longer than any version number. */
const MAX_CLIENT_BUILD = 64;
const NO_BYTES = Buffer.alloc(0);

export function eventRoutes(app: FastifyInstance, ctx: Context): void {
  const admission = createEventAdmission(ctx);
  registerBytesParser(app);
  app.decorateRequest('hasArrived', undefined);
  app.addHook('onRequest', admission.refuseUnread);
  app.addHook('onRequest', requireSender(ctx, TENANT_HEADER, admission.announce));
  app.addHook('onRequest', admission.awaitBody);

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
          'Answered once the events are durable. Sending a batch again, in whole or in part, in any order, changes nothing: each event counts once. On 429, 503 or no answer send it again unchanged, on 401 with a new token; on any other answer do not. A bad event never spoils the good ones of its batch: it waits, with the reason, in the studio’s inbox of failed events, where it can be corrected and replayed. `Content-Encoding: gzip`, `br` and `deflate` are accepted; `GET /v1/limits` tells how much.',
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
      const bytes = request.body instanceof Buffer ? request.body : NO_BYTES;
      const { userId } = senderOf(request).claims;
      const size = { userId, bytes: bytes.length };
      const taken = await admission.run(reply, size, () => takeBatch(ctx, request, bytes));
      if (taken === undefined) return reply.hijack();
      // Not in the queue: a stuck inbox must not take the place of good events.
      await taken.failuresKept;
      return reply.code(202).send({ data: answerOf(taken), status: 'success' });
    },
  );
}

type TakenBatch = {
  stored: IntakeResult;
  rejected: readonly Pick<RejectedEvent, 'index' | 'code' | 'message'>[];
  isAllRejected: boolean;
  failuresKept: Promise<void>;
};

/** Settles when the good events are stored; `failuresKept` when the bad ones are. */
async function takeBatch(ctx: Context, request: FastifyRequest, body: Buffer): Promise<TakenBatch> {
  const { events, text, bytes, suspicious } = decodeBatch(body);
  const sender = senderOf(request);
  const { userId } = sender.claims;
  const now = ctx.clock.now();
  const check = ctx.registries.checkFor(sender);
  const checkType = check instanceof Promise ? await check : check;
  const checked = checkEvents({ events, bytes, suspicious }, { userId }, now, checkType);
  const failures = checked.rejected.length === 0 ? [] : failedEventsOf(text, events, checked.rejected);
  const failuresKept = keepFailures(ctx, {
    userId,
    receivedAtMs: now,
    clientBuild: clientBuildOf(request),
    failures,
  });
  // Whoever waits for it hears of its error, unless the good events fail first.
  failuresKept.catch(() => {});
  const stored = await takeEvents(ctx, { userId, player: sender.player, events: checked.events, bytes });
  const rejected = checked.rejected.map(({ index, code, message }) => ({ index, code, message }));
  const isAllRejected = rejected.length > 0 && rejected.length === events.length;
  return { stored, rejected, isAllRejected, failuresKept };
}

function answerOf({ stored: { accepted, duplicates }, rejected, isAllRejected }: TakenBatch) {
  if (isAllRejected) throw new ApiError('events_rejected', { details: { rejected } });
  // No spread: it makes an object that V8 is slow with.
  return duplicates === undefined ? { accepted, rejected } : { accepted, duplicates, rejected };
}

function decodeBatch(body: Buffer) {
  const json = body.length === 0 ? undefined : decodeBody(body);
  if (json === undefined || !Array.isArray(json.value)) {
    throw new ApiError('body_invalid', { message: 'The body must be a JSON array of events.' });
  }
  const events: readonly unknown[] = json.value;
  if (events.length > EVENT_LIMITS.maxEvents) {
    throw new ApiError('batch_too_large', { details: { maxEvents: EVENT_LIMITS.maxEvents } });
  }
  return { events, text: json.text, bytes: json.bytes, suspicious: json.suspicious };
}

const NOTHING: IntakeResult = { accepted: 0, duplicates: 0 };

async function takeEvents(ctx: Context, batch: EventBatch): Promise<IntakeResult> {
  if (batch.events.length === 0) return NOTHING;
  const taken = await ctx.intake.submit(batch);
  ctx.metrics.events.inc({ outcome: 'accepted' }, taken.accepted);
  if (taken.duplicates) ctx.metrics.events.inc({ outcome: 'duplicate' }, taken.duplicates);
  return taken;
}

/** Bad events are not thrown away, and like the good ones they are durable before the answer. */
async function keepFailures(ctx: Context, batch: FailedBatch): Promise<void> {
  if (batch.failures.length === 0) return;
  await ctx.inbox.submit(batch);
  ctx.metrics.events.inc({ outcome: 'rejected' }, batch.failures.length);
}

/** Tells which build sent a bad event. Never branched on: it is only shown to the studio. */
function clientBuildOf(request: FastifyRequest): string | null {
  const build = request.headers['x-client-build'];
  return typeof build === 'string' && build !== '' ? clipText(build, MAX_CLIENT_BUILD) : null;
}
