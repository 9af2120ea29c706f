import type { FastifyInstance } from 'fastify';
import type { ConfigDocument } from '../../decide/document/document.js';
import { nearMissSentence } from '../../decide/rules/near-miss.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { ApiError, busy } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { hangUpOf } from '../../platform/http/hang-up.js';
import { bodyCheckedAs } from '../../platform/http/validation.js';
import { createFairSemaphore } from '../../platform/lib/fair-semaphore.js';
import { withTimeout } from '../../platform/lib/with-timeout.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { findCandidate } from '../evaluations/candidate.js';
import { askedPart } from './asked-part.js';
import { audienceInstant, countAudience } from './audience.js';
import type { CountedAudience } from './audience-count.js';
import { AudienceBody, AudienceEnvelope, AudienceResponse } from './audience-schemas.js';
import { FAST_SAMPLE_SIZE, type PlayerSamples } from './player-samples.js';
import { MAX_WAIT_MS } from './segment-counter.js';

/** A client that types on aborts its former request, so requests that wait are of other members of the studio. */
const COUNTS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 4 };
const RETRY_AFTER_SECONDS = 1;

/** The players that an offer, a segment or a rule of a value would reach. Fast enough to call while a rule is typed. */
export function audienceRoutes(
  app: FastifyInstance,
  ctx: AdminContext,
  samples: PlayerSamples,
  maxWaitMs = MAX_WAIT_MS,
): void {
  const routes = routesOfGame(app, ctx, 'Segments');
  const semaphore = createFairSemaphore(COUNTS);

  routes.post('/admin/v1/games/:game/audience', {
    role: 'viewer',
    operationId: 'countAudience',
    summary: 'How many players an offer, a segment or a rule of a value would reach',
    description: `Evaluates up to ${FAST_SAMPLE_SIZE.toLocaleString('en')} players as they are now, under a document that need not be saved. An offer that begins later is evaluated for its beginning, and a closed schedule for the opening of its next window. Changes nothing. If the client disconnects, the count stops. For exact numbers, and for the players who enter and leave, use the dry run.`,
    ...bodyCheckedAs(AudienceBody, AudienceEnvelope),
    response: { 200: AudienceResponse },
    errors: [...BODY_ERRORS, 'document_invalid', 'busy'],
    handle: async ({ gameId, admin, body, reply }) => {
      const hangUp = hangUpOf(reply);
      // A count that takes too long ends, too: the client types on or tries again.
      const signal = AbortSignal.any([hangUp, AbortSignal.timeout(maxWaitMs)]);
      const { document: given, ...asked } = body;
      const document = await documentOf(ctx, gameId, given);
      const { part, rule, when } = askedPart(document, asked);
      const nowMs = ctx.clock.now();
      const atMs = audienceInstant(document, when, nowMs);
      const running = semaphore.of(admin.tenantId, signal).take(async () => {
        const sample = await samples.of(gameId, FAST_SAMPLE_SIZE);
        const question = { gameId, document, part, rule, nowMs, atMs, signal };
        return ctx.reads.run((db) => countAudience(db, sample, question));
      });
      if (running === undefined) throw busy(RETRY_AFTER_SECONDS);
      const outcome = await withTimeout(running, maxWaitMs).catch((error) => {
        if (hangUp.aborted) throw new ApiError('request_timeout', { cause: error });
        throw signal.aborted ? stillCounting() : error;
      });
      switch (outcome?.outcome) {
        case 'counted':
          return { ...toJson(outcome.counted, { nowMs, atMs }), notes: outcome.notes };
        case 'too_many_facts':
          throw new ApiError('document_invalid', {
            message:
              'The rules of this part use more different facts about a player than can be read at once. Use fewer attributes.',
            details: { problems: [] },
          });
        default:
          // For a client that has disconnected: only for the log.
          throw hangUp.aborted ? new ApiError('request_timeout') : stillCounting();
      }
    },
  });
}

function stillCounting(): ApiError {
  return busy(RETRY_AFTER_SECONDS, 'The players are still being counted. Try again in a few seconds.');
}

async function documentOf(ctx: AdminContext, gameId: number, given: unknown): Promise<ConfigDocument> {
  const found = await findCandidate(ctx.pool, gameId, { document: given });
  if (found.outcome === 'found') return found.document;
  throw new ApiError('document_invalid', {
    details: { problems: found.outcome === 'invalid' ? found.problems : [] },
  });
}

function toJson({ examples, ...counted }: CountedAudience, { nowMs, atMs }: { nowMs: number; atMs: number }) {
  const { inside, outside } = examples;
  return {
    ...counted,
    countedAt: toTime(nowMs),
    at: toTime(atMs),
    examples: {
      inside,
      outside: outside.map((each) => ({ ...each, sentence: nearMissSentence(each.nearMiss) })),
    },
  };
}
