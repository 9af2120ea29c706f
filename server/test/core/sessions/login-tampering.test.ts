import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { generateApiKey, insertApiKey } from '../../../src/core/sessions/api-key-queries.js';
import { formatSeconds } from '../../../src/platform/lib/iso-time.js';
import {
  createHarness,
  type Harness,
  type LoginBody,
  postLogin,
  sign,
  signedLogin,
} from '../../support/harness.js';
import { addStudio, expectStringError, type Studio } from '../../support/session-calls.js';

let harness: Harness;
let rival: Studio;
beforeAll(async () => {
  harness = await createHarness();
  rival = await addStudio(harness, 'rival-studio', 'rival-game');
});
afterAll(() => harness.close());

const good = (deviceId = 'device-1'): LoginBody => signedLogin({ deviceId, nowMs: harness.clock.now() });

async function expectRefused(body: object): Promise<void> {
  expectStringError(await postLogin(harness.app, body), 401, 'credentials_invalid');
}

/** One whose Base64 holds both characters in which the alphabets differ, and padding. */
function goodWithOddSignature(): LoginBody {
  for (let n = 0; ; n++) {
    const body = good(`device-${n}`);
    if (/\+.*\/|\/.*\+/.test(body.signature)) return body;
  }
}

describe('a field changed after signing', () => {
  test.each<[keyof LoginBody, (body: LoginBody) => string]>([
    ['apiKey', () => rival.keyId],
    ['deviceId', () => 'device-2'],
    ['timestamp', () => formatSeconds(harness.clock.now() + 1000)],
    ['signature', ({ signature }) => (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)],
  ])('%s', async (field, change) => {
    const body = good();
    await expectRefused({ ...body, [field]: change(body) });
  });

  test('deviceId in case, in Unicode form and by a space', async () => {
    await expectRefused({ ...good('device'), deviceId: 'Device' });
    await expectRefused({ ...good('é'), deviceId: 'e\u0301' });
    await expectRefused({ ...good('device'), deviceId: 'device ' });
  });
});

describe('a boundary shifted with a bar', () => {
  test('from the device to the key', async () => {
    const { deviceId, ...rest } = good('a|b');
    expect(deviceId).toBe('a|b');
    await expectRefused({ ...rest, apiKey: 'dev-key|a', deviceId: 'b' });
  });

  test('from the key to the device', async () => {
    const { timestamp } = good();
    const signature = sign(DEMO.secret, 'dev-key', 'a|b', timestamp);
    await expectRefused({ apiKey: 'dev', deviceId: 'key|a|b', timestamp, signature });
  });

  test('from the timestamp to the device', async () => {
    const { timestamp } = good();
    const signature = sign(DEMO.secret, 'dev-key', 'device', `x|${timestamp}`);
    // What was signed reads the same: this is no forgery, but the device whose name has a bar.
    const body = { apiKey: 'dev-key', deviceId: 'device|x', timestamp, signature };
    expect((await postLogin(harness.app, body)).json().deviceId).toBe('device|x');
    await expectRefused({ ...body, deviceId: 'device' });
  });
});

