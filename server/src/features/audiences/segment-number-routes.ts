import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../../errors.js';
import { adminSchema, GameParameters, success, toTime } from '../../http/admin-responses.js';
import { withSchemaTypes } from '../../http/validation.js';
import { createFairSemaphore } from '../../lib/fair-semaphore.js';
import { createKeptResults } from '../../lib/kept-results.js';
import { sendCsv } from '../analytics/csv-file.js';
import { requireConfigVersion } from '../game-configs/config-queries.js';
import type { AdminContext } from '../studios/admin-context.js';
import { gameErrors } from '../studios/admin-errors.js';
import { adminOf, gameOf, requireRole } from '../studios/admin-guard.js';
import { createPlayerSamples } from './player-samples.js';
import { segmentNumbersResponse, segmentNumbersToCsv } from './segment-number-response.js';
import { SegmentNumbersResponse } from './segment-number-schemas.js';
import { countSegmentNumbers, type SegmentNumbers } from './segment-numbers.js';

const COUNTS = { maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaitingPerKey: 4 };
const RETRY_AFTER_SECONDS = 5;
/** A count decides for 10,000 players. Whoever looks again and again sees the same numbers for a minute. */
const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;

type Counted = SegmentNumbers & { countedAt: number };

const Format = Type.Union([Type.Literal('json'), Type.Literal('csv')], { description: 'By default json' });

/** What the players of each segment do. */
export function segmentNumberRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const semaphore = createFairSemaphore(COUNTS);
  const samples = createPlayerSamples(ctx.pool);
  const kept = createKeptResults<string, Counted>({ keptMs: KEPT_MS, maxKept: MAX_KEPT });

  withSchemaTypes(app).get(
    '/admin/v1/games/:game/segment-numbers',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Numbers'),
        operationId: 'getSegmentNumbers',
        summary: 'Active players, payers and revenue of the players who are in each segment now',
        description:
          'Decides for players as they are now: for all of them, or for an even sample of 10,000 and scaled. Counts are kept for a minute.',
        params: GameParameters,
        querystring: Type.Object({ format: Type.Optional(Format) }),
        response: {
          200: {
            description: 'The numbers',
            content: {
              'application/json': { schema: SegmentNumbersResponse },
              'text/csv': {
                schema: Type.String({
                  examples: ['segmentId,name,players,…,revenue:USD\r\nwhales,Whales,1200,…,18211.10\r\n'],
                }),
              },
            },
          },
          ...gameErrors(['parameter_invalid', 'busy']),
        },
      },
    },
    async (request, reply) => {
      const { gameId, game, publishedVersion } = await gameOf(ctx, request);
      const { document } = await requireConfigVersion(ctx.pool, gameId, publishedVersion);
      const nowMs = ctx.clock.now();
      const { tenantId } = adminOf(request);
      const counted = await kept.get(`${gameId} ${publishedVersion}`, nowMs, async () => {
        const running = semaphore.of(tenantId).take(async () => {
          const sample = await samples.of(gameId, nowMs);
          const numbers = await countSegmentNumbers(ctx.pool, gameId, document, sample, nowMs);
          return { ...numbers, countedAt: nowMs };
        });
        if (running !== undefined) return running;
        throw new ApiError('busy', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
      });
      const numbers = segmentNumbersResponse(counted, document.segments);
      const { from, to, players, examined, countedAt } = counted;
      if (request.query.format === 'csv') {
        return sendCsv(reply, `${game}-segments-${from}-${to}.csv`, segmentNumbersToCsv(numbers));
      }
      return success({
        ...{ version: publishedVersion, from, to, players, examined },
        isSampled: examined < players,
        countedAt: toTime(countedAt),
        ...numbers,
      });
    },
  );
}
