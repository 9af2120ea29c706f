import type { FastifyInstance } from 'fastify';
import { readUserId } from '../../core/players/player-parameter.js';
import { PlayerParameters } from '../../liveops/players/admin-player-schemas.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { auditPlayerExport } from './audit-player-export.js';
import { PlayerExport } from './export-schemas.js';
import { createPlayerExports } from './player-exports.js';
import { respondWithExport } from './respond-with-export.js';

/** All data of a player, for the studio that answers the player's request. */
export function adminPlayerExportRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Players');
  const exports = createPlayerExports(ctx.databaseUrl);
  app.addHook('preClose', async () => exports.stop());
  app.addHook('onClose', () => exports.close());

  routes.get('/admin/v1/games/:game/players/:playerId/export', {
    role: 'editor',
    operationId: 'exportPlayer',
    summary: 'Everything that is stored about a player, as one JSON document',
    description:
      'The document that the player gets from `GET /v1/player/export`, and the same as `savepoint export player`. Streamed, of one state of the database. Each download is in the audit log.',
    // A HEAD request downloads nothing, and must not write an audit entry.
    options: { exposeHeadRoute: false, config: { isLive: true } },
    params: PlayerParameters,
    response: { 200: PlayerExport },
    errors: ['player_not_found', 'busy'],
    handle: async ({ gameId, admin, params, reply, actorNow }) => {
      const userId = readUserId(params.playerId);
      const actor = actorNow();
      await respondWithExport(exports, reply, {
        gameId,
        userId,
        nowMs: actor.nowMs,
        studio: admin.tenantId,
        tooMany: 'busy',
        begin: () => auditPlayerExport(ctx.pool, { gameId, userId }, actor),
      });
      return reply;
    },
  });
}
