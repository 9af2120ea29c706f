import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../app/context.js';
import {
  BEARER,
  CachedPlayerHeaders,
  ETAG_HEADER,
  errorResponses,
  NotModified,
  PLAYER_GUARD_ERRORS,
  PlayerHeaders,
} from '../../http/api-schemas.js';
import { limitInFlight } from '../../http/shedding.js';
import type { PredictionAnswer } from '../predictions/player-predictions.js';
import { PlayerPredictions } from '../predictions/prediction-schemas.js';
import { authenticated, PLAYER_HEADERS, requirePlayer } from '../sessions/player-guard.js';
import { type Answers, storeEtag, storeText } from './answers.js';
import { PlayerSegments, PlayerStatus, StoreConfig } from './player-schemas.js';

/** What a player is told. Each answer is a pure function of the player's row, the published configuration and now. */
export function playerRoutes(app: FastifyInstance, ctx: Context): void {
  // A refusal takes a worker nearly as long as an answer: only what would wait very long is better refused.
  const maxWaitMs = 2 * ctx.config.maxWaitMs;
  app.addHook('onRequest', limitInFlight({ shedding: ctx.shedding, form: 'data', maxWaitMs }));
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
    telling(ctx, (_request, reply, answers) => sendJson(reply, answers.statusJson)),
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
    telling(ctx, (request, reply, answers) => {
      const validForMs = answers.validUntil - ctx.clock.now();
      return sendWithEtag(request, reply, storeEtag(answers), storeText(answers), validForMs);
    }),
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
    telling(ctx, (request, reply, { segmentsJson, segmentsEtag, validUntil }) => {
      const now = ctx.clock.now();
      const asOf = new Date(now).toISOString();
      const { userId } = authenticated(request).player;
      const json = `{"playerId":"${userId}","asOf":"${asOf}","segments":${segmentsJson}}`;
      return sendWithEtag(request, reply, segmentsEtag, json, validUntil - now);
    }),
  );

  app.get(
    '/v1/player/predictions',
    {
      schema: {
        ...common,
        headers: CachedPlayerHeaders,
        operationId: 'playerPredictions',
        summary: 'What the player will probably do',
        description:
          'Worked out from what the player has done and the models in force. It changes with an event of the player, a new model, and at midnight (UTC): after `expiredAt` use `defaultValue`, or ask again.',
        response: { 200: { ...PlayerPredictions, headers: ETAG_HEADER }, 304: NotModified, ...errors },
      },
    },
    (request, reply): Promise<FastifyReply> | undefined => {
      const { player } = authenticated(request);
      const send = ({ predictionsJson, modelsJson, etag, validUntil }: PredictionAnswer) => {
        const now = ctx.clock.now();
        const asOf = new Date(now).toISOString();
        const json = `{"playerId":"${player.userId}","asOf":"${asOf}","predictions":${predictionsJson},"models":${modelsJson}}`;
        return sendWithEtag(request, reply, etag, json, validUntil - now);
      };
      const answer = ctx.predictions.answerFor(player);
      if (answer instanceof Promise) return answer.then(send);
      send(answer);
      return undefined;
    },
  );
}

/** Answers at once where the answers are at hand: no promise for nine reads out of ten. */
function telling(
  ctx: Context,
  send: (request: FastifyRequest, reply: FastifyReply, answers: Answers) => FastifyReply,
) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined => {
    const answers = ctx.decisions.answersFor(authenticated(request).player);
    if (answers instanceof Promise) return answers.then((worked) => send(request, reply, worked));
    send(request, reply, answers);
    return undefined;
  };
}

function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json);
}

/** A client that is offline may go on with what it has for this long, but then it would be wrong of itself. */
const MAX_STALE_SECONDS = 86_400;

function sendWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  json: string,
  validForMs: number,
): FastifyReply {
  const staleSeconds = Math.max(0, Math.min(MAX_STALE_SECONDS, Math.floor(validForMs / 1000)));
  // Private and always asked again: what a player sees can change with any event or publication. Only while we cannot be
  // reached may it be shown unasked, until the moment at which time alone changes it.
  reply.header('etag', etag).header('cache-control', `private, no-cache, stale-if-error=${staleSeconds}`);
  return matches(request.headers['if-none-match'], etag) ? reply.code(304).send() : sendJson(reply, json);
}

/** RFC 9110: a list of tags or `*`, compared weakly. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const bare = etag.replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === bare);
}
