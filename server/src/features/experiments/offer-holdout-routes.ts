import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success, toTime } from '../../admin/admin-responses.js';
import { withSchemaTypes } from '../../http/validation.js';
import { OfferHoldoutsResponse } from './experiment-schemas.js';
import { listOfferHoldouts } from './experiment-views.js';

/** Whether single offers work: players who are held out of one against those who get it. */
export function offerHoldoutRoutes(app: FastifyInstance, ctx: AdminContext): void {
  withSchemaTypes(app).get(
    '/admin/v1/games/:game/offer-holdouts',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Experiments'),
        operationId: 'listOfferHoldouts',
        summary: 'Players who are held out of single offers against those who get them',
        params: GameParameters,
        response: { 200: OfferHoldoutsResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId, publishedVersion } = await gameOf(ctx, request);
      const offers = await listOfferHoldouts(ctx.pool, gameId, ctx.clock.now());
      return success({ version: publishedVersion, offers: offers.map(shown) });
    },
  );
}

function shown({
  startedAt,
  endedAt,
  madeAt,
  ...offer
}: Awaited<ReturnType<typeof listOfferHoldouts>>[number]) {
  return { ...offer, startedAt: toTime(startedAt), endedAt: toTime(endedAt), madeAt: toTime(madeAt) };
}
