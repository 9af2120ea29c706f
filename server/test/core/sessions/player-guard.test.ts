import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGeneralError, get, postBytes } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { addStudio, expectStringError } from '../../support/session-calls.js';

const PLAYER_ENDPOINTS = [
  '/v1/player/status',
  '/v1/player/store_configs',
  '/v1/player/segments',
  '/v1/player/values',
];
const IDENTITY_HEADERS = [
  ['x-tenant-id', 'tenant_mismatch'],
  ['x-game-id', 'game_mismatch'],
  ['x-player-id', 'player_mismatch'],
] as const;

describe('the guard of the data endpoints', () => {
  let harness: Harness;
  let session: Session;
  beforeAll(async () => {
    harness = await createHarness();
    session = await harness.login('guarded');
  });
  afterAll(() => harness.close());

  describe.each(PLAYER_ENDPOINTS)('GET %s', (path) => {
    it.each(IDENTITY_HEADERS)('needs %s', async (header) => {
      expectGeneralError(
        await get(harness.app, path, session, { [header]: undefined }),
        400,
        'header_missing',
      );
      expectGeneralError(await get(harness.app, path, session, { [header]: '' }), 400, 'header_missing');
    });

    it.each(IDENTITY_HEADERS)('refuses a repeated %s, also when both are right', async (header) => {
      const right = session.headers[header] ?? '';
      for (const values of [
        [right, right],
        [right, 'other'],
      ]) {
        expectGeneralError(
          await get(harness.app, path, session, { [header]: values }),
          400,
          'header_invalid',
        );
      }
    });

    it.each(IDENTITY_HEADERS)('compares %s with the token', async (header, code) => {
      const right = session.headers[header] ?? '';
      for (const wrong of ['other', right.toUpperCase(), `${right}x`, '__proto__']) {
        expectGeneralError(await get(harness.app, path, session, { [header]: wrong }), 403, code);
      }
    });

    it('names the tenant first when all three differ, and what is missing before what is wrong', async () => {
      const wrong = { 'x-tenant-id': 'a', 'x-game-id': 'b', 'x-player-id': 'c' };
      expectGeneralError(await get(harness.app, path, session, wrong), 403, 'tenant_mismatch');
      const halfWrong = { ...wrong, 'x-player-id': undefined };
      expectGeneralError(await get(harness.app, path, session, halfWrong), 400, 'header_missing');
    });

    it('asks for the token before it looks at the headers', async () => {
      const nothing = { 'x-tenant-id': undefined, 'x-game-id': 'b', 'x-player-id': '' };
      const attempts = [
        [undefined, 'token_missing'],
        ['Bearer nonsense', 'token_invalid'],
        ['Bearer two words', 'token_invalid'],
        ['Basic abc', 'token_missing'],
        ['Bearer', 'token_missing'],
        ['', 'token_missing'],
      ] as const;
      for (const [authorization, code] of attempts) {
        expectStringError(await get(harness.app, path, session, { ...nothing, authorization }), 401, code);
      }
    });

    it('refuses a repeated Authorization', async () => {
      const right = session.headers.authorization ?? '';
      const repeated = await get(harness.app, path, session, { authorization: [right, right] });
      expectGeneralError(repeated, 400, 'header_invalid');
    });
  });

  it('takes the scheme in any case', async () => {
    const authorization = `bearer ${session.accessToken}`;
    const response = await get(harness.app, '/v1/player/status', session, { authorization });
    expect(response.statusCode).toBe(200);
  });

  it('tells a client without a token nothing about an invalid one', async () => {
    const none = await get(harness.app, '/v1/player/status', session, { authorization: undefined });
    expect(none.headers['www-authenticate']).toBe('Bearer');
    const bad = await get(harness.app, '/v1/player/status', session, { authorization: 'Bearer x.y.z' });
    expect(bad.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });

  it('refuses an expired token', async () => {
    const old = await harness.login('expires');
    harness.clock.advance(3_600_000);
    try {
      expectStringError(await get(harness.app, '/v1/player/status', old), 401, 'token_expired');
    } finally {
      harness.clock.advance(-3_600_000);
    }
  });

  it('POST /v1/events needs the tenant only', async () => {
    const { 'x-game-id': _game, 'x-player-id': _player, ...headers } = session.headers;
    const tenantOnly = { ...session, headers };
    expect((await postBytes(harness.app, tenantOnly, '[]')).statusCode).toBe(202);

    const { 'x-tenant-id': _tenant, ...bare } = headers;
    expectGeneralError(
      await postBytes(harness.app, { ...session, headers: bare }, '[]'),
      400,
      'header_missing',
    );
    const wrong = { ...session, headers: { ...headers, 'x-tenant-id': 'other' } };
    expectGeneralError(await postBytes(harness.app, wrong, '[]'), 403, 'tenant_mismatch');
  });

  it('checks the token before it reads a body', async () => {
    const { authorization: _token, ...headers } = session.headers;
    expectStringError(
      await postBytes(harness.app, { ...session, headers }, 'not json'),
      401,
      'token_missing',
    );
  });

  it("lets no studio's token near another studio's player", async () => {
    const studio = await addStudio(harness, 'rival-studio', 'rival-game');
    const rival = await studio.login('guarded');
    expect(rival.userId).not.toBe(session.userId);
    const stolen = { ...session.headers, authorization: rival.headers.authorization };
    expectGeneralError(await get(harness.app, '/v1/player/status', rival, stolen), 403, 'tenant_mismatch');
  });
});
