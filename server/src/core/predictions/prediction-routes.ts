import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  BEARER,
  CachedPlayerHeaders,
  ETAG_HEADER,
  errorResponses,
  NotModified,
  PLAYER_GUARD_ERRORS,
} from '../../platform/http/api-schemas.js';
import { sendWithEtag } from '../../platform/http/etag.js';
import type { Clock } from '../../platform/lib/clock.js';
import { playerOf } from '../players/guarded-player.js';
import type { PlayerPredictions, PredictionResponse } from './player-predictions.js';
import { PlayerPredictions as PlayerPredictionsSchema } from './prediction-schemas.js';

/** What the route of predictions needs. */
export type PredictionContext = Readonly<{ clock: Clock; predictions: PlayerPredictions }>;

/** To be registered in the scope of the player routes, whose guard puts the player on the request. */
export function predictionRoutes(app: FastifyInstance, ctx: PredictionContext): void {
  app.get(
    '/v1/player/predictions',
    {
      schema: {
        tags: ['Player'],
        security: BEARER,
        headers: CachedPlayerHeaders,
        operationId: 'playerPredictions',
        summary: 'What the player will probably do',
        description:
          'Computed from the activity of the player and the models in force. Predictions change with an event of the player, with a new model, and at midnight (UTC): after `expiredAt` use `defaultValue`, or send the request again.',
        response: {
          200: { ...PlayerPredictionsSchema, headers: ETAG_HEADER },
          304: NotModified,
          ...errorResponses('data', PLAYER_GUARD_ERRORS),
        },
      },
    },
    predictionsRead(ctx),
  );
}

/** The handler of a player's predictions, for a scope whose guard puts the player on the request. */
export function predictionsRead({ clock, predictions }: PredictionContext) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined => {
    const player = playerOf(request);
    const send = ({ predictionsJson, modelsJson, etag, validUntil }: PredictionResponse) => {
      const now = clock.now();
      const asOf = new Date(now).toISOString();
      const json = `{"playerId":"${player.userId}","asOf":"${asOf}","predictions":${predictionsJson},"models":${modelsJson}}`;
      return sendWithEtag(request, reply, etag, json, validUntil - now);
    };
    const response = predictions.responseFor(player);
    if (response instanceof Promise) return response.then(send);
    send(response);
    return undefined;
  };
}
