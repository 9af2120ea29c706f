import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { readUserId, requirePlayer } from '../../core/players/player-parameter.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import { cursorId, cursorOf, cutPage, pageParameters } from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { MAX_ROW_ID, ROW_ID } from '../../platform/lib/row-id.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { isAtLeast } from '../../studio/admin-api/roles.js';
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

const LIMITS = { max: 100, fallback: 20 };
const NOTES = 'notes';
const PATH = '/admin/v1/games/:game/players/:playerId/notes';

/** What people of the studio write down about a player, for each other. */
export function noteRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfGame(app, ctx, 'Players');

  routes.get(PATH, {
    role: 'viewer',
    operationId: 'listNotes',
    summary: 'The notes on a player, newest first',
    description: 'Players see them in an export of their own data only.',
    params: PlayerParameters,
    querystring: Type.Object(pageParameters(LIMITS)),
    response: { 200: NotesResponse },
    errors: ['player_not_found'],
    handle: async ({ gameId, params, query, actorNow }) => {
      const playerId = await requirePlayer(ctx.pool, gameId, params.playerId);
      const { cursor, limit = LIMITS.fallback } = query;
      const found = await listNotes(ctx.pool, playerId, noteBefore(cursor), limit + 1);
      const { page, nextCursor } = cutPage(NOTES, found, limit, ({ id }) => [id]);
      const actor = actorNow();
      return { notes: page.map((note) => noteResponse(note, actor)), nextCursor };
    },
  });

  routes.post(PATH, {
    role: 'editor',
    operationId: 'addNote',
    summary: 'Write a note on a player',
    params: PlayerParameters,
    body: NoteBody,
    response: { 200: NoteResponse },
    errors: [...BODY_ERRORS, 'player_not_found'],
    handle: async ({ gameId, params, body, actorNow }) => {
      const actor = actorNow();
      const place = { gameId, userId: readUserId(params.playerId) };
      return noteResponse(noteOf(await addNote(ctx.pool, place, body.text, actor)), actor);
    },
  });

  routes.put(`${PATH}/:noteId`, {
    role: 'editor',
    operationId: 'editNote',
    summary: 'Change a note that you wrote',
    params: NoteParameters,
    body: NoteBody,
    response: { 200: NoteResponse },
    errors: [...BODY_ERRORS, 'player_not_found', 'note_not_found', 'note_not_yours'],
    handle: async ({ gameId, params, body, actorNow }) => {
      const place = placeOf(gameId, params);
      const actor = actorNow();
      return noteResponse(noteOf(await editNote(ctx.pool, place, body.text, actor)), actor);
    },
  });

  routes.delete(`${PATH}/:noteId`, {
    role: 'editor',
    operationId: 'deleteNote',
    summary: 'Delete a note that you wrote; owners delete any note',
    description: 'Its text stays in the audit log.',
    params: NoteParameters,
    response: { 200: NoteDeletedResponse },
    errors: ['player_not_found', 'note_not_found', 'note_not_yours'],
    handle: async ({ gameId, admin, params, actorNow }) => {
      const place = placeOf(gameId, params);
      const isOwner = isAtLeast(admin.role, 'owner');
      const note = noteOf(await removeNote(ctx.pool, place, actorNow(), isOwner));
      return { noteId: note.id };
    },
  });
}

function noteBefore(cursor: string | undefined): string {
  const key = cursorOf(NOTES, cursor, ['']);
  return key === undefined ? MAX_ROW_ID : cursorId(key[0], ROW_ID);
}

function placeOf(gameId: number, { playerId, noteId }: Static<typeof NoteParameters>): NotePlace {
  const userId = readUserId(playerId);
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
