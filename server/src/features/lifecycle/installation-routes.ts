import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../admin/admin-context.js';
import { adminErrors } from '../../admin/admin-errors.js';
import { requireRole } from '../../admin/admin-guard.js';
import { adminSchema, success, successOf } from '../../admin/admin-responses.js';

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
  app.get(
    '/admin/v1/installation/warnings',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...adminSchema('Studio'),
        operationId: 'listInstallationWarnings',
        summary: 'What operators should set right on the node that responds',
        response: { 200: WarningsResponse, ...adminErrors() },
      },
    },
    async () => success({ warnings: await ctx.warnings() }),
  );
}
