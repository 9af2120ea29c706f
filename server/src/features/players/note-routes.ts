import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { actorOf, adminOf, gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, success, toTime } from '../../admin/admin-responses.js';
import type { Actor } from '../../admin/audit-log.js';
import { cursorId, cursorOf, cutPage, pageParameters } from '../../admin/page-cursor.js';
import { isAtLeast } from '../../admin/roles.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { withSchemaTypes } from '../../http/validation.js';
import { MAX_ROW_ID, ROW_ID } from '../../lib/row-id.js';
import { PlayerParameters } from './admin-player-schemas.js';
import { listNotes, type NoteRow } from './note-queries.js';
import {
  NoteBody,
  NoteDeletedResponse,
  NoteParameters,
  NoteResponse,
  NotesResponse,
} from './note-schemas.js';
import { addNote, editNote, isOwn, type NoteOutcome, type NotePlace, removeNote } from './notes.js';
import { playerOf, userIdOf } from './player-parameter.js';

const LIMITS = { max: 100, fallback: 20 };
const NOTES = 'notes';
const PATH = '/admin/v1/games/:game/players/:playerId/notes';

/** What people of the studio write down about a player, for each other. */
export function noteRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const common = adminSchema('Players');
  const routes = withSchemaTypes(app);
  const editor = requireRole(ctx, 'editor');

  routes.get(
    PATH,
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...common,
        operationId: 'listNotes',
        summary: 'The notes on a player, newest first',
        description: 'Players see them in an export of their own data only.',
        params: PlayerParameters,
        querystring: Type.Object(pageParameters(LIMITS)),
        response: { 200: NotesResponse, ...gameErrors(['parameter_invalid', 'player_not_found']) },
      },
    },
    async (request) => {
      const playerId = await playerOf(ctx, request);
      const { cursor, limit = LIMITS.fallback } = request.query;
      const found = await listNotes(ctx.pool, playerId, noteBefore(cursor), limit + 1);
      const { page, nextCursor } = cutPage(NOTES, found, limit, ({ id }) => [id]);
      const actor = actorOf(ctx, request);
      return success({ notes: page.map((note) => noteResponse(note, actor)), nextCursor });
    },
  );

  routes.post(
    PATH,
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'addNote',
        summary: 'Write a note on a player',
        params: PlayerParameters,
        body: NoteBody,
        response: { 200: NoteResponse, ...gameErrors([...BODY_ERRORS, 'player_not_found']) },
      },
    },
    async (request) => {
      const { gameId } = await gameOf(ctx, request);
      const actor = actorOf(ctx, request);
      const place = { gameId, userId: userIdOf(request) };
      return success(noteResponse(noteOf(await addNote(ctx.pool, place, request.body.text, actor)), actor));
    },
  );

  routes.put(
    `${PATH}/:noteId`,
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'editNote',
        summary: 'Change a note that you wrote',
        params: NoteParameters,
        body: NoteBody,
        response: {
          200: NoteResponse,
          ...gameErrors([...BODY_ERRORS, 'player_not_found', 'note_not_found', 'note_not_yours']),
        },
      },
    },
    async (request) => {
      const place = await placeOf(ctx, request);
      const actor = actorOf(ctx, request);
      return success(noteResponse(noteOf(await editNote(ctx.pool, place, request.body.text, actor)), actor));
    },
  );

  app.delete(
    `${PATH}/:noteId`,
    {
      onRequest: editor,
      schema: {
        ...common,
        operationId: 'deleteNote',
        summary: 'Delete a note that you wrote; owners delete any note',
        description: 'Its text stays in the audit log.',
        params: NoteParameters,
        response: {
          200: NoteDeletedResponse,
          ...gameErrors(['player_not_found', 'note_not_found', 'note_not_yours']),
        },
      },
    },
    async (request) => {
      const place = await placeOf(ctx, request);
      const isOwner = isAtLeast(adminOf(request).role, 'owner');
      const note = noteOf(await removeNote(ctx.pool, place, actorOf(ctx, request), isOwner));
      return success({ noteId: note.id });
    },
  );
}

function noteBefore(cursor: string | undefined): string {
  const key = cursorOf(NOTES, cursor, ['']);
  return key === undefined ? MAX_ROW_ID : cursorId(key[0], ROW_ID);
}

async function placeOf(ctx: AdminContext, request: FastifyRequest): Promise<NotePlace> {
  const { gameId } = await gameOf(ctx, request);
  const { noteId = '' } = request.params as { noteId?: string };
  const userId = userIdOf(request);
  if (!ROW_ID.test(noteId)) throw new ApiError('note_not_found');
  return { gameId, userId, noteId };
}

function noteOf(changed: NoteOutcome): NoteRow {
  switch (changed.outcome) {
    case 'done':
      return changed.note;
    case 'no_such_player':
      throw new ApiError('player_not_found');
    case 'no_such_note':
      throw new ApiError('note_not_found');
    case 'not_yours':
      throw new ApiError('note_not_yours');
  }
}

function noteResponse(note: NoteRow, actor: Actor) {
  const { id, text, author, authorEmail, createdAt, editedAt } = note;
  return {
    noteId: id,
    text,
    author,
    authorEmail,
    isOwn: isOwn(note, actor),
    createdAt: toTime(createdAt),
    editedAt: toTime(editedAt),
  };
}
