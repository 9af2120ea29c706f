import { Type } from 'typebox';
import { nullable, successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';

/** Documentation of the inbox of failed events. */

export const FailedGroupsResponse = listResponse(
  'FailedEventGroupsResponse',
  'groups',
  Type.Object(
    {
      reason: Type.String({ description: 'Why they were refused: a permanent code' }),
      eventType: nullable(Type.String({ description: 'Null where the type could not be read' })),
      entries: Type.Integer(),
      firstAt: Time('Receipt of the oldest'),
      lastAt: Time('Receipt of the newest'),
      exampleId: Type.String({ description: 'The newest of them' }),
      exampleMessage: Type.String(),
      looksLike: nullable(
        Type.String({
          description: 'With `event_type_unregistered`: the built-in type that is probably meant',
        }),
      ),
    },
    { title: 'FailedEventGroup' },
  ),
  {
    example: {
      reason: 'schema_mismatch',
      eventType: 'Level_Complete',
      entries: 412,
      firstAt: '2026-11-14T08:00:00.000Z',
      lastAt: '2026-11-15T11:59:58.000Z',
      exampleId: '381',
      exampleMessage: 'payload.level must be integer.',
      looksLike: null,
    },
    description: 'What is open, the largest group first; counted anew for each page',
  },
);

const FailedEvent = Type.Object(
  {
    id: Type.String(),
    playerId: Type.String({ description: '`userId` of the player who sent it' }),
    reason: Type.String({ description: 'A permanent code' }),
    message: Type.String({ description: 'A sentence for the developer' }),
    path: Type.String({ description: 'JSON pointer to what is wrong; empty for the event as a whole' }),
    eventType: nullable(Type.String({ description: 'Null where it could not be read' })),
    raw: Type.String({ description: 'The JSON text of the event as it was sent' }),
    isCut: Type.Boolean({
      description: 'Only the beginning of `raw` was kept: the corrected event is needed to replay it',
    }),
    clientBuild: nullable(Type.String()),
    receivedAt: Time('When the service received it'),
    replayedAt: nullable(Time('When it was replayed; null while it is open')),
    replayedAs: nullable(
      Type.String({ description: 'The JSON text that was replayed, if it was corrected' }),
    ),
  },
  { title: 'FailedEvent' },
);

const FAILED_EVENT_EXAMPLE = {
  id: '381',
  playerId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
  reason: 'schema_mismatch',
  message: 'payload.level must be integer.',
  path: '/payload/level',
  eventType: 'Level_Complete',
  raw: '{"eventType":"Level_Complete","timestamp":"2026-11-15T11:59:57.000Z","payload":{"level":"3"}}',
  isCut: false,
  clientBuild: '1.42.0+3817',
  receivedAt: '2026-11-15T11:59:58.000Z',
  replayedAt: null,
  replayedAs: null,
};

export const FailedEventResponse = successOf('FailedEventResponse', FailedEvent, {
  example: FAILED_EVENT_EXAMPLE,
});

export const FailedEventsResponse = listResponse('FailedEventsResponse', 'events', FailedEvent, {
  example: FAILED_EVENT_EXAMPLE,
  description: 'Open entries, newest first',
});

const ReplayRequest = Type.Object(
  {
    event: Type.Optional(
      Type.Unknown({ description: 'The corrected event; the entry as it is if this is left out' }),
    ),
  },
  { title: 'ReplayRequest' },
);
export const ReplayBody = Type.Union([ReplayRequest, Type.Null()], {
  examples: [
    {
      event: { eventType: 'Level_Complete', timestamp: '2026-11-15T11:59:57.000Z', payload: { level: 3 } },
    },
  ],
});
/** What is checked: a body may be left out, which JSON Schema cannot say. */
export const ReplayEnvelope = Type.Union([ReplayRequest, Type.Null(), Type.Undefined()]);

export const ReplayedResponse = successOf(
  'ReplayedResponse',
  Type.Object({
    id: Type.String(),
    wasNew: Type.Boolean({
      description: 'False if the event had arrived another way and was counted already',
    }),
  }),
  { example: { id: '381', wasNew: true } },
);

export const ReplayGroupBody = Type.Object(
  {
    reason: Type.String({ minLength: 1, maxLength: 64, description: '`reason` of the group' }),
    eventType: Type.Optional(
      nullable(
        Type.String({
          maxLength: 128,
          description: 'Only of this type; null for those whose type could not be read; any if left out',
        }),
      ),
    ),
  },
  { title: 'ReplayGroupRequest', examples: [{ reason: 'schema_mismatch', eventType: 'Level_Complete' }] },
);

const Progress = Type.Object(
  {
    total: Type.Integer({ description: 'Entries that were open at the start' }),
    replayed: Type.Integer(),
    duplicates: Type.Integer({ description: 'Of the replayed ones: had arrived another way' }),
    failed: Type.Integer({ description: 'Still refused: they stay, with the new reason' }),
  },
  { title: 'ReplayProgress' },
);
const PROGRESS_EXAMPLE = { total: 412, replayed: 410, duplicates: 3, failed: 2 };

export const ReplayLine = Type.Union(
  [
    Type.Object({ progress: Progress }),
    Type.Object({ result: Progress }, { description: 'The last line' }),
    Type.Object(
      { error: Type.Object({ code: Type.String(), message: Type.String() }) },
      { description: 'The last line, if it failed on the way. What was replayed stays so.' },
    ),
  ],
  { title: 'ReplayLine', examples: [{ progress: PROGRESS_EXAMPLE }, { result: PROGRESS_EXAMPLE }] },
);
