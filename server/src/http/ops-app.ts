import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../features/admin/admin-context.js';
import { registerAdminApi } from './admin-app.js';
import { buildHealthApp, type HealthSources } from './health-app.js';

export type OpsSources = HealthSources & {
  admin: AdminContext;
  /** The OpenAPI document of an API, for the reference page. */
  apiDocument: (api: 'player' | 'admin') => Promise<Record<string, unknown>>;
};

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
