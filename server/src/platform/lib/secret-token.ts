import { createHash, randomBytes } from 'node:crypto';

/** A secret of 256 random bits for a cookie or a link, and what is stored of it: nothing to guess, nothing to salt. */
export function newSecretToken(): { token: string; tokenHash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashOfToken(token) };
}

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
