import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHarness, type Harness, postLogin, signedLogin } from '../../support/harness.js';
import { expectStringError } from '../../support/session-calls.js';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const goodLogin = (deviceId = 'device-1') => signedLogin({ deviceId, nowMs: harness.clock.now() });

const FIELDS = ['apiKey', 'deviceId', 'timestamp', 'signature'] as const;
const WRONG_TYPES = { number: 5, boolean: true, null: null, object: {}, 'empty array': [] };

describe('the request', () => {
  test.each(FIELDS)('without %s is a 400', async (field) => {
    const { [field]: _, ...rest } = goodLogin();
    expectStringError(await postLogin(harness.app, rest), 400, 'body_invalid');
  });

  describe.each(FIELDS)('%s', (field) => {
    test.each(Object.entries(WRONG_TYPES))('as %s is a 400', async (_type, value) => {
      expectStringError(
        await postLogin(harness.app, { ...goodLogin(), [field]: value }),
        400,
        'body_invalid',
      );
    });

    test('wrapped in an array is not unwrapped', async () => {
      const body = goodLogin();
      expectStringError(
        await postLogin(harness.app, { ...body, [field]: [body[field]] }),
        400,
        'body_invalid',
      );
    });
  });

  test('a number is not turned into the text that was signed', async () => {
    const body = { ...goodLogin('12345'), deviceId: 12345 };
    expectStringError(await postLogin(harness.app, body), 400, 'body_invalid');
  });

  test.each([
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"login"'],
    ['a number', '1'],
  ])('%s as a body is a 400', async (_name, payload) => {
    expectStringError(await postRaw(payload), 400, 'body_invalid');
  });

  test.each([
    ['with a Content-Type', { 'content-type': 'application/json' }],
    ['without one', {}],
  ])('an empty body %s is a 400', async (_name, headers) => {
    const response = await harness.app.inject({ method: 'POST', url: '/auth/login', headers });
    expectStringError(response, 400, 'body_invalid');
  });

  test('broken JSON and broken UTF-8 are a 400', async () => {
    expectStringError(await postRaw('{"apiKey":'), 400, 'invalid_json');
    expectStringError(await postRaw(Buffer.from([0x22, 0xff, 0x22])), 400, 'invalid_utf8');
  });

  test('another Content-Type is a 415, a body beyond 16 KiB a 413, both in the string form', async () => {
    const body = JSON.stringify(goodLogin());
    expectStringError(await postRaw(body, 'text/plain'), 415, 'unsupported_media_type');
    const padded = JSON.stringify({ ...goodLogin(), padding: 'x'.repeat(16_384) });
    expectStringError(await postRaw(padded), 413, 'body_too_large');
  });

  test('unknown members are ignored, whatever their names', async () => {
    const extra = '"platform":"ios","nested":{"a":[1]},"__proto__":{"apiKey":"x"},"constructor":1';
    const payload = `${JSON.stringify(goodLogin()).slice(0, -1)},${extra}}`;
    expect((await postRaw(payload)).statusCode).toBe(200);
  });

  test('a charset parameter and a leading byte order mark do no harm', async () => {
    const body = `\ufeff${JSON.stringify(goodLogin())}`;
    expect((await postRaw(body, 'application/json; charset=utf-8')).statusCode).toBe(200);
  });

  test.each(['/auth/login?x=1', '/%61uth/login', '/auth/nothing', '/auth/login/'])(
    'every error at %s is in the string form',
    async (url) => {
      const response = await harness.app.inject({ method: 'POST', url, payload: {} });
      expectStringError(response, response.statusCode, response.json().code);
    },
  );

  test('GET is a 405 that names POST', async () => {
    const response = await harness.app.inject({ method: 'GET', url: '/auth/login' });
    expectStringError(response, 405, 'method_not_allowed');
    expect(response.headers.allow).toBe('POST');
  });
});

describe('the response', () => {
  test('has the fields of the specification and no others', async () => {
    const response = await postLogin(harness.app, goodLogin('phone-7'));
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.json()).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refreshToken: expect.stringMatching(/^[\w-]{43,}$/),
      tokenType: 'Bearer',
      expiresIn: 3600,
      userId: expect.stringMatching(/^.+$/),
      deviceId: 'phone-7',
      gameId: 'demo-game',
      tenantId: 'demo-studio',
      playerConfig: { playerStatus: expect.any(Object), storeConfig: expect.any(Object) },
    });
  });

  test('is never cached', async () => {
    const response = await postLogin(harness.app, goodLogin());
    expect(response.headers['cache-control']).toBe('no-store');
  });

  test('expiresIn is the configured lifetime, in seconds', async () => {
    const node = await harness.addNode({ accessTtlSeconds: 900 });
    expect((await postLogin(node.app, goodLogin())).json().expiresIn).toBe(900);
  });

  test('a new player is no payer, and the flag does not expire', async () => {
    const { playerStatus } = await playerConfig();
    expect(playerStatus).toEqual({ isPayer: { value: false, defaultValue: false, expiredAt: null } });
  });

  test('the store carries the four fields of the specification', async () => {
    const { storeConfig } = await playerConfig();
    expect(storeConfig).toEqual({
      activeSkus: expect.any(Array),
      lastUpdatedTimestamp: expect.any(Number),
      userSpecificPromoId: null,
      fallbackConfig: {
        version: 1,
        activeSkus: storeConfig.activeSkus,
        lastUpdatedTimestamp: storeConfig.lastUpdatedTimestamp,
      },
    });
    expect(Number.isInteger(storeConfig.lastUpdatedTimestamp)).toBe(true);
  });

  test('lists active SKUs only, in the order of the studio, each with every field', async () => {
    const { storeConfig } = await playerConfig();
    const skuIds = storeConfig.activeSkus.map((sku: { skuId: string }) => sku.skuId);
    expect(skuIds).toEqual(['gems_80', 'starter_pack', 'gems_1200', 'season_pass']);
    for (const sku of storeConfig.activeSkus) {
      expect(sku).toEqual({
        skuId: expect.any(String),
        name: expect.any(String),
        description: expect.any(String),
        actualPrice: expect.any(Number),
        offerPrice: expect.any(Number),
        currency: 'USD',
        assets: expect.any(Array),
        active: true,
      });
    }
  });

  test('prices are JSON numbers with the decimals of the currency', async () => {
    const { body } = await postLogin(harness.app, goodLogin());
    expect(body).toContain('"actualPrice":11.99,"offerPrice":10.00,"currency":"USD"');
    expect(body).toContain('"actualPrice":9.99,"offerPrice":4.99,"currency":"USD"');
    expect(body).not.toMatch(/Price":"/);
  });

  test('agrees with what the data endpoints say afterwards', async () => {
    const session = await harness.login('device-9');
    const { playerStatus, storeConfig } = session.body.playerConfig as Record<string, unknown>;
    const get = (url: string) => harness.app.inject({ method: 'GET', url, headers: session.headers });
    expect((await get('/v1/player/status')).json()).toEqual(playerStatus);
    expect((await get('/v1/player/store_configs')).json()).toEqual(storeConfig);
  });
});

async function playerConfig() {
  return (await postLogin(harness.app, goodLogin())).json().playerConfig;
}

function postRaw(payload: string | Buffer, contentType = 'application/json') {
  const headers = { 'content-type': contentType };
  return harness.app.inject({ method: 'POST', url: '/auth/login', headers, payload });
}
