import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { readUserId, requirePlayer } from '../../core/players/player-parameter.js';
import { shownDeviceId } from '../../core/sessions/forgotten-devices.js';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { cursorInvalid, cursorOf, cutPage, pageParameters } from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { bodyCheckedAs } from '../../platform/http/validation.js';
import { UUID_ANY_CASE } from '../../platform/lib/uuid.js';
import type { AdminContext } from '../../studio/admin-api/admin-context.js';
import { routesOfGame } from '../../studio/admin-api/admin-routes.js';
import { revokeSessions } from '../../studio/sessions/revoke-sessions.js';
import { PlayerParameters } from '../players/admin-player-schemas.js';
import {
  DevicesResponse,
  RevokeBody,
  RevokedResponse,
  RevokeEnvelope,
  SessionsResponse,
} from './admin-session-schemas.js';
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
  const routes = routesOfGame(app, ctx, 'Players');
  const querystring = Type.Object(pageParameters(LIMITS));

  routes.get('/admin/v1/games/:game/players/:playerId/devices', {
    role: 'viewer',
    operationId: 'listDevices',
    summary: 'The devices of a player',
    params: PlayerParameters,
    querystring,
    response: { 200: DevicesResponse },
    errors: ['player_not_found'],
    handle: async ({ gameId, params, query }) => {
      const { cursor, limit = LIMITS.fallback } = query;
      const after = cursorOf('devices', cursor, [''])?.[0] ?? '';
      const playerId = await requirePlayer(ctx.pool, gameId, params.playerId);
      const devices = await listDevices(ctx.pool, playerId, after, limit + 1);
      const { page, nextCursor } = cutPage('devices', devices, limit, ({ deviceId }) => [deviceId]);
      return {
        devices: page.map(({ deviceId, createdAt }) => ({
          deviceId: shownDeviceId(deviceId),
          createdAt: toTime(createdAt),
        })),
        nextCursor,
      };
    },
  });

  routes.get('/admin/v1/games/:game/players/:playerId/sessions', {
    role: 'viewer',
    operationId: 'listSessions',
    summary: 'The sessions of a player, newest first',
    params: PlayerParameters,
    querystring,
    response: { 200: SessionsResponse },
    errors: ['player_not_found'],
    handle: async ({ gameId, params, query }) => {
      const { cursor, limit = LIMITS.fallback } = query;
      const before = sessionKey(cursorOf('sessions', cursor, [0, '']));
      const playerId = await requirePlayer(ctx.pool, gameId, params.playerId);
      const sessions = await listSessions(ctx.pool, playerId, before, limit + 1);
      const keyOf = ({ createdAt, sessionId }: ListedSession) => [createdAt, sessionId];
      const { page, nextCursor } = cutPage('sessions', sessions, limit, keyOf);
      const nowMs = ctx.clock.now();
      return { sessions: page.map((session) => sessionResponse(session, nowMs)), nextCursor };
    },
  });

  routes.post('/admin/v1/games/:game/players/:playerId/sessions/revoke', {
    role: 'editor',
    operationId: 'revokeSessions',
    summary: 'End a session of a player, or all of them',
    description: 'The player is logged out with the next request, and can log in again.',
    params: PlayerParameters,
    ...bodyCheckedAs(RevokeBody, RevokeEnvelope),
    response: { 200: RevokedResponse },
    errors: [...BODY_ERRORS, 'player_not_found', 'session_not_found'],
    handle: async ({ gameId, params, body, actorNow }) => {
      const { sessionId = null } = body ?? {};
      if (sessionId !== null && !UUID_ANY_CASE.test(sessionId)) throw new ApiError('session_not_found');
      const playerId = await requirePlayer(ctx.pool, gameId, params.playerId);
      const revocation = { gameId, playerId, userId: readUserId(params.playerId), sessionId };
      const revokedSessions = await revokeSessions(ctx.pool, revocation, actorNow());
      if (sessionId !== null && revokedSessions === 0) throw new ApiError('session_not_found');
      return { revokedSessions };
    },
  });
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
