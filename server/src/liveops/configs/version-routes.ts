import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  type ConfigVersion,
  type ConfigVersionSummary,
  findConfigVersion,
  listConfigVersions,
} from '../../core/configs/config-queries.js';
import { documentWork } from '../../core/configs/document-work.js';
import { GameParameters, toTime } from '../../platform/admin-api/admin-responses.js';
import { pageLimit } from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import {
  PublishedResponse,
  RollBackBody,
  VersionDifferenceResponse,
  VersionResponse,
  VersionsResponse,
} from './config-schemas.js';
import { changeInTurn } from './document-changes.js';
import { differenceSteps } from './document-difference.js';
import { rollBackConfig } from './publish.js';
import { PUBLICATION_ERRORS, publicationResponse } from './publish-response.js';

const MAX_VERSIONS = 200;
const DEFAULT_VERSIONS = 50;

const VersionParameters = Type.Object({
  ...GameParameters.properties,
  version: Type.Integer({ minimum: 0, description: 'Number of the version' }),
});

/** What was published: listed, read, compared, published again. */
export function versionRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Versions');

  routes.get('/admin/v1/games/:game/versions', {
    role: 'viewer',
    operationId: 'listVersions',
    summary: 'The published versions, newest first',
    querystring: Type.Object({
      before: Type.Optional(Type.Integer({ description: 'Only versions below this number' })),
      limit: pageLimit({ max: MAX_VERSIONS, fallback: DEFAULT_VERSIONS }),
    }),
    response: { 200: VersionsResponse },
    handle: async ({ gameId, publishedVersion, query }) => {
      const { before = null, limit = DEFAULT_VERSIONS } = query;
      const versions = await listConfigVersions(ctx.pool, gameId, { before, limit });
      return { publishedVersion, versions: versions.map(toSummary) };
    },
  });

  routes.get('/admin/v1/games/:game/versions/:version', {
    role: 'viewer',
    operationId: 'getVersion',
    summary: 'A version with its document',
    description: 'Version 0 is what every game begins with.',
    params: VersionParameters,
    response: { 200: VersionResponse },
    errors: ['version_not_found'],
    handle: async ({ gameId, params }) => {
      const found = await requireVersion(ctx, gameId, params.version);
      return { ...toSummary(found), document: found.document };
    },
  });

  routes.get('/admin/v1/games/:game/versions/:version/difference', {
    role: 'viewer',
    operationId: 'versionDifference',
    summary: 'What a version changed',
    params: VersionParameters,
    querystring: Type.Object({
      against: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'The version to compare with (default: the one before)',
        }),
      ),
    }),
    response: { 200: VersionDifferenceResponse },
    errors: ['version_not_found'],
    handle: async ({ gameId, params, query }) => {
      const { version } = params;
      const { against = Math.max(0, version - 1) } = query;
      const after = await requireVersion(ctx, gameId, version);
      const before = await requireVersion(ctx, gameId, against);
      const steps = differenceSteps(before.document, after.document);
      return { version, against, difference: await documentWork.run(gameId, steps) };
    },
  });

  routes.post('/admin/v1/games/:game/versions/:version/roll-back', {
    role: 'editor',
    operationId: 'rollBack',
    summary: 'Publish an old version again, as the next one',
    description:
      'A draft with changes stays as it is, and can be published once it is based on this version. With `basedOn`, a version that was published in between is not overwritten: the response is `version_conflict`.',
    params: VersionParameters,
    body: RollBackBody,
    response: { 201: PublishedResponse },
    errors: [...BODY_ERRORS, 'version_not_found', ...PUBLICATION_ERRORS],
    handle: async ({ gameId, admin, params, body, actorNow }) => {
      const rollback = { ...body, gameId, version: params.version };
      const outcome = await changeInTurn(ctx, admin, () => rollBackConfig(ctx.pool, rollback, actorNow()));
      return publicationResponse(outcome);
    },
  });
}

async function requireVersion(ctx: AdminContext, gameId: number, version: number): Promise<ConfigVersion> {
  const found = await findConfigVersion(ctx.pool, gameId, version);
  if (found === undefined) throw new ApiError('version_not_found');
  return found;
}

function toSummary({ version, author, authorEmail, note, publishedAt, copyOf }: ConfigVersionSummary) {
  const at = version === 0 ? null : toTime(publishedAt);
  return { version, author, authorEmail, note, publishedAt: at, copyOf };
}
