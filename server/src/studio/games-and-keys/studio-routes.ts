import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AttributeRegistry } from '../../decide/attributes/attribute-registry.js';
import { ATTRIBUTE_REGISTRY } from '../../decide/attributes/attributes.js';
import { nullable, successOf, toTime } from '../../platform/admin-api/admin-responses.js';
import type { AdminContext } from '../admin-api/admin-context.js';
import { routesOfStudio } from '../admin-api/admin-routes.js';
import { findStudioName, listStudiosOfAccount } from '../admin-api/admin-sessions.js';
import { accountResponse, MeResponse } from './me-schema.js';

const field = { name: Type.String(), type: Type.String(), meaning: Type.String() };
const AttributesResponse = successOf(
  'AttributesResponse',
  Type.Object({
    attributes: Type.Array(
      Type.Object(
        {
          ...field,
          usage: Type.String({ description: 'How a rule writes the attribute' }),
          key: nullable(
            Type.String({ description: 'What the attribute is looked up by; null if it has no key' }),
          ),
          fields: Type.Array(Type.Object(field)),
        },
        { title: 'Attribute' },
      ),
    ),
  }),
  {
    example: {
      attributes: [
        {
          name: 'spend',
          usage: 'spend["USD"].total',
          type: 'map<string, Amounts>',
          meaning: 'Money spent by currency, refunds taken off; 0 for a currency without purchases.',
          key: 'currency',
          fields: [{ name: 'total', type: 'double', meaning: 'of all time' }],
        },
      ],
    },
  },
);

/** The sender of the request, and the attributes of rules. */
export function studioRoutes(
  app: FastifyInstance,
  ctx: AdminContext,
  attributes: AttributeRegistry = ATTRIBUTE_REGISTRY,
): void {
  const routes = routesOfStudio(app, ctx, 'Studio');
  const listed = listAttributes(attributes);

  routes.get('/admin/v1/me', {
    role: 'viewer',
    operationId: 'me',
    summary: 'The sender of the request, with studio and role',
    response: { 200: MeResponse },
    handle: async ({ admin: { tokenId, name, role, tenant, tenantId, expiresAt }, request }) => {
      const { signedIn } = request;
      const studios =
        signedIn === undefined
          ? [{ tenantId: tenant, name: await findStudioName(ctx.pool, tenantId), role }]
          : await listStudiosOfAccount(ctx.pool, signedIn.accountId);
      return {
        tokenId,
        name,
        role,
        tenantId: tenant,
        expiresAt: toTime(expiresAt),
        account: signedIn === undefined ? null : accountResponse(signedIn),
        studios,
        csrfToken: signedIn?.csrfToken ?? null,
        environment: ctx.environment,
      };
    },
  });

  routes.get('/admin/v1/attributes', {
    role: 'viewer',
    operationId: 'listAttributes',
    summary: 'What rules can ask about a player',
    response: { 200: AttributesResponse },
    handle: async () => ({ attributes: listed }),
  });
}

/** In this API a description is called a meaning. */
function listAttributes({ attributes }: AttributeRegistry) {
  return attributes.map(({ name, usage, type, description, key, fields }) => ({
    name,
    usage,
    type,
    meaning: description,
    key,
    fields: fields.map((field) => ({ name: field.name, type: field.type, meaning: field.description })),
  }));
}
