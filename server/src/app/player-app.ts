import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { erasurePageRoutes } from '../features/erasures/erasure-page-routes.js';
import { playerErasureRoutes } from '../features/erasures/player-erasure-routes.js';
import { EVENTS_PATH, eventRoutes } from '../features/events/intake/event-routes.js';
import { EVENT_LIMITS } from '../features/events/intake/limits.js';
import { playerExportRoutes } from '../features/player-exports/player-export-routes.js';
import { playerRoutes } from '../features/players/player-routes.js';
import { predictionRoutes } from '../features/predictions/prediction-routes.js';
import { serverChangeRoutes } from '../features/servers/server-change-routes.js';
import { serverEventRoutes } from '../features/servers/server-event-routes.js';
import { serverPlayerRoutes } from '../features/servers/server-player-routes.js';
import { PLAYER_HEADERS, requirePlayer } from '../features/sessions/player-guard.js';
import { sessionRoutes } from '../features/sessions/session-routes.js';
import { notificationRoutes } from '../features/stores/notification-routes.js';
import { registerBodyParser } from '../http/body-parser.js';
import { registerCors } from '../http/cors.js';
import { registerErrorHandlers, respondToClientError, sendError, toApiError } from '../http/error-handler.js';
import { allowHalfOpen } from '../http/half-close.js';
import { HOST_CHECKED_LATER, registerSingleHeaders } from '../http/repeated-headers.js';
import { requestId } from '../http/request-id.js';
import { registerResponseDate } from '../http/response-date.js';
import { trustProxy } from '../http/trust-proxy.js';
import { registerValidation } from '../http/validation.js';
import { refuseEarly } from '../overload/early-refusal.js';
import { createEventAdmission } from '../overload/event-admission.js';
import { refuseWithoutRoom } from '../overload/full-disk.js';
import { fastifyLogger, quietLogs } from '../telemetry/logger.js';
import { observeResponses } from '../telemetry/observation.js';
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
  await app.register(async (scope) => playerExportRoutes(scope, ctx));
  await app.register(async (scope) => playerErasureRoutes(scope, ctx));
  await app.register(async (scope) => erasurePageRoutes(scope, ctx));
  const admission = createEventAdmission(ctx, EVENT_LIMITS);
  await app.register(async (scope) => {
    // A queue has a disk of its own.
    if (ctx.settings.nats === undefined) scope.addHook('onRequest', refuseWithoutRoom(ctx));
    await scope.register(async (players) => eventRoutes(players, ctx, admission));
    await scope.register(async (servers) => serverEventRoutes(servers, ctx, admission));
  });
  await app.register(async (scope) => serverPlayerRoutes(scope, ctx));
  await app.register(async (scope) => serverChangeRoutes(scope, ctx));
  await app.register(async (scope) => notificationRoutes(scope, ctx));
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
