import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { actorOf, gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, GameParameters, success, toTime } from '../../admin/admin-responses.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { bodyCheckedAs, withSchemaTypes } from '../../http/validation.js';
import { validationSteps } from '../../personalisation/validate/validate-document.js';
import { requireConfigVersion } from './config-queries.js';
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
import { documentWork } from './document-work.js';
import { type Draft, discardDraft, findDraft, publishDraft, saveDraft } from './draft.js';
import { draftConflict, PUBLICATION_ERRORS, publicationResponse } from './publish-response.js';

/** The draft of a game: read, saved, checked, compared, published, thrown away. */
export function draftRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = withSchemaTypes(app);
  const common = { ...adminSchema('Draft'), params: GameParameters };
  const viewer = requireRole(ctx, 'viewer');
  const editor = requireRole(ctx, 'editor');
  const draftBody = bodyCheckedAs(DraftBody, DraftEnvelope);
  const validateBody = bodyCheckedAs(ValidateBody, ValidateEnvelope);

  app.get(
    '/admin/v1/games/:game/draft',
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'getDraft',
        summary: 'The draft, or what is published while the draft has no changes',
        response: { 200: DraftResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      return success(toResponse(await findDraft(ctx.pool, gameId)));
    },
  );

  routes.put(
    '/admin/v1/games/:game/draft',
    {
      onRequest: editor,
      validatorCompiler: draftBody.validatorCompiler,
      schema: {
        ...common,
        operationId: 'saveDraft',
        summary: 'Save the draft',
        description:
          'Players see nothing of it. Of two editors who saw the same revision the second gets `draft_conflict`, with the difference. So does an editor who saw a draft without changes, if a version was published since.',
        body: draftBody.body,
        response: {
          200: DraftResponse,
          ...gameErrors([...BODY_ERRORS, 'draft_conflict', 'document_invalid']),
        },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { revision, document, basedOn } = request.body;
      const save = { gameId, revision, document, ...(basedOn === undefined ? {} : { basedOn }) };
      const saved = await changeInTurn(ctx, request, () => saveDraft(ctx.pool, save, actorOf(ctx, request)));
      switch (saved.outcome) {
        case 'saved':
          return success(toResponse(saved.draft));
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
  );

  routes.delete(
    '/admin/v1/games/:game/draft',
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'discardDraft',
        summary: 'Throw the draft away: it is what is published again',
        querystring: Type.Object({ revision: Type.Integer({ description: 'The one you have seen' }) }),
        response: { 200: DraftResponse, ...gameErrors(['parameter_invalid', 'draft_conflict']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { revision } = request.query;
      const discarded = await changeInTurn(ctx, request, () =>
        discardDraft(ctx.pool, { gameId, revision }, actorOf(ctx, request)),
      );
      if (discarded.outcome === 'draft_conflict') throw draftConflict(discarded);
      return success(toResponse(discarded.draft));
    },
  );

  routes.post(
    '/admin/v1/games/:game/draft/validate',
    {
      onRequest: viewer,
      validatorCompiler: validateBody.validatorCompiler,
      schema: {
        ...common,
        operationId: 'validateDocument',
        summary: 'Check a document without saving it',
        body: validateBody.body,
        response: { 200: ValidateResponse, ...gameErrors(BODY_ERRORS) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const validation = await documentWork.run(gameId, validationSteps(request.body.document));
      return success({ problems: validation.ok ? [] : validation.problems });
    },
  );

  app.get(
    '/admin/v1/games/:game/draft/difference',
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'draftDifference',
        summary: 'What publishing the draft would change',
        response: { 200: DraftDifferenceResponse, ...gameErrors() },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const { revision, basedOn, publishedVersion, document } = await findDraft(ctx.pool, gameId);
      const published = await requireConfigVersion(ctx.pool, gameId, publishedVersion);
      const difference = await documentWork.run(gameId, differenceSteps(published.document, document));
      return success({ revision, basedOn, publishedVersion, difference });
    },
  );

  routes.post(
    '/admin/v1/games/:game/draft/publish',
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'publishDraft',
        summary: 'Publish the draft as the next version',
        description:
          'Every node serves it from the next request on. After a `version_conflict`, take its difference into the draft, save that with `basedOn` set to its version, and publish again.',
        body: PublishBody,
        response: {
          201: PublishedResponse,
          ...gameErrors([...BODY_ERRORS, 'draft_conflict', ...PUBLICATION_ERRORS]),
        },
      },
    },
    async (request, reply) => {
      const { gameId } = await gameOf(ctx, request);
      const publication = { gameId, ...request.body };
      const outcome = await changeInTurn(ctx, request, () =>
        publishDraft(ctx.pool, publication, actorOf(ctx, request)),
      );
      return reply.code(201).send(success(publicationResponse(outcome)));
    },
  );
}

function toResponse({ publishedVersion: _, updatedAt, ...draft }: Draft) {
  return { ...draft, updatedAt: toTime(updatedAt) };
}
