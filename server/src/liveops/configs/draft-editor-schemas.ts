import { Type } from 'typebox';
import {
  GameParameters,
  nullable,
  PersonEmail,
  successOf,
  Time,
} from '../../platform/admin-api/admin-responses.js';

/** Requests and responses of the routes about who edits a draft. */

const WINDOW_EXAMPLE = '0199c1a2-7b3c-4d4e-8f5a-6b7c8d9e0f1a';
/** A month: a window that was left open for longer says so, too. */
const MAX_SECONDS = 31 * 86_400;

export const WindowParameters = Type.Object({
  ...GameParameters.properties,
  windowId: Type.String({
    format: 'uuid',
    description: 'A random id that the window has chosen for itself',
    examples: [WINDOW_EXAMPLE],
  }),
});

export const DraftOpenBody = Type.Object(
  {
    secondsSinceChange: nullable(
      Type.Integer({
        minimum: 0,
        maximum: MAX_SECONDS,
        description: 'Since the last change in this window that is not saved; null if all is saved',
      }),
    ),
  },
  { title: 'DraftOpenRequest', examples: [{ secondsSinceChange: 12 }] },
);

const Editor = Type.Object(
  {
    windowId: Type.String({ format: 'uuid' }),
    name: Type.String(),
    email: Type.String({ description: 'Names are not unique' }),
    openedAt: Time('When the window began to show the draft'),
    changedAt: nullable(Time('Of the last change in the window that is not saved')),
  },
  { title: 'DraftEditor' },
);

export const DraftEditorsResponse = successOf(
  'DraftEditorsResponse',
  Type.Object({
    revision: Type.Integer({ description: 'Of the saved draft; read the draft again if it is not yours' }),
    isEdited: Type.Boolean({ description: 'False while the draft is what is published' }),
    updatedBy: nullable(Type.String()),
    updatedByEmail: PersonEmail,
    updatedAt: nullable(Time('Of the last change of what the draft shows')),
    editors: Type.Array(Editor, {
      description: 'Windows that have the draft open now, the first one first; 50 at most',
    }),
  }),
  {
    example: {
      revision: 12,
      isEdited: true,
      updatedBy: 'Ada',
      updatedByEmail: 'ada@studio.example',
      updatedAt: '2026-11-15T12:00:00.000Z',
      editors: [
        {
          windowId: WINDOW_EXAMPLE,
          name: 'Grace',
          email: 'grace@studio.example',
          openedAt: '2026-11-15T11:50:00.000Z',
          changedAt: '2026-11-15T12:01:30.000Z',
        },
      ],
    },
  },
);
