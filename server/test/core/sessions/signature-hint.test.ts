import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signatureHint } from '../../../src/core/sessions/signature-hint.js';

const SECRET = 'rI5qT1n0_-Vq8mK2dZs7';
const KEY = 'dev-key';
const DEVICE = 'device-1';
const TIME = '2026-11-15T12:00:00Z';
const TEXT = `${KEY}|${DEVICE}|${TIME}`;

const hmac = (text: string, key: string | Buffer = SECRET, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(text).digest();
const hintFor = (signature: string) =>
  signatureHint(Buffer.from(SECRET), { apiKey: KEY, deviceId: DEVICE, timestamp: TIME, signature });
/** One whose Base64 has all the characters that other forms write differently. */
const urlish = () => {
  for (let n = 0; ; n++) {
    const login = { apiKey: KEY, deviceId: `device-${n}`, timestamp: TIME };
    const digest = hmac(`${KEY}|device-${n}|${TIME}`);
    if (/[+].*[/]|[/].*[+]/.test(digest.toString('base64'))) return { login, digest };
  }
};

describe('the form of a signature', () => {
  it.each([
    ['in hexadecimal', hmac(TEXT).toString('hex')],
    ['in hexadecimal', hmac(TEXT).toString('hex').toUpperCase()],
    ['as the Base64 of a hexadecimal text', Buffer.from(hmac(TEXT).toString('hex')).toString('base64')],
    ['in Base64 without its padding', hmac(TEXT).toString('base64').replaceAll('=', '')],
    ['with white space in or around it', `${hmac(TEXT).toString('base64')}\n`],
    ['with white space in or around it', ` ${hmac(TEXT).toString('base64')}`],
    ['percent-encoded', encodeURIComponent(hmac(TEXT).toString('base64'))],
  ])('%s is recognised', (hint, signature) => {
    expect(hintFor(signature)).toBe(hint);
  });

  it('in the URL alphabet is recognised, with its padding or without', () => {
    const { login, digest } = urlish();
    for (const signature of [digest.toString('base64url'), `${digest.toString('base64url')}=`]) {
      expect(signatureHint(Buffer.from(SECRET), { ...login, signature })).toBe(
        'in the URL alphabet of Base64',
      );
    }
  });
});

describe('what was signed', () => {
  it.each([
    ['over a text that ends in a line break', hmac(`${TEXT}\n`)],
    ['over deviceId|apiKey|timestamp', hmac(`${DEVICE}|${KEY}|${TIME}`)],
    ['over apiKey|timestamp|deviceId', hmac(`${KEY}|${TIME}|${DEVICE}`)],
    ['over timestamp|deviceId|apiKey', hmac(`${TIME}|${DEVICE}|${KEY}`)],
    ['over deviceId|timestamp', hmac(`${DEVICE}|${TIME}`)],
    ['with ":" between the fields', hmac(`${KEY}:${DEVICE}:${TIME}`)],
    ['with nothing between the fields', hmac(KEY + DEVICE + TIME)],
    ['with "\\n" between the fields', hmac([KEY, DEVICE, TIME].join('\n'))],
    ['over a timestamp with milliseconds', hmac(`${KEY}|${DEVICE}|2026-11-15T12:00:00.000Z`)],
    ['over a timestamp with milliseconds', hmac(`${KEY}|${DEVICE}|2026-11-15T12:00:00.417Z`)],
    ['over a timestamp in seconds since 1970', hmac(`${KEY}|${DEVICE}|${Date.parse(TIME) / 1000}`)],
    ['over a timestamp in milliseconds since 1970', hmac(`${KEY}|${DEVICE}|${Date.parse(TIME) + 999}`)],
    ['over a timestamp with +00:00 in place of Z', hmac(`${KEY}|${DEVICE}|2026-11-15T12:00:00+00:00`)],
    ['over a timestamp without Z', hmac(`${KEY}|${DEVICE}|2026-11-15T12:00:00`)],
  ])('%s is recognised', (hint, digest) => {
    expect(hintFor(digest.toString('base64'))).toBe(hint);
  });
});

describe('what it was signed with', () => {
  it.each([
    ['keyed with the secret and a line break after it', hmac(TEXT, `${SECRET}\n`)],
    ['keyed with the secret and a line break after it', hmac(TEXT, `${SECRET}\r\n`)],
    ['keyed with the secret and a space after it', hmac(TEXT, `${SECRET} `)],
    ['keyed with the secret and a space before it', hmac(TEXT, ` ${SECRET}`)],
    ['keyed with the secret in quotes', hmac(TEXT, `"${SECRET}"`)],
    ['keyed with the API key', hmac(TEXT, KEY)],
    ['keyed with the secret decoded as Base64', hmac(TEXT, Buffer.from(SECRET, 'base64'))],
    ['made with HMAC-SHA1', hmac(TEXT, SECRET, 'sha1')],
    ['made with HMAC-SHA512', hmac(TEXT, SECRET, 'sha512')],
    [
      'made with plain SHA-256 instead of HMAC',
      createHash('sha256')
        .update(SECRET + TEXT)
        .digest(),
    ],
    ['made with plain SHA-256 instead of HMAC', createHash('sha256').update(TEXT).digest()],
  ])('%s is recognised', (hint, digest) => {
    expect(hintFor(digest.toString('base64'))).toBe(hint);
  });
});

it('two mistakes at once are both named', () => {
  expect(hintFor(hmac(TEXT, `${SECRET}\n`).toString('hex'))).toBe(
    'in hexadecimal, keyed with the secret and a line break after it',
  );
  expect(hintFor(hmac(`${DEVICE}|${KEY}|${TIME}`).toString('base64').replaceAll('=', ''))).toBe(
    'in Base64 without its padding, over deviceId|apiKey|timestamp',
  );
});

it.each(['', 'garbage', '%', '\ud800', 'A'.repeat(10_000), hmac('something else').toString('base64')])(
  'nothing is said about %j',
  (signature) => {
    expect(hintFor(signature)).toBeUndefined();
  },
);
