import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { EVENT_LIMITS } from '../core/events/intake/limits.js';
import { LOGIN_WINDOW_SECONDS } from '../core/sessions/login-window.js';
import { supportedEncodings } from '../platform/http/body-parser.js';
import type { Context } from './context.js';

const Rate = Type.Object({ requests: Type.Integer(), windowSeconds: Type.Integer() }, { title: 'Rate' });
const EventRate = Type.Object(
  { events: Type.Integer(), windowSeconds: Type.Integer() },
  { description: 'Events of one player, duplicates included' },
);
const ByteRate = Type.Object(
  { bytes: Type.Integer(), windowSeconds: Type.Integer() },
  { description: 'Bytes of the bodies of one player, decompressed' },
);

const LimitsResponse = Type.Object(
  {
    events: Type.Object({
      maxEvents: Type.Integer({ description: 'Events in one request' }),
      maxBodyBytes: Type.Integer({ description: 'Bytes of a body, decompressed' }),
      maxEventBytes: Type.Integer({ description: 'Bytes of one event' }),
      maxDepth: Type.Integer({ description: 'Levels of nesting in an event' }),
      maxEventTypeLength: Type.Integer({ description: 'Characters of an eventType' }),
      maxEventIdLength: Type.Integer({ description: 'Characters of an eventId' }),
      maxInstallIdLength: Type.Integer({ description: 'Characters of an X-Install-Id' }),
      maxSequenceGaps: Type.Integer({ description: 'Gaps in the numbers of an installation at a time' }),
      maxInstalls: Type.Integer({ description: 'Installations of one player that number their events' }),
      encodings: Type.Array(Type.String(), {
        description: 'What `Content-Encoding` may be; `zstd` too where the runtime of the service has it',
      }),
    }),
    login: Type.Object({
      timestampToleranceSeconds: Type.Integer({ description: 'How far a login timestamp may be off' }),
    }),
    rates: Type.Object(
      {
        enabled: Type.Boolean(),
        loginsPerDevice: Rate,
        failuresPerAddress: Rate,
        requestsPerPlayer: Rate,
        eventsPerPlayer: EventRate,
        eventBytesPerPlayer: ByteRate,
      },
      { description: 'Counted by each worker process for itself' },
    ),
  },
  {
    title: 'Limits',
    description: 'The limits in force.',
    examples: [
      {
        events: { ...EVENT_LIMITS, encodings: ['gzip', 'br', 'deflate'] },
        login: { timestampToleranceSeconds: LOGIN_WINDOW_SECONDS },
        rates: {
          enabled: true,
          loginsPerDevice: { requests: 300, windowSeconds: 60 },
          failuresPerAddress: { requests: 300, windowSeconds: 60 },
          requestsPerPlayer: { requests: 1200, windowSeconds: 60 },
          eventsPerPlayer: { events: 12000, windowSeconds: 60 },
          eventBytesPerPlayer: { bytes: 16777216, windowSeconds: 60 },
        },
      },
    ],
  },
);

export function limitsRoutes(app: FastifyInstance, ctx: Context): void {
  const { enabled, loginsPerDevice, failuresPerAddress, requestsPerPlayer, ...ofEvents } =
    ctx.settings.rateLimits;
  const perMinute = (requests: number) => ({ requests, windowSeconds: 60 });
  const limits = {
    events: { ...EVENT_LIMITS, encodings: supportedEncodings() },
    login: { timestampToleranceSeconds: LOGIN_WINDOW_SECONDS },
    rates: {
      enabled,
      loginsPerDevice: perMinute(loginsPerDevice),
      failuresPerAddress: perMinute(failuresPerAddress),
      requestsPerPlayer: perMinute(requestsPerPlayer),
      eventsPerPlayer: { events: ofEvents.eventsPerPlayer, windowSeconds: 60 },
      eventBytesPerPlayer: { bytes: ofEvents.eventBytesPerPlayer, windowSeconds: 60 },
    },
  };
  app.get(
    '/v1/limits',
    {
      schema: {
        operationId: 'limits',
        tags: ['Limits'],
        summary: 'The limits in force',
        description: 'Needs no token. A client that asks at its start never has to guess a batch size.',
        security: [],
        response: { 200: LimitsResponse },
      },
    },
    async () => limits,
  );
}
