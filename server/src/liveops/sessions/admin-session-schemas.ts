import { Type } from 'typebox';
import { successOf, Time } from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';

/** Documentation of the devices and sessions of a player. */

export const DevicesResponse = listResponse(
  'DevicesResponse',
  'devices',
  Type.Object({ deviceId: Type.String(), createdAt: Time('First login of the device') }, { title: 'Device' }),
  { example: { deviceId: 'device-1', createdAt: '2026-11-01T09:30:00.000Z' }, description: 'By their ids' },
);

export const SessionsResponse = listResponse(
  'SessionsResponse',
  'sessions',
  Type.Object(
    {
      sessionId: Type.String(),
      deviceId: Type.String(),
      apiKey: Type.String({ description: 'The key that it was opened with' }),
      createdAt: Time('When it was opened'),
      expiresAt: Time('When it can no longer be refreshed; each refresh moves this on'),
      isLive: Type.Boolean({ description: 'False when it has expired, or ended with its key' }),
    },
    { title: 'PlayerSession' },
  ),
  {
    example: {
      sessionId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1b',
      deviceId: 'device-1',
      apiKey: 'dev-key',
      createdAt: '2026-11-15T09:30:00.000Z',
      expiresAt: '2026-12-15T09:30:00.000Z',
      isLive: true,
    },
    description: 'Newest first. A session that is logged out or revoked is deleted.',
  },
);

const RevokeRequest = Type.Object(
  {
    sessionId: Type.Optional(
      Type.String({ maxLength: 64, description: 'The session to end; all of them if it is left out' }),
    ),
  },
  { title: 'RevokeSessionsRequest' },
);
export const RevokeBody = Type.Union([RevokeRequest, Type.Null()], {
  examples: [{ sessionId: '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1b' }],
});
/** What is checked: a body may be left out, which JSON Schema cannot say. */
export const RevokeEnvelope = Type.Union([RevokeRequest, Type.Null(), Type.Undefined()]);

export const RevokedResponse = successOf(
  'SessionsRevokedResponse',
  Type.Object({ revokedSessions: Type.Integer() }),
  {
    description: "From now on the sessions' tokens are refused on every node.",
    example: { revokedSessions: 1 },
  },
);
