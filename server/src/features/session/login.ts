import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.js';
import { isUnavailable, type Pool, pipelinedTransaction } from '../../db/pool.js';
import { ApiError } from '../../errors.js';
import { type Coalescer, coalesce } from '../../lib/coalesce.js';
import { formatSeconds, parseLoginTimestamp } from '../../lib/iso-time.js';
import { seal, UnsealError, unseal } from '../../lib/master-keys.js';
import { uuid7 } from '../../lib/uuid7.js';
import type { PlayerRow } from '../player/player-row.js';
import { apiKeyBinding } from '../tenancy/api-keys.js';
import { isWelcome } from './key-environment.js';
import { firstToken } from './refresh-chain.js';
import { type SessionGrant, sessionGrant } from './session-grant.js';
import {
  type ApiKeyRow,
  findApiKeys,
  insertPlayersForDevices,
  insertSessions,
  type NewSession,
  type OpenedSession,
} from './session-queries.js';
import { isSignatureValid } from './verify-signature.js';

export type LoginRequest = { apiKey: string; deviceId: string; timestamp: string; signature: string };

const WINDOW_MS = 5 * 60_000;
/** Key ids are made of these only, so that `|` in the signed string can never shift a boundary. */
const KEY_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** The database side of logins; those that arrive together share a query and a commit. */
export type LoginDesk = Readonly<{
  keys: Coalescer<string, ApiKeyRow | undefined>;
  sessions: Coalescer<NewSession, PlayerRow | undefined>;
}>;

export function createLoginDesk(pool: Pool): LoginDesk {
  return {
    keys: coalesce({
      maxItems: 500,
      maxInFlight: 2,
      maxWaiting: 10_000,
      async run(keyIds) {
        const rows = await findApiKeys(pool, [...new Set(keyIds)]);
        const byId = new Map(rows.map((row) => [row.keyId, row]));
        return keyIds.map((keyId) => byId.get(keyId));
      },
    }),
    sessions: coalesce({
      maxItems: 200,
      maxInFlight: 2,
      maxWaiting: 10_000,
      run: (sessions) => openSessions(pool, sessions),
      splitOn: (error) => !isUnavailable(error),
    }),
  };
}

/** Checks run in the order of the contract: shape, key and signature, window. */
export async function login(ctx: Context, request: LoginRequest, address: string): Promise<SessionGrant> {
  const signedAt = parseLoginTimestamp(request.timestamp);
  if (signedAt === undefined) {
    ctx.metrics.logins.inc({ outcome: 'timestamp_malformed' });
    throw new ApiError('timestamp_malformed');
  }

  const key = await authenticKey(ctx, request);
  if (key === undefined) return refuse(ctx, address);

  const now = ctx.clock.now();
  if (Math.abs(now - signedAt) > WINDOW_MS) {
    ctx.metrics.logins.inc({ outcome: 'timestamp_out_of_window' });
    throw new ApiError('timestamp_out_of_window', { details: { serverTime: formatSeconds(now) } });
  }
  const headers = ctx.rateLimits.login.take(`${key.keyId}|${request.deviceId}`);

  const sessionId = uuid7(now);
  const { token: refreshToken, state } = firstToken(sessionId, randomBytes);
  const player = await ctx.loginDesk.sessions.submit({
    sessionId,
    gameId: key.gameId,
    deviceId: request.deviceId,
    keyId: key.keyId,
    createdAt: now,
    expiresAt: now + ctx.config.refreshTtlSeconds * 1000,
    refresh: state,
  });
  // The key was revoked between the two statements.
  if (player === undefined) return refuse(ctx, address);

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
 * The key, if it may log in here and signed this request. An unknown key goes the same way as a known one (look-up,
 * unsealing, HMAC, comparison) with a secret that nobody has, so that neither answer nor time tells them apart.
 */
async function authenticKey(ctx: Context, request: LoginRequest): Promise<ApiKeyRow | undefined> {
  const row = await ctx.loginDesk.keys.submit(KEY_ID.test(request.apiKey) ? request.apiKey : '');
  const secret = (row && secretOf(ctx, row)) ?? unseal(ctx.masterKeys, nobodysSecret(ctx), 'nobody');
  const valid = isSignatureValid(secret, request);
  if (row === undefined || !valid || row.revoked) return undefined;
  return isWelcome(ctx.config, row.environment) ? row : undefined;
}

/**
 * Undefined for a row that was tampered with: nobody logs in with it, and nobody learns of it but the log. A master key
 * that is not configured is the operator's mistake, not the row's, and stays an error.
 */
function secretOf(ctx: Context, row: ApiKeyRow): Buffer | undefined {
  try {
    return unseal(ctx.masterKeys, row.sealedSecret, apiKeyBinding(row.tenantSlug, row.keyId));
  } catch (error) {
    if (!(error instanceof UnsealError) || error.reason === 'unknown_key') throw error;
    ctx.logger.error({ err: error, keyId: row.keyId }, 'the secret of an API key does not open');
    return undefined;
  }
}

const nobodysSecrets = new WeakMap<object, Buffer>();

function nobodysSecret(ctx: Context): Buffer {
  const known = nobodysSecrets.get(ctx.masterKeys);
  if (known !== undefined) return known;
  const sealed = seal(ctx.masterKeys, randomBytes(32), 'nobody');
  nobodysSecrets.set(ctx.masterKeys, sealed);
  return sealed;
}

/** Failures count against the address, but only failures are ever held up by it: a carrier's NAT hides many players. */
function refuse(ctx: Context, address: string): never {
  ctx.metrics.logins.inc({ outcome: 'refused' });
  ctx.rateLimits.failures.take(address);
  throw new ApiError('credentials_invalid');
}

async function openSessions(pool: Pool, sessions: NewSession[]): Promise<(PlayerRow | undefined)[]> {
  const opened = new Map<string, PlayerRow>();
  for (const row of await insertSessions(pool, sessions)) opened.set(row.sessionId, row);
  const strangers = sessions.filter((session) => !opened.has(session.sessionId));
  if (strangers.length > 0) {
    for (const row of await welcomeStrangers(pool, strangers)) opened.set(row.sessionId, row);
  }
  return sessions.map((session) => opened.get(session.sessionId));
}

/** In one round trip and one commit. The second statement also sees the players that another node has just made. */
async function welcomeStrangers(pool: Pool, strangers: readonly NewSession[]): Promise<OpenedSession[]> {
  const devices = strangers.map(({ gameId, deviceId, createdAt }) => ({
    gameId,
    deviceId,
    createdAt,
    userId: uuid7(createdAt),
  }));
  const results = await pipelinedTransaction(pool, (client) => [
    insertPlayersForDevices(client, devices),
    insertSessions(client, strangers),
  ]);
  return results.at(-1) ?? [];
}
