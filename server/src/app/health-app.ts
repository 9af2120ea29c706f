import { type FastifyInstance, fastify } from 'fastify';
import type { Logger } from 'pino';
import {
  registerErrorHandlers,
  respondToClientError,
  sendError,
  toApiError,
} from '../platform/http/error-handler.js';
import { registerHostCheck } from '../platform/http/host-check.js';
import { HOST_CHECKED_LATER, registerSingleHeaders } from '../platform/http/repeated-headers.js';
import { requestId } from '../platform/http/request-id.js';
import { trustProxy } from '../platform/http/trust-proxy.js';
import type { Settings } from '../platform/settings/settings.js';
import { fastifyLogger, quietLogs } from '../platform/telemetry/logger.js';

export type Readiness = { ready: boolean; checks: Record<string, string> };

export type HealthSources = {
  logger: Logger;
  readiness: () => Promise<Readiness>;
  metrics: () => Promise<{ contentType: string; text: string }>;
  /** Host names that this listener serves, besides localhost and any address. */
  allowedHosts: readonly string[];
  /** Which proxies may name the client's address, and say whether the request came over https. */
  trustProxy: Settings['opsTrustProxy'];
};

/** For browsers. The reference page sets a policy of its own; nothing else here is a page. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** What every process of the service tells operators: is it alive, can it work, what does it count. */
export function buildHealthApp(sources: HealthSources): FastifyInstance {
  const app = fastify({
    loggerInstance: fastifyLogger(sources.logger),
    logController: quietLogs(),
    trustProxy: trustProxy(sources.trustProxy),
    genReqId: requestId,
    requestIdHeader: false,
    requestTimeout: 15_000,
    http: HOST_CHECKED_LATER,
    clientErrorHandler: respondToClientError,
    frameworkErrors: (error, request, reply) => sendError(toApiError(error), request, reply),
    forceCloseConnections: true,
  });
  registerErrorHandlers(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS);
  });
  registerSingleHeaders(app);
  registerHostCheck(app, sources.allowedHosts);

  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const { ready, checks } = await sources.readiness();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks });
  });
  app.get('/metrics', async (_request, reply) => {
    const { contentType, text } = await sources.metrics();
    return reply.header('content-type', contentType).send(text);
  });
  return app;
}
