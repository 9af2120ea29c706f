import type { FastifyInstance } from 'fastify';
import { toTime } from '../platform/admin-api/admin-responses.js';
import type { AdminContext } from '../studio/admin-api/admin-context.js';
import { routesOfGame } from '../studio/admin-api/admin-routes.js';
import { OfferHoldoutsResponse } from './experiment-schemas.js';
import { listOfferHoldouts } from './experiment-views.js';

/** Whether single offers work: players who are held out of one against those who get it. */
export function offerHoldoutRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Experiments');

  routes.get('/admin/v1/games/:game/offer-holdouts', {
    role: 'viewer',
    operationId: 'listOfferHoldouts',
    summary: 'Players who are held out of single offers against those who get them',
    response: { 200: OfferHoldoutsResponse },
    handle: async ({ gameId, publishedVersion }) => {
      const offers = await listOfferHoldouts(ctx.pool, gameId, ctx.clock.now());
      return { version: publishedVersion, offers: offers.map(shown) };
    },
  });
}

function shown({
  startedAt,
  endedAt,
  madeAt,
  ...offer
}: Awaited<ReturnType<typeof listOfferHoldouts>>[number]) {
  return { ...offer, startedAt: toTime(startedAt), endedAt: toTime(endedAt), madeAt: toTime(madeAt) };
}
