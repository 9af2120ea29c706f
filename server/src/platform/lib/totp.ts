import { createHmac, timingSafeEqual } from 'node:crypto';

/** One-time codes by time: RFC 6238 on RFC 4226, as authenticator apps make them (HMAC-SHA-1, 30 seconds, six digits). */

const STEP_MS = 30_000;
const DIGITS = 6;
/** A clock that is half a minute wrong, and a code that is typed slowly, are fine (RFC 6238, 5.2). */
const STEPS_AROUND = 1;
/** RFC 4648, which authenticator apps read. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / STEP_MS);
}

/** The code of an interval. */
export function codeAt(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/**
 * The interval that this code belongs to, now or nearly; undefined if the code is wrong. The caller remembers which intervals
 * were used.
 */
export function findStep(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  const given = Buffer.from(code);
  const now = stepAt(nowMs);
  let found: number | undefined;
  for (let step = now - STEPS_AROUND; step <= now + STEPS_AROUND; step++) {
    const expected = Buffer.from(codeAt(secret, step));
    const isEqual = given.length === expected.length && timingSafeEqual(given, expected);
    if (isEqual) found ??= step;
  }
  return found;
}

export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >>> bits) & 31];
    }
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31];
}

/** For a QR code: https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
export function otpauthUri(issuer: string, account: string, secret: Uint8Array): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
