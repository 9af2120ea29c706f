import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { formatSeconds } from '../../../src/platform/lib/iso-time.js';
import { createHarness, type Harness, postLogin, signedLogin } from '../../support/harness.js';
import { expectAlive, expectStringError } from '../../support/session-calls.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const loginFrom = (deviceId: string) =>
  postLogin(harness.app, signedLogin({ deviceId, nowMs: harness.clock.now() }));

const FAMILY = '👨‍👩‍👧‍👦';

describe('a deviceId that is taken', () => {
  test.each([
    ['one character', 'd'],
    ['256 characters', 'd'.repeat(256)],
    ['256 characters beyond the basic plane', '🎮'.repeat(256)],
    ['the characters of the signed string', 'a|b|2026-11-15T12:00:00Z'],
    ['a bar only', '|'],
    ['spaces at both ends', ' device '],
    ['no letters of ours', 'приставка-玩家-ไทย'],
    ['a family of joined emoji', FAMILY],
    ['quotes, backslashes and braces', '"\\{}\'; drop table players;--'],
    ['a name of Object.prototype', '__proto__'],
    ['line separators, which are no control characters', 'a\u2028b\u2029c'],
    ['a byte order mark', '\ufeffdevice'],
    ['the last code point', '\u{10ffff}'],
  ])('%s', async (_name, deviceId) => {
    const session = await harness.login(deviceId);
    expect(session.deviceId).toBe(deviceId);
    await expectAlive(harness.app, session);
    expect((await harness.login(deviceId)).userId).toBe(session.userId);
  });

  test('is signed as UTF-8', async () => {
    const timestamp = formatSeconds(harness.clock.now());
    const deviceId = 'Gerät-🎮';
    const signedString = Buffer.from(`dev-key|${deviceId}|${timestamp}`, 'utf8');
    const bodyFor = (bytes: Buffer) => ({
      apiKey: DEMO.keyId,
      deviceId,
      timestamp,
      signature: createHmac('sha256', DEMO.secret).update(bytes).digest('base64'),
    });
    expect((await postLogin(harness.app, bodyFor(signedString))).statusCode).toBe(200);
    for (const encoding of ['latin1', 'utf16le'] as const) {
      const otherBytes = Buffer.from(signedString.toString('utf8'), encoding);
      expectStringError(await postLogin(harness.app, bodyFor(otherBytes)), 401, 'credentials_invalid');
    }
  });

  test('is compared as it is: case, spaces and composed letters make another device', async () => {
    const names = ['Tablet', 'tablet', 'tablet ', 'é', 'e\u0301'];
    const sessions = await Promise.all(names.map((name) => harness.login(name)));
    expect(new Set(sessions.map(({ userId }) => userId)).size).toBe(names.length);
  });
});

describe('a deviceId that is refused with 400', () => {
  test.each([
    ['empty', ''],
    ['257 characters', 'd'.repeat(257)],
    ['257 characters beyond the basic plane', '🎮'.repeat(257)],
    ['few letters of many code points', FAMILY.repeat(40)],
    ['one letter with 300 accents', `e${'\u0301'.repeat(300)}`],
    ['NUL', 'a\u0000b'],
    ['a tab', 'a\tb'],
    ['a newline at the end', 'device\n'],
    ['escape', '\u001b[31m'],
    ['delete', 'a\u007f'],
    ['a C1 control character', 'a\u0085b'],
    ['a lone high surrogate', 'a\ud800b'],
    ['a lone low surrogate', 'a\udc00b'],
    ['surrogates the wrong way round', '\udc00\ud800'],
  ])('%s', async (_name, deviceId) => {
    expectStringError(await loginFrom(deviceId), 400, 'body_invalid');
  });
});
