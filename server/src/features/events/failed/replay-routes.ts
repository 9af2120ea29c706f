import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../../admin/admin-context.js';
import { routesOfGame } from '../../../admin/admin-routes.js';
import { BackgroundQuery } from '../../../admin/job-schemas.js';
import { longWorkResponses, startLongWork } from '../../../admin/long-work.js';
import { ApiError } from '../../../errors.js';
import { BODY_ERRORS } from '../../../http/api-schemas.js';
import { bodyCheckedAs } from '../../../http/validation.js';
import { createFairSemaphore } from '../../../lib/fair-semaphore.js';
import { createErasureHashes } from '../../../security/erasure-hashes.js';
import { createReceiptChecks } from '../receipts/receipt-checks.js';
import { createRegistries, logUnusable } from '../types/registries.js';
import { findFailedEvent } from './failed-event-queries.js';
import { checkedEntry, EntryParameters } from './failed-event-routes.js';
import {
  ReplayBody,
  ReplayEnvelope,
  ReplayedResponse,
  ReplayGroupBody,
  ReplayLine,
} from './failed-event-schemas.js';
import { type Replayed, replayFailedEvent, replayFailedGroup } from './replay.js';

/** Each replay locks players for a tenth of a second at a time. A replay that finds no free run is refused, not queued. */
const RUNS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 0 };

/** Sends rejected events through the checks again: corrected, or after the schema was changed. */
export function replayRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Events');
  const semaphore = createFairSemaphore(RUNS);
  const { pool, apple, logger, masterKeys } = ctx;
  const registries = createRegistries(pool, logUnusable(logger));
  const receipts = createReceiptChecks({ pool, apple, isLimited: false });
  const tools = { pool, registries, receipts, hashes: createErasureHashes(pool, async () => masterKeys) };

  routes.post('/admin/v1/games/:game/failed-events/:id/replay', {
    role: 'editor',
    operationId: 'replayFailedEvent',
    summary: 'Apply an entry of the inbox, as it is or corrected',
    description:
      'The event counts for the player who sent it, as if it had been accepted when it was received. It counts once, however often it is replayed. If a corrected event is refused, the entry stays as it is.',
    params: EntryParameters,
    ...bodyCheckedAs(ReplayBody, ReplayEnvelope),
    response: { 200: ReplayedResponse },
    errors: [
      ...BODY_ERRORS,
      'failed_event_not_found',
      'failed_event_replayed',
      'event_still_refused',
      'failed_event_cut',
    ],
    handle: async ({ gameId, params, body, actorNow }) => {
      const id = checkedEntry(params.id);
      const { event } = body ?? {};
      const edited = event === undefined ? {} : { edited: JSON.stringify(event) };
      if ((await findFailedEvent(ctx.pool, id, gameId)) === undefined) {
        throw new ApiError('failed_event_not_found');
      }
      const result = await replayFailedEvent(tools, id, { actor: actorNow(), gameId, ...edited });
      return { id, wasNew: wasNew(result) };
    },
  });

  routes.post('/admin/v1/games/:game/failed-events/replay', {
    role: 'editor',
    operationId: 'replayFailedEvents',
    summary: 'Apply all open entries of a group',
    description:
      'For example after the schema was corrected. The response is a stream of lines, each a JSON text; closing the connection ends the replay. With `background` it goes on as a job. Replayed events stay replayed, and events that still fail stay in the inbox with the new reason.',
    querystring: BackgroundQuery,
    body: ReplayGroupBody,
    response: longWorkResponses(ReplayLine),
    errors: [...BODY_ERRORS, 'busy'],
    handle: async ({ gameId, admin, query, body, reply, actorNow }) => {
      const { reason, eventType } = body;
      const group = { gameId, code: reason, ...(eventType === undefined ? {} : { eventType }) };
      const actor = actorNow();
      return startLongWork(ctx, reply, {
        query,
        slot: semaphore.of(admin.tenantId),
        job: { gameId, kind: 'replay', subject: { reason, eventType: eventType ?? null }, actor },
        asJob: ({ signal, tell }) =>
          replayFailedGroup(tools, group, {
            actor,
            signal,
            onProgress: ({ replayed, failed, total }) => tell({ done: replayed + failed, total }),
          }),
        what: 'a replay of failed events',
        async asLines({ signal, write, tell }) {
          write({ result: await replayFailedGroup(tools, group, { actor, signal, onProgress: tell }) });
        },
      });
    },
  });
}

function wasNew(result: Replayed): boolean {
  switch (result.outcome) {
    case 'replayed':
      return result.wasNew;
    case 'not_open':
      throw new ApiError('failed_event_replayed');
    case 'cut':
      throw new ApiError('failed_event_cut');
    case 'failed':
      throw new ApiError('event_still_refused', { details: { reason: result.reason } });
  }
}
