import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { requireConfigVersion } from '../../core/configs/config-queries.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { sendCsv } from '../../studio/admin-api/csv-file.js';
import { type PlayerSamples, SEGMENT_SAMPLE_SIZE } from './player-samples.js';
import { createSegmentCounter, MAX_WAIT_MS, requireCount } from './segment-counter.js';
import { segmentNumbersResponse, segmentNumbersToCsv } from './segment-number-response.js';
import { SegmentNumbersResponse } from './segment-number-schemas.js';
import { countSegmentNumbers } from './segment-numbers.js';

const Format = Type.Union([Type.Literal('json'), Type.Literal('csv')], { description: 'By default json' });

/** What the players of each segment do. */
export function segmentNumberRoutes(
  app: FastifyInstance,
  ctx: AdminContext,
  samples: PlayerSamples,
  /** The same as for the sizes, unless a test gives another one. */
  maxWaitMs?: number,
): void {
  const routes = routesOfGame(app, ctx, 'Numbers');
  const counter = createSegmentCounter(
    async ({ gameId, document }, nowMs) => {
      const sample = await samples.of(gameId, SEGMENT_SAMPLE_SIZE);
      const counted = await ctx.reads.run((db) => countSegmentNumbers(db, gameId, document, sample, nowMs));
      return { ...counted, countedAt: nowMs };
    },
    () => performance.now(),
  );

  routes.get('/admin/v1/games/:game/segment-numbers', {
    role: 'viewer',
    operationId: 'getSegmentNumbers',
    summary: 'Active players, payers and revenue of the players who are in each segment now',
    description: `Evaluates players as they are now: all players, or the even sample of ${SEGMENT_SAMPLE_SIZE.toLocaleString('en')} that \`listSegments\` evaluates, scaled to all. A count is kept for a minute, or for sixty times as long as it took, an hour at most. A count that takes longer than ${MAX_WAIT_MS / 1_000} seconds continues after the response \`busy\`.`,
    querystring: Type.Object({ format: Type.Optional(Format) }),
    response: {
      200: {
        description: 'The numbers',
        content: {
          'application/json': { schema: SegmentNumbersResponse },
          'text/csv': {
            schema: Type.String({
              examples: [
                'segmentId,name,players,…,revenue:USD,revenuePerActivePlayer:USD,revenuePerPayingPlayer:USD\r\nwhales,Whales,1200,…,18211.10,20.2346,31.9493\r\n',
              ],
            }),
          },
        },
      },
    },
    errors: ['busy'],
    handle: async ({ gameId, game, publishedVersion, admin: { tenantId }, query, reply }) => {
      const { document } = await requireConfigVersion(ctx.pool, gameId, publishedVersion);
      const counting = counter.count(
        { tenantId, gameId, version: publishedVersion, document },
        ctx.clock.now(),
      );
      const counted = await requireCount(counting, { what: 'The numbers of the segments', maxWaitMs });
      const numbers = segmentNumbersResponse(counted, document.segments);
      const { from, to, players, examined, isSampled, countedAt } = counted;
      if (query.format === 'csv') {
        return sendCsv(reply, `${game}-segments-${from}-${to}`, segmentNumbersToCsv(numbers));
      }
      return {
        version: publishedVersion,
        from,
        to,
        players,
        examined,
        isSampled,
        countedAt: toTime(countedAt),
        ...numbers,
      };
    },
  });
}
