import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { audienceRoutes } from './audience-routes.js';
import { createPlayerSamples } from './player-samples.js';
import { scoreRoutes } from './score-routes.js';
import { segmentNumberRoutes } from './segment-number-routes.js';

/** What is counted for a sample of players. They share it: drawing one reads the ids of all players of a game. */
export function sampledRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const samples = createPlayerSamples(ctx.reads, ctx.clock);
  segmentNumberRoutes(app, ctx, samples);
  audienceRoutes(app, ctx, samples);
  scoreRoutes(app, ctx, samples);
}
