import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { EVENTS_PATH, eventRoutes } from '../core/events/intake/event-routes.js';
import { EVENT_LIMITS } from '../core/events/intake/limits.js';
import { playerRoutes } from '../core/players/player-routes.js';
import { predictionRoutes } from '../core/predictions/prediction-routes.js';
import { PLAYER_HEADERS, requirePlayer } from '../core/sessions/player-guard.js';
import { sessionRoutes } from '../core/sessions/session-routes.js';
import { registerBodyParser } from '../platform/http/body-parser.js';
import { registerCors } from '../platform/http/cors.js';
import {
  registerErrorHandlers,
  respondToClientError,
  sendError,
  toApiError,
} from '../platform/http/error-handler.js';
import { allowHalfOpen } from '../platform/http/half-close.js';
import { HOST_CHECKED_LATER, registerSingleHeaders } from '../platform/http/repeated-headers.js';
import { requestId } from '../platform/http/request-id.js';
import { registerResponseDate } from '../platform/http/response-date.js';
import { trustProxy } from '../platform/http/trust-proxy.js';
import { registerValidation } from '../platform/http/validation.js';
import { refuseEarly } from '../platform/overload/early-refusal.js';
import { createEventAdmission } from '../platform/overload/event-admission.js';
import { refuseWithoutRoom } from '../platform/overload/full-disk.js';
import { fastifyLogger, quietLogs } from '../platform/telemetry/logger.js';
import { observeResponses } from '../platform/telemetry/observation.js';
import type { Context } from './context.js';
import { limitsRoutes } from './limits-routes.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who this turned out to be, for the log; set where there is no bearer token to tell. */
    identity: { tenantId: string; gameId: string; userId?: string } | undefined;
  }
}

/** A slow sender is cut within 15 s: Node looks every second, and waits this long for headers and for the whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 13_000;
const TIMEOUT_CHECK_MS = 1_000;
/** Longer than the 60 s of common load balancers, so that it is they who close idle connections. */
const KEEP_ALIVE_MS = 72_000;

/** The player API, built and not yet listening. `prepare` runs before any route is registered (the API document). */
export async function buildPlayerApp(
  ctx: Context,
  prepare?: (app: FastifyInstance) => Promise<void>,
): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: fastifyLogger(ctx.logger),
    logController: quietLogs(),
    // No child logger a request: making one costs more than a read does. Our few log lines add the request id themselves.
    childLoggerFactory: (logger) => logger,
    genReqId: requestId,
    requestIdHeader: false,
    trustProxy: trustProxy(ctx.settings.trustProxy),
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      ...HOST_CHECKED_LATER,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    clientErrorHandler: respondToClientError,
    frameworkErrors: (error, request, reply) => sendError(toApiError(error), request, reply),
    forceCloseConnections: 'idle',
    // A device id of 256 characters, each of four bytes in three characters of the address.
    routerOptions: { maxParamLength: 3_072 },
  });
  allowHalfOpen(app);
  await prepare?.(app);

  app.decorateRequest('identity', undefined);
  app.decorateRequest('claims', undefined);
  app.decorateRequest('player', undefined);
  app.decorateRequest('serverKey', undefined);
  app.decorateRequest('isShed', undefined);
  registerErrorHandlers(app, ctx.shedding);
  registerValidation(app);
  registerBodyParser(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  registerResponseDate(app, ctx.clock);
  registerSingleHeaders(app);
  ctx.tracing?.traceRequests(app);
  observeResponses(app, { logger: ctx.logger, times: ctx.metrics.requests, who });
  registerCors(app, ctx.settings.corsOrigins);

  sessionRoutes(app, ctx);
  limitsRoutes(app, ctx);
  // A guard is the scope that routes are registered in.
  await app.register(async (scope) => {
    playerRoutes(scope, ctx, requirePlayer(ctx, { headers: PLAYER_HEADERS, limit: ctx.rateLimits.player }));
    predictionRoutes(scope, ctx);
  });
  const admission = createEventAdmission(ctx, EVENT_LIMITS);
  await app.register(async (scope) => {
    // A queue has a disk of its own.
    if (ctx.settings.nats === undefined) scope.addHook('onRequest', refuseWithoutRoom(ctx));
    await scope.register(async (players) => eventRoutes(players, ctx, admission));
    for (const { eventRoutes } of ctx.parts)
      await scope.register(async (inner) => eventRoutes?.(inner, admission));
  });
  for (const { routes } of ctx.parts) await app.register(async (scope) => routes?.(scope));
  refuseEarly(app.server, {
    method: 'POST',
    path: EVENTS_PATH,
    refusalOf: admission.refusalOf,
    corsOrigins: ctx.settings.corsOrigins,
    shedding: ctx.shedding,
    times: ctx.metrics.requests,
  });
  return app;
}

function who(request: FastifyRequest) {
  const { claims, identity } = request;
  const known = claims ?? identity;
  return known === undefined ? {} : { tenant: known.tenantId, game: known.gameId, player: known.userId };
}
