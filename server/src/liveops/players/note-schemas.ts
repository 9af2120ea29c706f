import { Type } from 'typebox';
import { nullable, PersonEmail, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';
import { PlayerParameters } from './admin-player-schemas.js';
import { MAX_NOTE } from './notes.js';

/** Documentation of the notes on players. */

export const NoteParameters = Type.Object({
  ...PlayerParameters.properties,
  noteId: Type.String({ description: 'Id of the note', examples: ['12'] }),
});

export const NoteBody = Type.Object(
  { text: Type.String({ minLength: 1, maxLength: MAX_NOTE, pattern: '\\S' }) },
  { title: 'NoteRequest', examples: [{ text: 'Paid by bank transfer, gems were added by hand.' }] },
);

const Note = Type.Object(
  {
    noteId: Type.String(),
    text: Type.String(),
    author: Type.String(),
    authorEmail: PersonEmail,
    isOwn: Type.Boolean({ description: 'Written by whoever asks, who may edit it' }),
    createdAt: Time('When it was written'),
    editedAt: nullable(Time('When its author last changed it')),
  },
  { title: 'Note' },
);

const NOTE_EXAMPLE = {
  noteId: '12',
  text: 'Paid by bank transfer, gems were added by hand.',
  author: 'Ada',
  authorEmail: 'ada@studio.example',
  isOwn: true,
  createdAt: '2026-11-15T12:00:00.000Z',
  editedAt: null,
};

export const NoteResponse = successOf('NoteResponse', Note, { example: NOTE_EXAMPLE });

export const NotesResponse = listResponse('NotesResponse', 'notes', Note, {
  example: NOTE_EXAMPLE,
  description: 'Newest first',
});

export const NoteDeletedResponse = successOf('NoteDeletedResponse', Type.Object({ noteId: Type.String() }), {
  example: { noteId: '12' },
});
