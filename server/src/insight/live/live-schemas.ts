import { type Static, Type } from 'typebox';
import { Time } from '../../platform/admin-api/admin-responses.js';

/** Documentation of the live tail: what the `data` of its server-sent events holds. */

export const LiveEvent = Type.Object(
  {
    receivedAt: Time('When the service received it'),
    playerId: Type.String({ description: '`userId` of the player who sent it' }),
    eventType: Type.String(),
    timestamp: Type.String({ description: "The event's own time, as the client sent it" }),
    payload: Type.Record(Type.String(), Type.Unknown()),
    metadata: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'LiveEvent', description: '`event: event`' },
);
export type LiveEvent = Static<typeof LiveEvent>;

const LiveRate = Type.Object(
  {
    events: Type.Integer({ description: 'Events that were received since the last message of this kind' }),
    shown: Type.Integer({ description: 'Of these: sent as `event`' }),
    isMore: Type.Boolean({ description: 'There were more than were counted' }),
    seconds: Type.Number({ description: 'How long that was' }),
  },
  { title: 'LiveRate', description: '`event: rate`, about once a second' },
);

export const LiveMessage = Type.Union([LiveEvent, LiveRate], {
  title: 'LiveMessage',
  examples: [
    {
      receivedAt: '2026-11-15T11:59:58.120Z',
      playerId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a',
      eventType: 'Level_Complete',
      timestamp: '2026-11-15T11:59:57.000Z',
      payload: { level: 3 },
      metadata: { osName: 'Android' },
    },
    { events: 1240, shown: 100, isMore: false, seconds: 1 },
  ],
});
