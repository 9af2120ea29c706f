import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ErrorCode } from '../../platform/errors.js';
import type { Limit } from '../../platform/http/rate-limits.js';
import { refuseRepeatedHeaders } from '../../platform/http/repeated-headers.js';
import type { PlayerRow } from '../players/player-row.js';
import type { AccessClaims } from './access-token.js';
import type { GuardContext } from './guard-context.js';
import { isKeyAllowed } from './key-environment.js';
import { createSessionCircuitBreaker, NOT_ASKED } from './session-circuit-breaker.js';
import type { LivePlayer } from './session-queries.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the player guard. */
    claims: AccessClaims | undefined;
    /** Also set by the guard of server routes, without a session. */
    player: PlayerRow | undefined;
  }
}

export type Authenticated = { claims: AccessClaims; player: PlayerRow };
/** The player is undefined when the database could not be asked and the token alone counted. */
export type Sender = { claims: AccessClaims; player: PlayerRow | undefined };

type HeaderRule = { header: string; name: string; mismatch: ErrorCode; claim: keyof AccessClaims };

const TENANT: HeaderRule = {
  header: 'x-tenant-id',
  name: 'X-Tenant-ID',
  mismatch: 'tenant_mismatch',
  claim: 'tenantId',
};
const GAME: HeaderRule = {
  header: 'x-game-id',
  name: 'X-Game-Id',
  mismatch: 'game_mismatch',
  claim: 'gameId',
};
const PLAYER: HeaderRule = {
  header: 'x-player-id',
  name: 'X-Player-Id',
  mismatch: 'player_mismatch',
  claim: 'userId',
};

/** What a route asks of its requests, and the rate limit that counts them per player. */
export type GuardOptions = Readonly<{ headers: readonly HeaderRule[]; limit: Limit }>;

export const NO_HEADERS: readonly HeaderRule[] = [];
export const TENANT_HEADER: readonly HeaderRule[] = [TENANT];
export const PLAYER_HEADERS: readonly HeaderRule[] = [TENANT, GAME, PLAYER];

const IDENTITY_HEADERS: ReadonlySet<string> = new Set([TENANT, GAME, PLAYER].map(({ header }) => header));

/**
 * The guard of every scope that needs a player, as an onRequest hook: nothing of a body is read before the token, the
 * session and the identity headers have been checked, in this order. The token decides who the player is; the headers
 * are only compared with it.
 */
export function requirePlayer(ctx: GuardContext, options: GuardOptions) {
  return guard(ctx, options, (sessionId) => ctx.livePlayers.submit(sessionId));
}

/**
 * The guard of routes that a queue takes over. With a queue, a verified, unexpired token is enough while the database cannot
 * be reached. Until the database is back, a session that has ended may go on sending events for the rest of its token's life
 * (an hour by default). Such a session can only send events of its own player: it reads nothing, and touches no other
 * player's data.
 */
export function requireSender(ctx: GuardContext, options: GuardOptions, announce: Announce) {
  const findPlayer: FindPlayer =
    ctx.settings.nats === undefined
      ? (sessionId) => ctx.livePlayers.submit(sessionId)
      : createSessionCircuitBreaker(ctx.livePlayers);
  return guard(ctx, options, findPlayer, announce);
}

type FindPlayer = (sessionId: string) => Promise<LivePlayer | typeof NOT_ASKED | undefined>;
/** Called when the token has been checked and before the database is asked; throws to refuse the request. */
type Announce = (request: FastifyRequest, reply: FastifyReply, userId: string) => void;

function guard(
  ctx: GuardContext,
  { headers, limit }: GuardOptions,
  findPlayer: FindPlayer,
  announce: Announce = () => {},
) {
  const admit = (
    request: FastifyRequest,
    reply: FastifyReply,
    claims: AccessClaims,
    player: LivePlayer | typeof NOT_ASKED | undefined,
  ): void => {
    if (player === undefined) throw new ApiError('session_ended');
    if (player !== NOT_ASKED && !isKeyAllowed(ctx.settings, player.environment))
      throw new ApiError('session_ended');
    if (!ctx.signingKeys.isTrusted(claims.kid)) {
      ctx.accessTokens.forget(request.headers.authorization);
      throw new ApiError('token_invalid');
    }
    // After the session: a token of one that has ended must not use up the player's quota.
    reply.headers(limit.take(claims.userId));
    refuseRepeatedHeaders(request.raw, IDENTITY_HEADERS);
    checkIdentityHeaders(request, claims, headers);
    request.claims = claims;
    request.player = player === NOT_ASKED ? undefined : player;
  };

  /**
   * The version of the signing keys that the look-up returns counts for this very request: a revoked key is refused at once.
   */
  const admitInTime = (
    request: FastifyRequest,
    reply: FastifyReply,
    claims: AccessClaims,
    player: LivePlayer | typeof NOT_ASKED | undefined,
  ): void | Promise<void> => {
    const isAsked = player !== undefined && player !== NOT_ASKED;
    const reading = isAsked ? ctx.signingKeys.catchUp(player.signingKeysVersion) : undefined;
    if (reading === undefined) return admit(request, reply, claims, player);
    return reading.then(() => admit(request, reply, claims, player));
  };

  // Not an async function: a cached token and a batched look-up need one promise, and each further promise costs a read 1%.
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const verified = ctx.accessTokens.verify(request.headers.authorization);
    if (verified instanceof Promise) {
      return verified.then(async (claims) => {
        announce(request, reply, claims.userId);
        return admitInTime(request, reply, claims, await findPlayer(claims.sessionId));
      });
    }
    announce(request, reply, verified.userId);
    return findPlayer(verified.sessionId).then((player) => admitInTime(request, reply, verified, player));
  };
}

/** What `requirePlayer` put on the request. */
export function authenticated(request: FastifyRequest): Authenticated {
  const { claims, player } = request;
  if (claims === undefined || player === undefined) throw new Error('this route is outside of its guard');
  return { claims, player };
}

/** What `requireSender` put on the request. */
export function senderOf({ claims, player }: FastifyRequest): Sender {
  if (claims === undefined) throw new Error('this route is outside of its guard');
  return { claims, player };
}

function checkIdentityHeaders(
  request: FastifyRequest,
  claims: AccessClaims,
  rules: readonly HeaderRule[],
): void {
  for (const { header, name } of rules) {
    const value = request.headers[header];
    if (value === undefined || value === '') {
      throw new ApiError('header_missing', { message: `The header ${name} is missing.` });
    }
  }
  for (const { header, mismatch, claim } of rules) {
    if (request.headers[header] !== claims[claim]) throw new ApiError(mismatch);
  }
}
