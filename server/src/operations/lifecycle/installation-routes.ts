import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { successOf } from '../../platform/admin-api/admin-responses.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfStudio } from '../../studio/admin-api/admin-routes.js';

const WarningsResponse = successOf(
  'InstallationWarningsResponse',
  Type.Object({
    warnings: Type.Array(
      Type.Object(
        {
          code: Type.Union([Type.Literal('clock_off'), Type.Literal('disk_low')], {
            description:
              '`clock_off`: the clock of the node differs from that of the database. `disk_low`: the disk of the embedded PostgreSQL is nearly full',
          }),
          message: Type.String(),
        },
        { title: 'InstallationWarning' },
      ),
    ),
  }),
  {
    example: {
      warnings: [
        {
          code: 'clock_off',
          message: 'The clock of this node is 100 days ahead of the clock of the database.',
        },
      ],
    },
  },
);

/** What is wrong with the node that responds. The console shows it to everyone who is signed in. */
export function installationRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfStudio(app, ctx, 'Studio');

  routes.get('/admin/v1/installation/warnings', {
    role: 'viewer',
    operationId: 'listInstallationWarnings',
    summary: 'What operators should set right on the node that responds',
    response: { 200: WarningsResponse },
    handle: async () => ({ warnings: await ctx.warnings() }),
  });
}
