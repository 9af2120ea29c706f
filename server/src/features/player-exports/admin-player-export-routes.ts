import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { actorOf, adminOf, gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema } from '../../admin/admin-responses.js';
import { withSchemaTypes } from '../../http/validation.js';
import { PlayerParameters } from '../players/admin-player-schemas.js';
import { userIdOf } from '../players/player-parameter.js';
import { auditPlayerExport } from './audit-player-export.js';
import { PlayerExport } from './export-schemas.js';
import { createPlayerExports } from './player-exports.js';
import { respondWithExport } from './respond-with-export.js';

/** All data of a player, for the studio that answers the player's request. */
export function adminPlayerExportRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const exports = createPlayerExports(ctx.databaseUrl);
  app.addHook('preClose', async () => exports.stop());
  app.addHook('onClose', () => exports.close());

  withSchemaTypes(app).get(
    '/admin/v1/games/:game/players/:playerId/export',
    {
      onRequest: requireRole(ctx, 'editor'),
      // A HEAD request downloads nothing, and must not write an audit entry.
      exposeHeadRoute: false,
      config: { isLive: true },
      schema: {
        ...adminSchema('Players'),
        operationId: 'exportPlayer',
        summary: 'Everything that is stored about a player, as one JSON document',
        description:
          'The document that the player gets from `GET /v1/player/export`, and the same as `savepoint export player`. Streamed, of one state of the database. Each download is in the audit log.',
        params: PlayerParameters,
        response: { 200: PlayerExport, ...gameErrors(['player_not_found', 'busy']) },
      },
    },
    async (request, reply) => {
      const { gameId } = await gameOf(ctx, request);
      const userId = userIdOf(request);
      const actor = actorOf(ctx, request);
      await respondWithExport(exports, reply, {
        gameId,
        userId,
        nowMs: actor.nowMs,
        studio: adminOf(request).tenantId,
        tooMany: 'busy',
        begin: () => auditPlayerExport(ctx.pool, { gameId, userId }, actor),
      });
      return reply;
    },
  );
}
