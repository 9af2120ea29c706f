import { SavepointError } from '../errors.js';
import { fromBase64Url } from './base64.js';
import { createPublicKeys } from './public-keys.js';

/**
 * What {@link createPlayerVerifier} is made with. `gameId` and `tenantId`, where given, refuse players of another game or studio.
 *
 * @example
 * ```ts
 * const options: VerifierOptions = { baseUrl: 'https://players.example.com', gameId: 'rocket' };
 * ```
 */
export type VerifierOptions = {
  /** Address of the service. */
  baseUrl: string;
  gameId?: string;
  tenantId?: string;
  /** `SAVEPOINT_TOKEN_ISSUER` of the service. Default `savepoint`. */
  issuer?: string;
  /** `SAVEPOINT_TOKEN_AUDIENCE` of the service. Default `savepoint-players`. */
  audience?: string;
  /** By how much the clocks may differ. Default 30. */
  toleranceSeconds?: number;
  /** Default: the platform's `fetch`. */
  fetch?: typeof fetch;
};

/**
 * Who sent a token.
 *
 * @example
 * ```ts
 * const { userId }: VerifiedPlayer = await verifyPlayer(token);
 * ```
 */
export type VerifiedPlayer = {
  userId: string;
  tenantId: string;
  gameId: string;
  deviceId: string;
  sessionId: string;
  /** Epoch milliseconds. */
  expiresAt: number;
};

/**
 * Makes a check of access tokens for a game server. It asks the service for its public keys only, every five minutes and when
 * they change, so players are checked without a request. A logout is noticed when the token ends, an hour later at most.
 *
 * Rejects with `token_expired`, `token_invalid`, or `keys_unavailable` where the service could not be reached for an hour.
 *
 * @example
 * ```ts
 * import { createPlayerVerifier } from '@savepoint/client/server';
 *
 * const verifyPlayer = createPlayerVerifier({ baseUrl: 'https://players.example.com', gameId: 'rocket' });
 * const { userId } = await verifyPlayer(request.headers.authorization.replace('Bearer ', ''));
 * ```
 */
export function createPlayerVerifier(options: VerifierOptions): (token: string) => Promise<VerifiedPlayer> {
  const { issuer = 'savepoint', audience = 'savepoint-players', toleranceSeconds = 30 } = options;
  const url = `${options.baseUrl.replace(/\/+$/, '')}/.well-known/jwks.json`;
  const keys = createPublicKeys(url, options.fetch ?? ((input, init) => fetch(input, init)));

  return async (token) => {
    const [head, body, tail, ...more] = token.split('.');
    const header = parse(head);
    const claims = parse(body);
    const signature = fromBase64Url(tail ?? '');
    if (header === undefined || claims === undefined || signature === undefined || more.length > 0) {
      throw invalid('It is not a token.');
    }
    if (header.alg !== 'ES256' || header.typ !== 'at+jwt' || typeof header.kid !== 'string') {
      throw invalid('It is not an access token of the service.');
    }
    const key = await keys.find(header.kid);
    const signed = new TextEncoder().encode(`${head}.${body}`);
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
    if (key === undefined || !(await crypto.subtle.verify(algorithm, key, signature, signed))) {
      throw invalid('The service has not signed it.');
    }
    return readClaims(claims, { ...options, issuer, audience, toleranceSeconds });
  };
}

type Checks = Required<Pick<VerifierOptions, 'issuer' | 'audience' | 'toleranceSeconds'>> & VerifierOptions;

function readClaims(claims: Record<string, unknown>, checks: Checks): VerifiedPlayer {
  const { sub, tid, gid, did, sid, iss, aud, exp } = claims;
  if (iss !== checks.issuer || ![aud].flat().includes(checks.audience))
    throw invalid('It is for another service.');
  if (checks.tenantId !== undefined && tid !== checks.tenantId) throw invalid('It is of another studio.');
  if (checks.gameId !== undefined && gid !== checks.gameId) throw invalid('It is of another game.');
  if (typeof exp !== 'number' || typeof sub !== 'string') throw invalid('Claims are missing.');
  if (Date.now() > (exp + checks.toleranceSeconds) * 1000) {
    throw new SavepointError('token_expired', 'The access token has expired.');
  }
  return {
    userId: sub,
    tenantId: String(tid),
    gameId: String(gid),
    deviceId: String(did),
    sessionId: String(sid),
    expiresAt: exp * 1000,
  };
}

function parse(part: string | undefined): Record<string, unknown> | undefined {
  const bytes = fromBase64Url(part ?? '');
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function invalid(why: string): SavepointError {
  return new SavepointError('token_invalid', `The access token is not valid. ${why}`);
}
