import type { FastifyInstance } from 'fastify';
import { requireConfigVersion } from '../../core/configs/config-queries.js';
import { documentWork } from '../../core/configs/document-work.js';
import { compilationSteps } from '../../decide/compile/compile-document.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { DAY_MS, utcDay } from '../../platform/lib/day.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { SEGMENT_SAMPLE_SIZE } from './player-samples.js';
import { createSegmentCounter, MAX_WAIT_MS, requireCount } from './segment-counter.js';
import { SegmentsResponse } from './segment-schemas.js';
import { listSegmentSizeDays } from './segment-size-queries.js';
import { countSegments } from './segment-sizes.js';
import { segmentUse } from './segments.js';

const TREND_DAYS = 30;

/** The published segments, with their sizes and uses. */
export function segmentRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Segments');
  const counter = createSegmentCounter(
    (counted, nowMs) => countSegments(ctx, counted, nowMs),
    () => performance.now(),
  );

  routes.get('/admin/v1/games/:game/segments', {
    role: 'viewer',
    operationId: 'listSegments',
    summary: 'The published segments, with their sizes and uses',
    description: `Sizes are counted by evaluating players as they are now: all players, or an even sample of ${SEGMENT_SAMPLE_SIZE.toLocaleString('en')} scaled to all. A count is kept for a minute, or for sixty times as long as it took, an hour at most. A count that takes longer than ${MAX_WAIT_MS / 1_000} seconds continues after the response \`busy\`. The last count of each day is stored for the trend.`,
    response: { 200: SegmentsResponse },
    errors: ['busy'],
    handle: async ({ gameId, publishedVersion, admin: { tenantId } }) => {
      const row = await requireConfigVersion(ctx.pool, gameId, publishedVersion);
      const counting = counter.count(
        { tenantId, gameId, version: publishedVersion, document: row.document },
        ctx.clock.now(),
      );
      const counted = await requireCount(counting, { what: 'The sizes of the segments' });
      const { sizes, players, examined, isSampled, countedAt } = counted;
      const sinceDay = utcDay(ctx.clock.now() - TREND_DAYS * DAY_MS);
      const days = await listSegmentSizeDays(ctx.pool, gameId, sinceDay);
      const compiled = await documentWork.run(gameId, compilationSteps(row.document, row));
      const versions = new Map(compiled.segments.map(({ listed }) => [listed.segmentId, listed.version]));
      return {
        version: publishedVersion,
        segments: row.document.segments.map((segment) => {
          const size = sizes?.get(segment.segmentId);
          const share = size === undefined || players === 0 ? 0 : size.players / players;
          return {
            ...segment,
            segmentVersion: versions.get(segment.segmentId) ?? 1,
            size: size === undefined ? null : { ...size, share: Math.round(share * 10_000) / 10_000 },
            usedBy: segmentUse(compiled, segment.segmentId),
          };
        }),
        players,
        examined,
        isSampled,
        countedAt: toTime(countedAt),
        days,
      };
    },
  });
}
