import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../../context.js';
import { supportedEncodings } from '../../http/body-parser.js';
import { EVENT_LIMITS } from '../events/limits.js';

const Rate = Type.Object({ requests: Type.Integer(), windowSeconds: Type.Integer() });

const LimitsResponse = Type.Object({
  events: Type.Object({
    maxEvents: Type.Integer({ description: 'Events in one request' }),
    maxBodyBytes: Type.Integer({ description: 'Bytes of a body, decompressed' }),
    maxEventBytes: Type.Integer(),
    maxDepth: Type.Integer({ description: 'Levels of nesting in an event' }),
    maxEventTypeLength: Type.Integer(),
    maxEventIdLength: Type.Integer(),
    encodings: Type.Array(Type.String()),
  }),
  login: Type.Object({ timestampToleranceSeconds: Type.Integer() }),
  rates: Type.Object(
    {
      enabled: Type.Boolean(),
      loginsPerDevice: Rate,
      failuresPerAddress: Rate,
      requestsPerPlayer: Rate,
    },
    { description: 'Counted by each worker process for itself' },
  ),
});

export function limitsRoutes(app: FastifyInstance, ctx: Context): void {
  const { enabled, loginsPerDevice, failuresPerAddress, requestsPerPlayer } = ctx.config.rateLimits;
  const perMinute = (requests: number) => ({ requests, windowSeconds: 60 });
  const limits = {
    events: { ...EVENT_LIMITS, encodings: supportedEncodings() },
    login: { timestampToleranceSeconds: 300 },
    rates: {
      enabled,
      loginsPerDevice: perMinute(loginsPerDevice),
      failuresPerAddress: perMinute(failuresPerAddress),
      requestsPerPlayer: perMinute(requestsPerPlayer),
    },
  };
  app.get(
    '/v1/limits',
    {
      schema: {
        operationId: 'limits',
        tags: ['Limits'],
        summary: 'The limits in force',
        security: [],
        response: { 200: LimitsResponse },
      },
    },
    async () => limits,
  );
}
