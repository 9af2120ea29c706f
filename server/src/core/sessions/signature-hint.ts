import { createHash, createHmac } from 'node:crypto';
import { parseLoginTimestamp } from '../../platform/lib/iso-time.js';
import type { SignedLogin } from './verify-signature.js';

/**
 * What a wrong signature looks like compared with the right one, for the developer's log. It is never part of a response: a
 * response that distinguished near misses would help to guess. The hint names fields and forms, and holds none of their
 * values, neither the secret nor the right signature.
 */
export function signatureHint(secret: Buffer, login: SignedLogin): string | undefined {
  for (const { form, bytes } of readings(login.signature)) {
    for (const { hint, digest } of mistakes(secret, login)) {
      if (digest().equals(bytes)) return [form, hint].filter((part) => part !== '').join(', ');
    }
  }
  return undefined;
}

type Reading = { form: string; bytes: Buffer };
type Mistake = { hint: string; digest: () => Buffer };

/** The ways to read the text of a signature as bytes. */
function* readings(text: string): Generator<Reading> {
  const bare = text.replaceAll(/\s/g, '');
  const decoded = percentDecoded(bare);
  for (const [form, base64] of [
    ['', text],
    ['with white space in or around it', bare],
    ['percent-encoded', decoded],
    ['in Base64 without its padding', padded(bare)],
    ['in the URL alphabet of Base64', padded(bare.replaceAll('-', '+').replaceAll('_', '/'))],
  ] as const) {
    const bytes = Buffer.from(base64, 'base64');
    if (base64 === '' || bytes.toString('base64') !== base64) continue;
    yield { form, bytes };
    const inner = bytes.toString('latin1');
    if (isHex(inner)) yield { form: 'as the Base64 of a hexadecimal text', bytes: Buffer.from(inner, 'hex') };
  }
  if (isHex(bare)) yield { form: 'in hexadecimal', bytes: Buffer.from(bare, 'hex') };
}

function isHex(text: string): boolean {
  return text.length >= 32 && /^(?:[0-9a-f]{2})+$/i.test(text);
}

function padded(base64: string): string {
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Common deviations from the specification. The first is no deviation: then only the form of the signature is wrong. */
function* mistakes(secret: Buffer, login: SignedLogin): Generator<Mistake> {
  const { apiKey, deviceId, timestamp } = login;
  const text = [apiKey, deviceId, timestamp].join('|');
  const over = (hint: string, signed: string): Mistake => ({ hint, digest: () => hmac(secret, signed) });
  yield over('', text);
  yield over('over a text that ends in a line break', `${text}\n`);
  yield* keyMistakes(secret, apiKey, text);
  yield* orderMistakes(login).map(([hint, signed]) => over(hint, signed));
  for (const separator of ['', ':', ',', ';', '.', '-', '_', '&', '/', ' ', '\n', '||', ' | ']) {
    const what = separator === '' ? 'nothing' : JSON.stringify(separator);
    yield over(`with ${what} between the fields`, [apiKey, deviceId, timestamp].join(separator));
  }
  for (const algorithm of ['sha1', 'sha512', 'sha384', 'md5']) {
    const digest = () => createHmac(algorithm, secret).update(text).digest();
    yield { hint: `made with HMAC-${algorithm.toUpperCase()}`, digest };
  }
  for (const hashed of [[text], [secret, text], [text, secret], [text, '|', secret]]) {
    const digest = () =>
      createHash('sha256')
        .update(Buffer.concat(hashed.map(toBytes)))
        .digest();
    yield { hint: 'made with plain SHA-256 instead of HMAC', digest };
  }
  for (const [hint, other] of otherTimestamps(timestamp)) {
    yield over(hint, [apiKey, deviceId, other].join('|'));
  }
}

function* keyMistakes(secret: Buffer, apiKey: string, text: string): Generator<Mistake> {
  const given = secret.toString('latin1');
  for (const [hint, key] of [
    ['keyed with the secret and a line break after it', `${given}\n`],
    ['keyed with the secret and a line break after it', `${given}\r\n`],
    ['keyed with the secret and a space after it', `${given} `],
    ['keyed with the secret and a space before it', ` ${given}`],
    ['keyed with the secret in quotes', `"${given}"`],
  ] as const) {
    yield { hint, digest: () => hmac(Buffer.from(key, 'latin1'), text) };
  }
  yield { hint: 'keyed with the API key', digest: () => hmac(Buffer.from(apiKey), text) };
  for (const encoding of ['base64', 'hex'] as const) {
    const hint = `keyed with the secret decoded as ${encoding === 'hex' ? 'hexadecimal' : 'Base64'}`;
    yield { hint, digest: () => hmac(Buffer.from(given, encoding), text) };
  }
}

function orderMistakes({ apiKey, deviceId, timestamp }: SignedLogin): [hint: string, signed: string][] {
  const fields = { apiKey, deviceId, timestamp };
  const orders: (keyof typeof fields)[][] = [
    ['apiKey', 'timestamp', 'deviceId'],
    ['deviceId', 'apiKey', 'timestamp'],
    ['deviceId', 'timestamp', 'apiKey'],
    ['timestamp', 'apiKey', 'deviceId'],
    ['timestamp', 'deviceId', 'apiKey'],
    ['apiKey', 'deviceId'],
    ['apiKey', 'timestamp'],
    ['deviceId', 'timestamp'],
  ];
  return orders.map((names) => [`over ${names.join('|')}`, names.map((name) => fields[name]).join('|')]);
}

/** Other forms of the same second: clients often sign another form than the one they send. */
function* otherTimestamps(timestamp: string): Generator<[hint: string, timestamp: string]> {
  const at = parseLoginTimestamp(timestamp);
  if (at === undefined) return;
  const second = timestamp.slice(0, -1);
  yield ['over a timestamp without Z', second];
  yield ['over a timestamp with +00:00 in place of Z', `${second}+00:00`];
  yield ['over a timestamp with a space in place of T', timestamp.replace('T', ' ')];
  yield ['over a timestamp in seconds since 1970', String(at / 1000)];
  for (let ms = 0; ms < 1000; ms++) {
    yield ['over a timestamp with milliseconds', `${second}.${String(ms).padStart(3, '0')}Z`];
    yield ['over a timestamp in milliseconds since 1970', String(at + ms)];
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

function toBytes(part: string | Buffer): Buffer {
  return typeof part === 'string' ? Buffer.from(part) : part;
}
