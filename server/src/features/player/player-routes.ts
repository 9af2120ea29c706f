import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.js';
import {
  BEARER,
  CachedPlayerHeaders,
  ETAG_HEADER,
  errorResponses,
  NotModified,
  PLAYER_GUARD_ERRORS,
  PlayerHeaders,
} from '../../http/api-schemas.js';
import { authenticated, PLAYER_HEADERS, requirePlayer } from '../../http/guards.js';
import type { ConfigSnapshot } from '../config/config-snapshots.js';
import { segmentsOf } from '../segments/builtin-segments.js';
import type { LivePlayer } from '../session/session-queries.js';
import { PlayerSegments, PlayerStatus, StoreConfig } from './player-schemas.js';
import { playerStatus } from './player-status.js';

/** What a player is told. Each answer is a pure function of the player's row, the published configuration and now. */
export function playerRoutes(app: FastifyInstance, ctx: Context): void {
  app.addHook('onRequest', requirePlayer(ctx, PLAYER_HEADERS));
  const common = { tags: ['Player'], security: BEARER, headers: PlayerHeaders };
  const errors = errorResponses('data', PLAYER_GUARD_ERRORS);

  app.get(
    '/v1/player/status',
    {
      schema: {
        ...common,
        operationId: 'playerStatus',
        summary: 'Whether the player is a payer',
        description:
          'Worked out at this moment: once `expiredAt` has passed, `value` is `defaultValue` again.',
        response: { 200: PlayerStatus, ...errors },
      },
    },
    async (request, reply) => {
      const { player, snapshot } = await reading(ctx, request);
      const status = playerStatus(player, snapshot.config, ctx.clock.now());
      return sendJson(reply, JSON.stringify(status));
    },
  );

  app.get(
    '/v1/player/store_configs',
    {
      schema: {
        ...common,
        headers: CachedPlayerHeaders,
        operationId: 'storeConfigs',
        summary: 'The personalised store',
        description: 'The effect of a promotion is already in the prices.',
        response: { 200: { ...StoreConfig, headers: ETAG_HEADER }, 304: NotModified, ...errors },
      },
    },
    async (request, reply) => {
      const { snapshot } = await reading(ctx, request);
      return sendWithEtag(request, reply, snapshot.store.etag, snapshot.store.json);
    },
  );

  app.get(
    '/v1/player/segments',
    {
      schema: {
        ...common,
        headers: CachedPlayerHeaders,
        operationId: 'playerSegments',
        summary: 'The segments the player is in now',
        response: { 200: { ...PlayerSegments, headers: ETAG_HEADER }, 304: NotModified, ...errors },
      },
    },
    async (request, reply) => {
      const { player, snapshot } = await reading(ctx, request);
      const now = ctx.clock.now();
      const segments = JSON.stringify(segmentsOf(player, snapshot.config, now));
      // Weak: `asOf` differs from answer to answer while nothing else does.
      const etag = `W/"${createHash('sha256').update(player.userId).update(segments).digest('base64url').slice(0, 22)}"`;
      const asOf = new Date(now).toISOString();
      return sendWithEtag(
        request,
        reply,
        etag,
        `{"playerId":"${player.userId}","asOf":"${asOf}","segments":${segments}}`,
      );
    },
  );
}

async function reading(
  ctx: Context,
  request: FastifyRequest,
): Promise<{ player: LivePlayer; snapshot: ConfigSnapshot }> {
  const { player } = authenticated(request);
  const found = ctx.configs.get(player.gameId, player.configVersion);
  return { player, snapshot: found instanceof Promise ? await found : found };
}

function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json);
}

function sendWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  json: string,
): FastifyReply {
  // Private and always asked again: what a player sees can change with any event or publication.
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  return matches(request.headers['if-none-match'], etag) ? reply.code(304).send() : sendJson(reply, json);
}

/** RFC 9110: a list of tags or `*`, compared weakly. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const bare = etag.replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === bare);
}
