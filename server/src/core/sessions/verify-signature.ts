import { createHmac, timingSafeEqual } from 'node:crypto';

/** The body of a login. */
export type SignedLogin = { apiKey: string; deviceId: string; timestamp: string; signature: string };

const DIGEST_BYTES = 32;

/**
 * Whether `signature` is the canonical Base64 of HMAC-SHA256(secret, "apiKey|deviceId|timestamp"). Compares decoded
 * bytes in constant time. Node's decoder takes white space, the URL alphabet and missing padding, so only what encodes
 * back to itself counts.
 */
export function isSignatureValid(secret: Buffer, login: SignedLogin): boolean {
  const expected = createHmac('sha256', secret)
    .update(`${login.apiKey}|${login.deviceId}|${login.timestamp}`, 'utf8')
    .digest();
  const given = Buffer.alloc(DIGEST_BYTES);
  const decoded = Buffer.from(login.signature, 'base64');
  decoded.copy(given, 0, 0, DIGEST_BYTES);
  const canonical = decoded.length === DIGEST_BYTES && decoded.toString('base64') === login.signature;
  return timingSafeEqual(expected, given) && canonical;
}