describe('a signature in another form', () => {
  const last = (text: string) => text.slice(0, -2);
  test.each<[string, (signature: string) => string]>([
    ['empty', () => ''],
    ['without padding', (text) => text.replace('=', '')],
    ['with more padding', (text) => `${text}=`],
    ['in the URL alphabet', (text) => text.replaceAll('+', '-').replaceAll('/', '_')],
    ['with a leading space', (text) => ` ${text}`],
    ['with a trailing space', (text) => `${text} `],
    ['with a trailing newline', (text) => `${text}\n`],
    ['with a space inside', (text) => `${text.slice(0, 20)} ${text.slice(20)}`],
    ['broken into lines', (text) => `${text.slice(0, 20)}\r\n${text.slice(20)}`],
    ['with stray trailing bits', (text) => `${last(text)}${nextCharacter(text.at(-2) ?? '')}=`],
    ['with text behind the padding', (text) => `${text}AAAA`],
    ['with a byte more', (text) => bytesOf(text, (bytes) => Buffer.concat([bytes, Buffer.of(0)]))],
    ['with a byte less', (text) => bytesOf(text, (bytes) => bytes.subarray(0, 31))],
    ['as a hexadecimal digest', (text) => Buffer.from(text, 'base64').toString('hex')],
    ['as Base64 of the hexadecimal digest', (text) => bytesOf(text, (b) => Buffer.from(b.toString('hex')))],
    ['in lower case', (text) => text.toLowerCase()],
    ['all zeros', () => Buffer.alloc(32).toString('base64')],
    ['with junk characters', (text) => `${text.slice(0, 10)}!${text.slice(10)}`],
    ['with NUL', (text) => `${text}\u0000`],
    ['of 15,000 characters', () => 'A'.repeat(15_000)],
  ])('%s', async (_name, change) => {
    const body = goodWithOddSignature();
    const changed = change(body.signature);
    expect(changed).not.toBe(body.signature);
    await expectRefused({ ...body, signature: changed });
    expect((await postLogin(harness.app, body)).statusCode).toBe(200);
  });
});

describe('a signature made in another way', () => {
  const message = ({ apiKey, deviceId, timestamp }: LoginBody) => `${apiKey}|${deviceId}|${timestamp}`;

  test.each(['sha1', 'sha512', 'md5', 'sha3-256'])('HMAC-%s', async (algorithm) => {
    const body = good();
    const digest = createHmac(algorithm, DEMO.secret).update(message(body)).digest();
    await expectRefused({ ...body, signature: digest.toString('base64') });
    await expectRefused({ ...body, signature: digest.subarray(0, 32).toString('base64') });
  });

  test('fields in another order or with another separator', async () => {
    const body = good();
    const { apiKey, deviceId, timestamp } = body;
    for (const text of [
      [deviceId, apiKey, timestamp].join('|'),
      [timestamp, deviceId, apiKey].join('|'),
      [apiKey, deviceId, timestamp].join(''),
      [apiKey, deviceId, timestamp].join('\n'),
      `${message(body)}|`,
    ]) {
      const signature = createHmac('sha256', DEMO.secret).update(text).digest('base64');
      await expectRefused({ ...body, signature });
    }
  });

  test('an empty secret, the key id as secret, the secret of another tenant', async () => {
    for (const secret of ['', DEMO.keyId, 'nobody', rival.secret]) {
      await expectRefused(signedLogin({ deviceId: 'device-1', nowMs: harness.clock.now(), secret }));
    }
  });

  test('the secret of another key of the same game', async () => {
    const other = generateApiKey('development');
    const place = { tenant: DEMO.tenant, game: DEMO.game, environment: 'development', label: '' } as const;
    await insertApiKey(harness.pool, harness.masterKeys, other, place);
    const { secret } = other;
    await expectRefused(signedLogin({ deviceId: 'device-1', nowMs: harness.clock.now(), secret }));
  });
});

describe('a key id that no key has', () => {
  test.each([
    ['unknown', 'sp_live_0123456789abcdef01234567'],
    ['in another case', 'DEV-KEY'],
    ['with a space', 'dev-key '],
    ['with NUL', 'dev-key\u0000'],
    ['NUL alone', '\u0000'],
    ['with a lone surrogate', 'dev-key\ud800'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
    ['a wildcard', 'dev-ke%'],
    ['an SQL fragment', "' or 1=1 --"],
    ['an array literal', '{dev-key}'],
    ['128 characters', 'k'.repeat(128)],
    ['15,000 characters', 'k'.repeat(15_000)],
  ])('%s', async (_name, apiKey) => {
    await expectRefused(signedLogin({ deviceId: 'device-1', nowMs: harness.clock.now(), apiKey }));
  });
});

function nextCharacter(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return alphabet[(alphabet.indexOf(character) + 1) % 64] ?? 'A';
}

function bytesOf(signature: string, change: (bytes: Buffer) => Buffer): string {
  return change(Buffer.from(signature, 'base64')).toString('base64');
}
