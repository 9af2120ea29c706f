import { errors, type JWTPayload, jwtVerify } from 'jose';
import { ApiError } from '../../platform/errors.js';
import { bearerToken } from '../../platform/http/bearer-token.js';
import type { Clock } from '../../platform/lib/clock.js';
import { createFifoMap } from '../../platform/lib/fifo-map.js';
import { UUID } from '../../platform/lib/uuid.js';
import { uuid7 } from '../../platform/lib/uuid7.js';
import { isSignedWith, splitOwnToken, usualClaims, writeOwnToken } from './own-token.js';
import type { SigningKeys } from './signing-keys.js';

/** What an access token says: who the player is and which session this is. */
export type AccessClaims = Readonly<{
  userId: string;
  tenantId: string;
  gameId: string;
  deviceId: string;
  sessionId: string;
  expiresAtMs: number;
  /** The key that signed it. */
  kid: string;
}>;

export type AccessTokens = {
  issue(claims: Omit<AccessClaims, 'expiresAtMs' | 'kid'>): string;
  /**
   * The claims of the good token in an Authorization header; throws a 401 for anything else. Returns synchronously for a
   * header seen before.
   */
  verify(authorization: string | undefined): AccessClaims | Promise<AccessClaims>;
  /** The token was verified, and its key was revoked later. */
  forget(authorization: string | undefined): void;
};

type Options = {
  keys: SigningKeys;
  clock: Clock;
  issuer: string;
  audience: string;
  ttlSeconds: number;
};

/** Checking ES256 costs more than the rest of a read, so verified tokens are cached; about 1 KB each. */
const REMEMBERED_TOKENS = 20_000;
/** Our tokens have about 600 bytes. Longer ones are refused unread. */
const MAX_TOKEN_LENGTH = 4_096;

export function createAccessTokens({ keys, clock, issuer, audience, ttlSeconds }: Options): AccessTokens {
  /** Keyed by the whole header, so that a look-up needs no parsing. */
  const remembered = createFifoMap<string, AccessClaims>();

  const remember = (authorization: string, claims: AccessClaims): void => {
    if (remembered.size >= REMEMBERED_TOKENS) {
      const oldest = remembered.oldest();
      if (oldest !== undefined) remembered.delete(oldest[0]);
    }
    remembered.set(authorization, claims);
  };

  /** The claims of a token exactly as we write it, which nearly every token is; undefined for one that jose has to check. */
  const readOwn = async (token: string): Promise<Verified | undefined> => {
    const own = splitOwnToken(token);
    if (own === undefined) return undefined;
    const key = await keys.find(own.kid);
    if (key === undefined || !isSignedWith(own, key)) throw new ApiError('token_invalid');
    const payload = usualClaims(own, { issuer, audience, nowMs: clock.now() });
    return payload === undefined ? undefined : { payload, kid: own.kid };
  };

  const readOther = async (token: string): Promise<Verified> => {
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        // Only the `kid` chooses the key; `jku`, `jwk` and `x5u` of a header are never followed.
        async ({ kid }) => {
          const key = kid === undefined ? undefined : await keys.find(kid);
          if (key === undefined) throw new ApiError('token_invalid');
          return key;
        },
        {
          algorithms: ['ES256'],
          typ: 'at+jwt',
          issuer,
          audience,
          requiredClaims: ['sub', 'exp', 'iat', 'jti'],
          currentDate: new Date(clock.now()),
        },
      );
      return { payload, kid: protectedHeader.kid ?? '' };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new ApiError('token_expired');
      if (error instanceof errors.JOSEError) throw new ApiError('token_invalid');
      throw error;
    }
  };

  const check = async (authorization: string, token: string): Promise<AccessClaims> => {
    if (!isCanonicalSignature(token)) throw new ApiError('token_invalid');
    const claims = readClaims((await readOwn(token)) ?? (await readOther(token)));
    // As clients write it. If more spaces were allowed, one token could fill the cache under many headers.
    if (authorization === `Bearer ${token}`) remember(authorization, claims);
    return claims;
  };

  return {
    issue(claims) {
      const { kid, privateKey } = keys.current();
      const issuedAt = Math.floor(clock.now() / 1000);
      return writeOwnToken(kid, privateKey, {
        iss: issuer,
        aud: audience,
        sub: claims.userId,
        tid: claims.tenantId,
        gid: claims.gameId,
        did: claims.deviceId,
        sid: claims.sessionId,
        iat: issuedAt,
        exp: issuedAt + ttlSeconds,
        jti: uuid7(clock.now()),
      });
    },

    verify(authorization = '') {
      const known = remembered.get(authorization);
      if (known === undefined) {
        const token = bearerToken(authorization);
        if (token.length > MAX_TOKEN_LENGTH) throw new ApiError('token_invalid');
        return check(authorization, token);
      }
      if (known.expiresAtMs > clock.now()) return known;
      remembered.delete(authorization);
      throw new ApiError('token_expired');
    },

    forget(authorization = '') {
      remembered.delete(authorization);
    },
  };
}

/**
 * Base64url of 64 bytes ends in a character of which four bits mean nothing, so sixteen texts decode to one signature. Only
 * the one that encodes back to itself counts. Header and claims need no such check: their text is what is signed.
 */
function isCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

type Verified = { payload: JWTPayload; kid: string };

function readClaims({ payload, kid }: Verified): AccessClaims {
  const text = (name: string): string => {
    const value = payload[name];
    if (typeof value !== 'string' || value === '') throw new ApiError('token_invalid');
    return value;
  };
  const sessionId = text('sid');
  // The id goes into a query shared with other requests. Anything but a UUID would fail the query for all of them.
  if (!UUID.test(sessionId)) throw new ApiError('token_invalid');
  return Object.freeze({
    userId: text('sub'),
    tenantId: text('tid'),
    gameId: text('gid'),
    deviceId: text('did'),
    sessionId,
    expiresAtMs: (payload.exp ?? 0) * 1000,
    kid,
  });
}
