import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';
import type { Logger } from 'pino';
import type { AdminContext } from '../features/admin/admin-context.js';
import { registerAdminApi } from './admin-app.js';
import { answerClientError, registerErrorHandlers, sendError, toApiError } from './error-handler.js';
import { quietLogs } from './logger.js';
import { requestId } from './request-id.js';

export type Readiness = { ready: boolean; checks: Record<string, string> };

export type HealthSources = {
  logger: Logger;
  readiness: () => Promise<Readiness>;
  metrics: () => Promise<{ contentType: string; text: string }>;
};

export type OpsSources = HealthSources & {
  admin: AdminContext;
  /** The OpenAPI document of an API, for the reference page. */
  apiDocument: (api: 'player' | 'admin') => Promise<Record<string, unknown>>;
};

/** What every process of the service answers to operators: is it alive, can it work, what does it count. */
export function buildHealthApp(sources: HealthSources): FastifyInstance {
  const app = fastify({
    loggerInstance: sources.logger as FastifyBaseLogger,
    logController: quietLogs(),
    genReqId: requestId,
    requestIdHeader: false,
    requestTimeout: 15_000,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => sendError(toApiError(error), request, reply),
    forceCloseConnections: true,
  });
  registerErrorHandlers(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });

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

/** The second listener: for operators and balancers, never on the public address. */
export async function buildOpsApp(sources: OpsSources): Promise<FastifyInstance> {
  const app = buildHealthApp(sources);
  await registerAdminApi(app, sources.admin);
  app.get('/openapi/player.json', async () => sources.apiDocument('player'));
  app.get('/openapi/admin.json', async () => sources.apiDocument('admin'));

  const { default: reference } = await import('@scalar/fastify-api-reference');
  await app.register(reference, {
    routePrefix: '/reference',
    configuration: {
      sources: [
        { url: '/openapi/player.json', title: 'Player API', slug: 'player' },
        { url: '/openapi/admin.json', title: 'Admin API', slug: 'admin' },
      ],
      // Nothing from elsewhere: no fonts, no telemetry, no tools that talk to a third party.
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
    },
  });
  app.get('/', async (_request, reply) => reply.redirect('/reference/'));
  return app;
}
