import { type KeyObject, sign, verify } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { parseObject } from '../../platform/lib/is-object.js';

/**
 * Access tokens as this service writes them: compact JWS, ES256, with these three members in the header. Signed and checked with
 * node:crypto, which does it on the thread that asks. jose goes through WebCrypto and its threads: it takes 1.7 times the CPU to
 * sign and 1.2 times the CPU to check, and these are the largest parts of a login and of the first request with a token.
 *
 * Only a token that is written exactly like this is checked here. Anything else is left to jose, so that nothing depends on how
 * headers and claims could be read otherwise.
 */
export function writeOwnToken(kid: string, privateKey: KeyObject, claims: Record<string, unknown>): string {
  const signed = `${headerOf(kid)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

export type OwnToken = Readonly<{ kid: string; signed: string; signature: Buffer; claimsText: string }>;

/** The parts of a token that has our header; undefined for any other. Nothing of it has been checked yet. */
export function splitOwnToken(token: string): OwnToken | undefined {
  const [header = '', claims = '', signature = '', ...more] = token.split('.');
  const kid = more.length > 0 ? undefined : kidOf(header);
  if (kid === undefined) return undefined;
  return {
    kid,
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, 'base64url'),
    claimsText: Buffer.from(claims, 'base64url').toString(),
  };
}

export function isSignedWith({ signed, signature }: OwnToken, publicKey: KeyObject): boolean {
  return verify('sha256', Buffer.from(signed), { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}

type Expected = { issuer: string; audience: string; nowMs: number };

/** The claims of a token that says what ours say and has not expired; undefined for any other. */
export function usualClaims(
  { claimsText }: OwnToken,
  { issuer, audience, nowMs }: Expected,
): JWTPayload | undefined {
  const claims = parseObject(claimsText);
  if (claims === undefined || 'nbf' in claims) return undefined;
  const { iss, aud, sub, jti, iat, exp } = claims;
  const isUsual =
    iss === issuer &&
    aud === audience &&
    typeof sub === 'string' &&
    typeof jti === 'string' &&
    typeof iat === 'number' &&
    typeof exp === 'number' &&
    exp > Math.floor(nowMs / 1000);
  return isUsual ? claims : undefined;
}

function headerOf(kid: string): string {
  return encode({ alg: 'ES256', typ: 'at+jwt', kid });
}

function kidOf(header: string): string | undefined {
  const kid = parseObject(Buffer.from(header, 'base64url').toString())?.kid;
  return typeof kid === 'string' && headerOf(kid) === header ? kid : undefined;
}

function encode(part: Record<string, unknown>): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
