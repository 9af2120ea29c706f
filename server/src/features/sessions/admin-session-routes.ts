import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../admin/admin-context.js';
import { gameErrors } from '../../admin/admin-errors.js';
import { actorOf, gameOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, success, toTime } from '../../admin/admin-responses.js';
import { cursorInvalid, cursorOf, cutPage, pageParameters } from '../../admin/page-cursor.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { checkBodyAgainst, withSchemaTypes } from '../../http/validation.js';
import { UUID_ANY_CASE } from '../../lib/uuid.js';
import { PlayerParameters } from '../players/admin-player-schemas.js';
import { playerOf, userIdOf } from '../players/player-parameter.js';
import {
  DevicesResponse,
  RevokeBody,
  RevokedResponse,
  RevokeEnvelope,
  SessionsResponse,
} from './admin-session-schemas.js';
import { shownDeviceId } from './forgotten-devices.js';
import { revokeSessions } from './revoke-sessions.js';
import {
  type ListedSession,
  listDevices,
  listSessions,
  NO_SESSION,
  type SessionKey,
} from './session-list-queries.js';

const LIMITS = { max: 200, fallback: 50 };
const LATEST_MS = Date.UTC(9999, 11, 31);

/** Where a player is logged in, and how the studio ends sessions. */
export function adminSessionRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const common = { ...adminSchema('Players'), params: PlayerParameters };
  const routes = withSchemaTypes(app);
  const viewer = requireRole(ctx, 'viewer');
  const querystring = Type.Object(pageParameters(LIMITS));
  const listErrors = gameErrors(['parameter_invalid', 'player_not_found']);

  routes.get(
    '/admin/v1/games/:game/players/:playerId/devices',
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'listDevices',
        summary: 'The devices of a player',
        querystring,
        response: { 200: DevicesResponse, ...listErrors },
      },
    },
    async (request) => {
      const { cursor, limit = LIMITS.fallback } = request.query;
      const after = cursorOf('devices', cursor, [''])?.[0] ?? '';
      const playerId = await playerOf(ctx, request);
      const devices = await listDevices(ctx.pool, playerId, after, limit + 1);
      const { page, nextCursor } = cutPage('devices', devices, limit, ({ deviceId }) => [deviceId]);
      return success({
        devices: page.map(({ deviceId, createdAt }) => ({
          deviceId: shownDeviceId(deviceId),
          createdAt: toTime(createdAt),
        })),
        nextCursor,
      });
    },
  );

  routes.get(
    '/admin/v1/games/:game/players/:playerId/sessions',
    {
      onRequest: viewer,
      schema: {
        ...common,
        operationId: 'listSessions',
        summary: 'The sessions of a player, newest first',
        querystring,
        response: { 200: SessionsResponse, ...listErrors },
      },
    },
    async (request) => {
      const { cursor, limit = LIMITS.fallback } = request.query;
      const before = sessionKey(cursorOf('sessions', cursor, [0, '']));
      const playerId = await playerOf(ctx, request);
      const sessions = await listSessions(ctx.pool, playerId, before, limit + 1);
      const keyOf = ({ createdAt, sessionId }: ListedSession) => [createdAt, sessionId];
      const { page, nextCursor } = cutPage('sessions', sessions, limit, keyOf);
      const nowMs = ctx.clock.now();
      return success({ sessions: page.map((session) => sessionResponse(session, nowMs)), nextCursor });
    },
  );

  routes.post(
    '/admin/v1/games/:game/players/:playerId/sessions/revoke',
    {
      onRequest: requireRole(ctx, 'editor'),
      validatorCompiler: checkBodyAgainst(RevokeEnvelope),
      schema: {
        ...common,
        operationId: 'revokeSessions',
        summary: 'End a session of a player, or all of them',
        description: 'The player is logged out with the next request, and can log in again.',
        body: RevokeBody,
        response: {
          200: RevokedResponse,
          ...gameErrors([...BODY_ERRORS, 'player_not_found', 'session_not_found']),
        },
      },
    },
    async (request) => {
      const { sessionId = null } = request.body ?? {};
      if (sessionId !== null && !UUID_ANY_CASE.test(sessionId)) throw new ApiError('session_not_found');
      const { gameId } = await gameOf(ctx, request);
      const playerId = await playerOf(ctx, request);
      const revocation = { gameId, playerId, userId: userIdOf(request), sessionId };
      const revokedSessions = await revokeSessions(ctx.pool, revocation, actorOf(ctx, request));
      if (sessionId !== null && revokedSessions === 0) throw new ApiError('session_not_found');
      return success({ revokedSessions });
    },
  );
}

function sessionKey(cursor: readonly [number, string] | undefined): SessionKey {
  if (cursor === undefined) return { createdAtMs: LATEST_MS, sessionId: NO_SESSION };
  const [createdAtMs, sessionId] = cursor;
  const isKey = createdAtMs >= 0 && createdAtMs <= LATEST_MS && UUID_ANY_CASE.test(sessionId);
  if (isKey) return { createdAtMs, sessionId };
  throw cursorInvalid();
}

function sessionResponse(
  { keyId, createdAt, expiresAt, hasEndedWithKey, ...session }: ListedSession,
  nowMs: number,
) {
  return {
    ...session,
    apiKey: keyId,
    createdAt: toTime(createdAt),
    expiresAt: toTime(expiresAt),
    isLive: expiresAt > nowMs && !hasEndedWithKey,
  };
}
