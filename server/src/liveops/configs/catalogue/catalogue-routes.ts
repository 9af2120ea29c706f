import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../../../platform/errors.js';
import { BODY_ERRORS } from '../../../platform/http/api-schemas.js';
import { bodyCheckedAs } from '../../../platform/http/validation.js';
import type { AdminContext } from '../../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../../studio/admin-api/admin-routes.js';
import { parseCsvBodies } from '../../../studio/admin-api/csv-bodies.js';
import { changeInTurn } from '../document-changes.js';
import { findDraft } from '../draft.js';
import { draftConflict } from '../publish-response.js';
import { catalogueToCsv, readCatalogueCsv } from './catalogue-csv.js';
import { catalogueToJson, readCatalogueValue } from './catalogue-json.js';
import type { CatalogueReading } from './catalogue-rows.js';
import { CATALOGUE_FILE, ImportResponse } from './catalogue-schemas.js';
import { importCatalogue } from './import-catalogue.js';

const Format = Type.Union([Type.Literal('json'), Type.Literal('csv')], { description: 'By default json' });
const ImportMode = Type.Union([Type.Literal('merge'), Type.Literal('replace')], {
  description: 'By default merge',
});

/** The catalogue of the draft as a file. */
export function catalogueRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Draft');
  parseCsvBodies(app);

  routes.get('/admin/v1/games/:game/draft/catalogue', {
    role: 'viewer',
    operationId: 'exportCatalogue',
    summary: "The draft's catalogue as a file, JSON or CSV",
    description:
      'What comes out can be sent back unchanged, and is then the same. `X-Draft-Revision` says of which revision it is.',
    querystring: Type.Object({ format: Type.Optional(Format) }),
    response: { 200: { description: 'The file', ...CATALOGUE_FILE } },
    handle: async ({ gameId, game, query, reply }) => {
      const { format = 'json' } = query;
      const { revision, document } = await findDraft(ctx.pool, gameId);
      return reply
        .header(
          'content-type',
          format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
        )
        .header('content-disposition', `attachment; filename="${game}-catalogue.${format}"`)
        .header('x-draft-revision', revision)
        .send(format === 'csv' ? catalogueToCsv(document.catalogue) : catalogueToJson(document.catalogue));
    },
  });

  routes.put('/admin/v1/games/:game/draft/catalogue', {
    role: 'editor',
    operationId: 'importCatalogue',
    summary: 'Take a file into the catalogue of the draft',
    description:
      'All of it, as one change of the draft, or nothing. A row states its SKU as a whole. `merge` changes and adds SKUs and leaves the others where they are; `replace` makes the file the whole catalogue, in its order. A file that changes nothing leaves the revision as it is.',
    querystring: Type.Object({
      mode: Type.Optional(ImportMode),
      revision: Type.Integer({ description: 'Of the draft that you have seen' }),
    }),
    ...bodyCheckedAs(CATALOGUE_FILE, Type.Unknown()),
    response: { 200: ImportResponse },
    errors: [...BODY_ERRORS, 'draft_conflict', 'catalogue_invalid'],
    handle: async ({ gameId, admin, query, request, actorNow }) => {
      const { mode = 'merge', revision } = query;
      const reading = readingOf(request);
      const file = { gameId, reading, mode, revision };
      const outcome = await changeInTurn(ctx, admin, () => importCatalogue(ctx.pool, file, actorNow()));
      switch (outcome.outcome) {
        case 'imported':
          return { revision: outcome.revision, ...outcome.counts };
        case 'invalid':
          throw new ApiError('catalogue_invalid', { details: { rows: outcome.errors } });
        case 'draft_conflict':
          throw draftConflict(outcome);
      }
    },
  });
}

function readingOf({ json, body }: FastifyRequest): CatalogueReading {
  if (json !== undefined) return readCatalogueValue(json.value);
  if (typeof body === 'string') return readCatalogueCsv(body);
  throw new ApiError('body_invalid', { message: 'Send the file as text/csv or application/json.' });
}
