import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import {
  BEARER,
  CachedPlayerHeaders,
  ETAG_HEADER,
  errorResponses,
  NotModified,
  PLAYER_GUARD_ERRORS,
  PlayerHeaders,
} from '../../platform/http/api-schemas.js';
import { sendJson, sendWithEtag } from '../../platform/http/etag.js';
import { limitInFlight } from '../../platform/overload/shedding.js';
import { playerOf } from './guarded-player.js';
import type { PlayerContext } from './player-context.js';
import { type PlayerResponses, storeEtag, storeText, type ValuesText } from './player-responses.js';
import { PlayerSegments, PlayerStatus, PlayerValues, StoreConfig } from './player-schemas.js';

/**
 * What a player is told. Each response is a pure function of the player's row, the published configuration and now. The guard
 * puts the player on the request.
 */
export function playerRoutes(app: FastifyInstance, ctx: PlayerContext, guard: onRequestHookHandler): void {
  // A refusal takes a worker nearly as long as a response, so only requests that would wait very long are refused.
  const maxWaitMs = 2 * ctx.settings.maxWaitMs;
  app.addHook('onRequest', limitInFlight({ shedding: ctx.shedding, form: 'data', maxWaitMs }));
  app.addHook('onRequest', guard);
  const common = { tags: ['Player'], security: BEARER, headers: PlayerHeaders };
  const errors = errorResponses('data', PLAYER_GUARD_ERRORS);
  const reads = playerReads(ctx);

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
    reads.status,
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
    reads.store,
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
    reads.segments,
  );

  app.get(
    '/v1/player/values',
    {
      schema: {
        ...common,
        headers: CachedPlayerHeaders,
        operationId: 'playerValues',
        summary: "The game's typed values for the player",
        description: 'Each of them has the type that the studio has defined for its key.',
        response: { 200: { ...PlayerValues, headers: ETAG_HEADER }, 304: NotModified, ...errors },
      },
    },
    reads.values,
  );
}

/** The handlers of what is told about a player, for a scope whose guard puts the player on the request. */
export function playerReads(ctx: Pick<PlayerContext, 'decisions' | 'clock'>) {
  return {
    status: respondWith(ctx, (_request, reply, responses) => sendJson(reply, responses.statusJson)),
    store: respondWith(ctx, (request, reply, responses) => {
      const validForMs = responses.validUntil - ctx.clock.now();
      return sendWithEtag(request, reply, storeEtag(responses), storeText(responses), validForMs);
    }),
    segments: respondWith(ctx, (request, reply, { segmentsJson, segmentsEtag, validUntil }) => {
      const now = ctx.clock.now();
      const asOf = new Date(now).toISOString();
      const { userId } = playerOf(request);
      const json = `{"playerId":"${userId}","asOf":"${asOf}","segments":${segmentsJson}}`;
      return sendWithEtag(request, reply, segmentsEtag, json, validUntil - now);
    }),
    values: respondWith(ctx, (request, reply, responses) =>
      sendValues(ctx, request, reply, responses.values.forClients, responses),
    ),
    serverValues: respondWith(ctx, (request, reply, responses) =>
      sendValues(ctx, request, reply, responses.values.forServers, responses),
    ),
  };
}

/** Of a game that defines no values. */
const NO_VALUES: ValuesText = { json: '{}', etag: 'W/"none"' };

function sendValues(
  { clock }: Pick<PlayerContext, 'clock'>,
  request: FastifyRequest,
  reply: FastifyReply,
  values: ValuesText | null,
  { experiments, validUntil }: Pick<PlayerResponses, 'experiments' | 'validUntil'>,
): FastifyReply {
  const { json, etag } = values ?? NO_VALUES;
  const now = clock.now();
  const head = `{"playerId":"${playerOf(request).userId}","asOf":"${new Date(now).toISOString()}"`;
  const body = `${head},"values":${json},"experiments":${experiments.json}}`;
  return sendWithEtag(request, reply, `${etag.slice(0, -1)}${experiments.tag}"`, body, validUntil - now);
}

/** Responds synchronously where the responses are cached: no promise for nine reads out of ten. */
function respondWith(
  ctx: Pick<PlayerContext, 'decisions'>,
  send: (request: FastifyRequest, reply: FastifyReply, responses: PlayerResponses) => FastifyReply,
) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined => {
    const responses = ctx.decisions.responsesFor(playerOf(request));
    if (responses instanceof Promise) return responses.then((worked) => send(request, reply, worked));
    send(request, reply, responses);
    return undefined;
  };
}
