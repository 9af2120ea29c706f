import { ApiError } from '../../platform/errors.js';
import type { Limit } from '../../platform/http/rate-limits.js';
import { formatSeconds, parseLoginTimestamp } from '../../platform/lib/iso-time.js';
import { bucketOfDevice, uuid7InBucket } from '../../platform/lib/player-buckets.js';
import { uuid7 } from '../../platform/lib/uuid7.js';
import { LOGIN_WINDOW_SECONDS } from './login-window.js';
import { firstToken } from './refresh-chain.js';
import type { SessionContext } from './session-context.js';
import { type SessionGrant, sessionGrant } from './session-grant.js';
import type { SignedLogin } from './verify-signature.js';

/** Sessions are counted per device, failures per address. */
export type LoginLimits = Readonly<{ address: string; perDevice: Limit; perAddress: Limit }>;

/** Checks run in the order of the contract: shape, key and signature, window. */
export async function login(
  ctx: SessionContext,
  request: SignedLogin,
  limits: LoginLimits,
): Promise<SessionGrant> {
  const signedAt = parseLoginTimestamp(request.timestamp);
  if (signedAt === undefined) {
    ctx.metrics.logins.inc({ outcome: 'timestamp_malformed' });
    throw new ApiError('timestamp_malformed');
  }

  const now = ctx.clock.now();
  const inWindow = Math.abs(now - signedAt) <= LOGIN_WINDOW_SECONDS * 1000;
  // A cached key serves only to open a session, which fails if the key has been revoked meanwhile.
  const key = await ctx.apiKeys.authenticate(request, inWindow);
  if (key === undefined) return refuse(ctx, limits);
  if (!inWindow) {
    ctx.metrics.logins.inc({ outcome: 'timestamp_out_of_window' });
    throw new ApiError('timestamp_out_of_window', { details: { serverTime: formatSeconds(now) } });
  }
  let headers: Record<string, string>;
  try {
    headers = limits.perDevice.take(`${key.keyId}|${request.deviceId}`);
  } catch (error) {
    // A request with a revoked key gets no other error than that.
    if ((await ctx.apiKeys.authenticate(request, false)) === undefined) return refuse(ctx, limits);
    throw error;
  }

  const sessionId = uuid7(now);
  const { token: refreshToken, state } = firstToken(sessionId);
  const session = {
    sessionId,
    userIdIfNew: uuid7InBucket(now, bucketOfDevice(key.gameId, request.deviceId)),
    gameId: key.gameId,
    deviceId: request.deviceId,
    forgottenId: ctx.deviceHashes.forgottenId(key.gameId, request.deviceId),
    keyId: key.keyId,
    createdAt: now,
    expiresAt: now + ctx.settings.refreshTtlSeconds * 1000,
    refresh: state,
  };
  const player = (await ctx.loginBatcher.submit(session)) ?? (await ctx.loginBatcher.submit(session));
  if (player === undefined) {
    ctx.apiKeys.forget(key.keyId);
    return refuse(ctx, limits);
  }

  ctx.metrics.logins.inc({ outcome: 'ok' });
  return sessionGrant(ctx, {
    player,
    sessionId,
    deviceId: request.deviceId,
    tenantId: key.tenantSlug,
    gameId: key.gameSlug,
    refreshToken,
    headers,
  });
}

/**
 * Failures count against the address, and the limit holds up failures only: many players share the address of a carrier's
 * NAT.
 */
function refuse(ctx: SessionContext, { address, perAddress }: LoginLimits): never {
  ctx.metrics.logins.inc({ outcome: 'refused' });
  perAddress.take(address);
  throw new ApiError('credentials_invalid');
}
