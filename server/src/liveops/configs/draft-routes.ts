import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { requireConfigVersion } from '../../core/configs/config-queries.js';
import { documentWork } from '../../core/configs/document-work.js';
import { validationSteps } from '../../decide/validate/validate-document.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { bodyCheckedAs } from '../../platform/http/validation.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import {
  DraftBody,
  DraftDifferenceResponse,
  DraftEnvelope,
  DraftResponse,
  PublishBody,
  PublishedResponse,
  ValidateBody,
  ValidateEnvelope,
  ValidateResponse,
} from './config-schemas.js';
import { changeInTurn } from './document-changes.js';
import { differenceSteps } from './document-difference.js';
import { type Draft, discardDraft, findDraft, publishDraft, saveDraft } from './draft.js';
import { draftConflict, PUBLICATION_ERRORS, publicationResponse } from './publish-response.js';

/** The draft of a game: read, saved, checked, compared, published, thrown away. */
export function draftRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Draft');

  routes.get('/admin/v1/games/:game/draft', {
    role: 'viewer',
    operationId: 'getDraft',
    summary: 'The draft, or what is published while the draft has no changes',
    response: { 200: DraftResponse },
    handle: async ({ gameId }) => toResponse(await findDraft(ctx.pool, gameId)),
  });

  routes.put('/admin/v1/games/:game/draft', {
    role: 'editor',
    operationId: 'saveDraft',
    summary: 'Save the draft',
    description:
      'Players see nothing of it. Of two editors who saw the same revision the second gets `draft_conflict`, with the difference. So does an editor who saw a draft without changes, if a version was published since.',
    ...bodyCheckedAs(DraftBody, DraftEnvelope),
    response: { 200: DraftResponse },
    errors: [...BODY_ERRORS, 'draft_conflict', 'document_invalid'],
    handle: async ({ gameId, admin, body, actorNow }) => {
      const { revision, document, basedOn } = body;
      const save = { gameId, revision, document, ...(basedOn === undefined ? {} : { basedOn }) };
      const saved = await changeInTurn(ctx, admin, () => saveDraft(ctx.pool, save, actorNow()));
      switch (saved.outcome) {
        case 'saved':
          return toResponse(saved.draft);
        case 'invalid':
          throw new ApiError('document_invalid', { details: { problems: saved.problems } });
        case 'draft_conflict':
          throw draftConflict(saved);
        case 'no_such_version':
          throw new ApiError('body_invalid', {
            message: 'basedOn must be a published version, and not before the one the draft began with.',
          });
      }
    },
  });

  routes.delete('/admin/v1/games/:game/draft', {
    role: 'editor',
    operationId: 'discardDraft',
    summary: 'Throw the draft away: it is what is published again',
    querystring: Type.Object({ revision: Type.Integer({ description: 'The one you have seen' }) }),
    response: { 200: DraftResponse },
    errors: ['draft_conflict'],
    handle: async ({ gameId, admin, query, actorNow }) => {
      const { revision } = query;
      const discarded = await changeInTurn(ctx, admin, () =>
        discardDraft(ctx.pool, { gameId, revision }, actorNow()),
      );
      if (discarded.outcome === 'draft_conflict') throw draftConflict(discarded);
      return toResponse(discarded.draft);
    },
  });

  routes.post('/admin/v1/games/:game/draft/validate', {
    role: 'viewer',
    operationId: 'validateDocument',
    summary: 'Check a document without saving it',
    ...bodyCheckedAs(ValidateBody, ValidateEnvelope),
    response: { 200: ValidateResponse },
    errors: BODY_ERRORS,
    handle: async ({ gameId, body }) => {
      const validation = await documentWork.run(gameId, validationSteps(body.document));
      return { problems: validation.ok ? [] : validation.problems };
    },
  });

  routes.get('/admin/v1/games/:game/draft/difference', {
    role: 'viewer',
    operationId: 'draftDifference',
    summary: 'What publishing the draft would change',
    response: { 200: DraftDifferenceResponse },
    handle: async ({ gameId }) => {
      const { revision, basedOn, publishedVersion, document } = await findDraft(ctx.pool, gameId);
      const published = await requireConfigVersion(ctx.pool, gameId, publishedVersion);
      const difference = await documentWork.run(gameId, differenceSteps(published.document, document));
      return { revision, basedOn, publishedVersion, difference };
    },
  });

  routes.post('/admin/v1/games/:game/draft/publish', {
    role: 'editor',
    operationId: 'publishDraft',
    summary: 'Publish the draft as the next version',
    description:
      'Every node serves it from the next request on. After a `version_conflict`, take its difference into the draft, save that with `basedOn` set to its version, and publish again.',
    body: PublishBody,
    response: { 201: PublishedResponse },
    errors: [...BODY_ERRORS, 'draft_conflict', ...PUBLICATION_ERRORS],
    handle: async ({ gameId, admin, body, actorNow }) => {
      const publication = { gameId, ...body };
      const outcome = await changeInTurn(ctx, admin, () => publishDraft(ctx.pool, publication, actorNow()));
      return publicationResponse(outcome);
    },
  });
}

function toResponse({ publishedVersion: _, updatedAt, ...draft }: Draft) {
  return { ...draft, updatedAt: toTime(updatedAt) };
}
