import { randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The form of a server key: `sps_<id>_<secret><checksum>`. The checksum lets a scanner of repositories tell a leaked key from a
 * random text, without asking anybody.
 */
export type ServerKey = Readonly<{ keyId: string; secret: string }>;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is more than 2^256. */
const SECRET_LENGTH = 43;
/** 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(
  `^(sps_[0-9a-f]{24})_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

export function generateServerKey(): ServerKey {
  const secret = Array.from({ length: SECRET_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  return { keyId: `sps_${randomBytes(12).toString('hex')}`, secret };
}

export function writeServerKey({ keyId, secret }: ServerKey): string {
  return `${keyId}_${secret}${checksum(`${keyId}_${secret}`)}`;
}

/** Undefined for a text that cannot be a server key. */
export function readServerKey(text: string): ServerKey | undefined {
  const [, keyId, secret, sum] = FORM.exec(text) ?? [];
  if (keyId === undefined || secret === undefined) return undefined;
  return sum === checksum(`${keyId}_${secret}`) ? { keyId, secret } : undefined;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let n = 0; n < CHECKSUM_LENGTH; n++) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
