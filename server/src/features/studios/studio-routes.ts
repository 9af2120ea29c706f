import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { adminSchema, nullable, success, successOf, Time, toTime } from '../../http/admin-answers.js';
import type { AttributeRegistry } from '../../personalisation/attributes/attribute-registry.js';
import { ATTRIBUTE_REGISTRY } from '../../personalisation/attributes/attributes.js';
import type { AdminContext } from './admin-context.js';
import { adminErrors } from './admin-errors.js';
import { adminOf, requireRole } from './admin-guard.js';
import { listGamesOfTenant } from './game-queries.js';

const MeResponse = successOf(
  'MeResponse',
  Type.Object({
    tokenId: Type.String(),
    name: Type.String({ description: 'What the audit log calls the holder' }),
    role: Type.Union([Type.Literal('viewer'), Type.Literal('editor'), Type.Literal('owner')], {
      description: 'viewer reads; editor also changes and publishes; owner may do the same as editor so far',
    }),
    tenantId: Type.String({ description: 'The studio' }),
    expiresAt: nullable(Time('When the token ends, if it does')),
  }),
  {
    example: {
      tokenId: '3f9a1c0b7d2e4f68',
      name: 'Ada',
      role: 'editor',
      tenantId: 'demo-studio',
      expiresAt: null,
    },
  },
);

const GamesResponse = successOf(
  'GamesResponse',
  Type.Object({
    games: Type.Array(
      Type.Object(
        {
          gameId: Type.String({ description: 'What stands in addresses and in X-Game-Id' }),
          name: Type.String(),
          publishedVersion: Type.Integer({ description: '0 before the first publication' }),
          draft: Type.Object({
            revision: Type.Integer(),
            isEdited: Type.Boolean({ description: 'Whether there is something that is not published yet' }),
          }),
        },
        { title: 'Game' },
      ),
    ),
  }),
  {
    example: {
      games: [
        {
          gameId: 'demo-game',
          name: 'Demo game',
          publishedVersion: 7,
          draft: { revision: 12, isEdited: true },
        },
      ],
    },
  },
);

const field = { name: Type.String(), type: Type.String(), meaning: Type.String() };
const AttributesResponse = successOf(
  'AttributesResponse',
  Type.Object({
    attributes: Type.Array(
      Type.Object(
        {
          ...field,
          usage: Type.String({ description: 'How it is written in a rule' }),
          key: nullable(Type.String({ description: 'What it is looked up by, if it is' })),
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

/** Who asks, for which games, and what rules are made of. */
export function studioRoutes(
  app: FastifyInstance,
  ctx: AdminContext,
  attributes: AttributeRegistry = ATTRIBUTE_REGISTRY,
): void {
  app.addHook('onRequest', requireRole(ctx, 'viewer'));
  const common = adminSchema('Studio');
  const listed = listAttributes(attributes);

  app.get(
    '/admin/v1/me',
    {
      schema: {
        ...common,
        operationId: 'me',
        summary: 'Whose token this is, and what it may do',
        response: { 200: MeResponse, ...adminErrors() },
      },
    },
    async (request) => {
      const { tokenId, name, role, tenant, expiresAt } = adminOf(request);
      return success({ tokenId, name, role, tenantId: tenant, expiresAt: toTime(expiresAt) });
    },
  );

  app.get(
    '/admin/v1/games',
    {
      schema: {
        ...common,
        operationId: 'listGames',
        summary: 'The games of the studio',
        response: { 200: GamesResponse, ...adminErrors() },
      },
    },
    async (request) => {
      const games = await listGamesOfTenant(ctx.pool, adminOf(request).tenantId);
      return success({
        games: games.map(({ game, name, publishedVersion, draftRevision, isDraftEdited }) => ({
          gameId: game,
          name,
          publishedVersion,
          draft: { revision: draftRevision, isEdited: isDraftEdited },
        })),
      });
    },
  );

  app.get(
    '/admin/v1/attributes',
    {
      schema: {
        ...common,
        operationId: 'listAttributes',
        summary: 'What rules can ask about a player',
        response: { 200: AttributesResponse, ...adminErrors() },
      },
    },
    async () => success({ attributes: listed }),
  );
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
