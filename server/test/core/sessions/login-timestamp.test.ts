import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { formatSeconds } from '../../../src/platform/lib/iso-time.js';
import { createHarness, type Harness, postLogin, sign, signedLogin } from '../../support/harness.js';
import { expectStringError } from '../../support/session-calls.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

// A whole second: what is signed has no smaller unit.
const noon = Math.floor(Date.now() / 1000) * 1000;
beforeEach(() => harness.clock.set(noon));

/** Correctly signed for exactly this text, so that only the timestamp itself can be at fault. */
function loginAt(timestamp: string) {
  const { keyId: apiKey, secret } = DEMO;
  const deviceId = 'device-1';
  return { apiKey, deviceId, timestamp, signature: sign(secret, apiKey, deviceId, timestamp) };
}

const post = (body: object) => postLogin(harness.app, body);

describe('a malformed timestamp', () => {
  test.each([
    ['empty', ''],
    ['a word', 'now'],
    ['epoch seconds', '1763200000'],
    ['a date only', '2026-11-15'],
    ['milliseconds', '2026-11-15T12:00:00.000Z'],
    ['no seconds', '2026-11-15T12:00Z'],
    ['no zone', '2026-11-15T12:00:00'],
    ['an offset', '2026-11-15T12:00:00+00:00'],
    ['an offset of the same length', '2026-11-15T12:00+00'],
    ['a lower-case t', '2026-11-15t12:00:00Z'],
    ['a lower-case z', '2026-11-15T12:00:00z'],
    ['a space for T', '2026-11-15 12:00:00Z'],
    ['a leading space', ' 2026-11-15T12:00:00Z'],
    ['a trailing space', '2026-11-15T12:00:00Z '],
    ['a trailing newline', '2026-11-15T12:00:00Z\n'],
    ['a space for a digit', '2026-11-15T12:00: 0Z'],
    ['a sign', '2026-11-15T12:00:+0Z'],
    ['30 February', '2026-02-30T12:00:00Z'],
    ['29 February of a common year', '2026-02-29T12:00:00Z'],
    ['31 April', '2026-04-31T12:00:00Z'],
    ['month 13', '2026-13-01T12:00:00Z'],
    ['month 0', '2026-00-01T12:00:00Z'],
    ['day 0', '2026-11-00T12:00:00Z'],
    ['24:00', '2026-11-15T24:00:00Z'],
    ['minute 60', '2026-11-15T12:60:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['the year 10000', '10000-01-01T00:00:00Z'],
    ['a signed year', '+002026-11-15T12:00:00Z'],
    ['a basic form', '20261115T120000Z'],
    ['Arabic digits', '٢٠٢٦-١١-١٥T١٢:٠٠:٠٠Z'],
    ['full-width digits', '２０２６-11-15T12:00:00Z'],
    ['a Unicode hyphen', '2026‐11‐15T12:00:00Z'],
    ['NUL', '2026-11-15T12:00:00Z\u0000'],
  ])('with %s is a 400', async (_name, timestamp) => {
    expectStringError(await post(loginAt(timestamp)), 400, 'timestamp_malformed');
  });
});

describe('the window of five minutes', () => {
  test.each([0, 1, -1, 299, -299, 300, -300])('%i s off gets in', async (seconds) => {
    expect((await post(loginAt(formatSeconds(noon + seconds * 1000)))).statusCode).toBe(200);
  });

  test.each([301, -301, 3_600, -3_600, 86_400 * 365 * 20, -86_400 * 365 * 20])(
    '%i s off is refused, with the time of the server',
    async (seconds) => {
      const response = await post(loginAt(formatSeconds(noon + seconds * 1000)));
      expectStringError(response, 400, 'timestamp_out_of_window');
      expect(response.json()).toEqual({
        error: expect.stringMatching(/request timestamp is outside the acceptable time window/i),
        code: 'timestamp_out_of_window',
        serverTime: formatSeconds(noon),
      });
    },
  );

  test('is exact to the millisecond of the server', async () => {
    const body = loginAt(formatSeconds(noon));
    harness.clock.set(noon + 300_000);
    expect((await post(body)).statusCode).toBe(200);
    harness.clock.set(noon + 300_001);
    expectStringError(await post(body), 400, 'timestamp_out_of_window');
  });

  test('a device with a wrong clock gets in by signing serverTime', async () => {
    harness.clock.set(noon + 999);
    const refused = await post(loginAt('1970-01-01T00:00:00Z'));
    expect((await post(loginAt(refused.json().serverTime))).statusCode).toBe(200);
  });

  test('the same signed request may be sent again while it is inside', async () => {
    const body = loginAt(formatSeconds(noon));
    expect((await post(body)).json().userId).toBe((await post(body)).json().userId);
  });
});

describe('checks run in the order shape, signature, window', () => {
  const outside = () => signedLogin({ deviceId: 'device-1', nowMs: noon - 3_600_000 });

  test('a wrong signature and a wrong clock: 401, without the time of the server', async () => {
    const response = await post({ ...outside(), deviceId: 'device-2' });
    expectStringError(response, 401, 'credentials_invalid');
    expect(response.json()).not.toHaveProperty('serverTime');
  });

  test('an unknown key and a wrong clock: 401', async () => {
    expectStringError(await post({ ...outside(), apiKey: 'no-such-key' }), 401, 'credentials_invalid');
  });

  test('a malformed timestamp and a wrong signature: 400', async () => {
    const response = await post({ ...outside(), timestamp: 'yesterday', signature: 'wrong' });
    expectStringError(response, 400, 'timestamp_malformed');
  });

  test('a malformed timestamp and an unknown key: 400', async () => {
    const response = await post({ ...outside(), timestamp: '2026-02-30T12:00:00Z', apiKey: 'no-such-key' });
    expectStringError(response, 400, 'timestamp_malformed');
  });

  test('a wrong type comes before a malformed timestamp', async () => {
    const response = await post({ ...outside(), timestamp: 'yesterday', signature: 7 });
    expectStringError(response, 400, 'body_invalid');
  });

  test('a bad deviceId comes before a wrong signature', async () => {
    const response = await post({ ...outside(), deviceId: 'tab\there', signature: 'wrong' });
    expectStringError(response, 400, 'body_invalid');
  });
});
