import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../studio/admin-api/admin-context.js';
import type { AdminRoutes } from '../studio/module-type.js';
import { registerAdminApi } from './admin-app.js';
import { clientRoutes } from './client-routes.js';
import { consoleRoutes } from './console-routes.js';
import { buildHealthApp, type HealthSources } from './health-app.js';
import { type ReferenceSources, referenceRoutes } from './reference/reference-routes.js';

export type OpsSources = HealthSources &
  ReferenceSources & { admin: AdminContext; adminRoutes: readonly AdminRoutes[] };

/** The second listener: for operators and balancers, never on the public address. */
export async function buildOpsApp(sources: OpsSources): Promise<FastifyInstance> {
  const app = buildHealthApp(sources);
  await registerAdminApi(app, sources.admin, sources.adminRoutes);
  referenceRoutes(app, sources);
  consoleRoutes(app);
  clientRoutes(app);
  return app;
}
