import type { FastifyInstance } from 'fastify';
import { ApiError } from '../platform/errors.js';
import { registerBodyParser } from '../platform/http/body-parser.js';
import { refuseUnknownMembers } from '../platform/http/unknown-members.js';
import { registerValidation } from '../platform/http/validation.js';
import { checkStorable } from '../platform/lib/json-body.js';
import { observeResponses } from '../platform/telemetry/observation.js';
import type { AdminContext } from '../studio/admin-api/admin-context.js';
import type { AdminRoutes } from '../studio/module-type.js';

/** A whole configuration document with a thousand SKUs fits. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Deeper than any document. */
const MAX_DEPTH = 32;

/** The admin API under `/admin/v1`, for the second listener only. The console is one of its clients, without special rights. */
export async function registerAdminApi(
  app: FastifyInstance,
  ctx: AdminContext,
  adminRoutes: readonly AdminRoutes[],
): Promise<void> {
  await app.register(async (scope) => {
    scope.decorateRequest('admin', undefined);
    scope.decorateRequest('signedIn', undefined);
    registerValidation(scope);
    registerBodyParser(scope);
    refuseUnknownMembers(scope);
    scope.addHook('onRoute', (route) => {
      route.bodyLimit ??= MAX_BODY_BYTES;
    });
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    });
    scope.addHook('preValidation', async ({ json }) => {
      if (json !== undefined) refuseUnstorable(json.value, json.suspicious);
    });
    ctx.tracing?.traceRequests(scope);
    observeResponses(scope, {
      logger: ctx.logger,
      times: ctx.metrics.requests,
      who: ({ admin, signedIn }) => ({
        ...(admin === undefined ? {} : { tenant: admin.tenant, admin: admin.tokenId ?? admin.accountId }),
        ...(admin === undefined && signedIn !== undefined ? { admin: signedIn.accountId } : {}),
      }),
    });
    for (const routes of adminRoutes) await scope.register(async (inner) => routes(inner, ctx));
  });
}

/** What PostgreSQL would refuse, or give back as something else. */
function refuseUnstorable(value: unknown, suspicious: boolean): void {
  const found = checkStorable(value, MAX_DEPTH, suspicious);
  if (found === undefined) return;
  throw new ApiError('body_invalid', {
    message: `The value at ${found.path || '/'} cannot be stored (${found.code}).`,
  });
}
