import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gameDocument, get, publish, sku } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';

describe('ETag and If-None-Match', () => {
  let harness: Harness;
  let session: Session;
  beforeAll(async () => {
    harness = await createHarness();
    session = await harness.login('conditional');
  });
  afterAll(() => harness.close());

  const etagOf = async (path: string): Promise<string> =>
    String((await get(harness.app, path, session)).headers.etag);

  describe.each(['/v1/player/store_configs', '/v1/player/segments'])('%s', (path) => {
    const ask = async (ifNoneMatch: string | string[]) =>
      get(harness.app, path, session, { 'if-none-match': ifNoneMatch });

    it('returns 304, without a body, to the tag it gave', async () => {
      const etag = await etagOf(path);
      const response = await ask(etag);
      expect(response.statusCode).toBe(304);
      expect(response.body).toBe('');
      expect(response.headers).toMatchObject({
        etag,
        'cache-control': expect.stringMatching(/^private, no-cache, stale-if-error=\d+$/),
      });
      expect(response.headers['x-request-id']).toMatch(/./);
    });

    it('takes a list, a weak tag, a repeated header and *', async () => {
      const etag = await etagOf(path);
      const bare = etag.replace('W/', '');
      for (const header of [`"a", ${bare} ,"b"`, `W/${bare}`, `W/"a",W/${bare}`, '*', ' * ', ['"a"', bare]]) {
        expect((await ask(header)).statusCode, String(header)).toBe(304);
      }
    });

    it('responds in full to any other tag, and to what is none', async () => {
      const bare = (await etagOf(path)).replace('W/', '');
      const opaque = bare.slice(1, -1);
      for (const header of ['"other"', '', opaque, `"${opaque}`, `w/${bare}`, `"${opaque}x"`, '"*"', 'W/']) {
        const response = await ask(header);
        expect(response.statusCode, header).toBe(200);
        expect(response.headers.etag).toMatch(/^(W\/)?"[\w-]+"$/);
      }
    });

    it('still checks the token and the headers', async () => {
      const anonymous = { 'if-none-match': '*', authorization: undefined };
      expect((await get(harness.app, path, session, anonymous)).statusCode).toBe(401);
      const wrong = { 'if-none-match': '*', 'x-game-id': 'other' };
      expect((await get(harness.app, path, session, wrong)).statusCode).toBe(403);
    });
  });

  it('the tag of the store changes with a publication, on every node alike', async () => {
    const { app: second } = await harness.addNode();
    const before = await etagOf('/v1/player/store_configs');
    await publish(harness.pool, gameDocument([sku('new')]), harness.clock.now());
    const response = await get(second, '/v1/player/store_configs', session, { 'if-none-match': before });
    expect(response.statusCode).toBe(200);
    expect(response.headers.etag).not.toBe(before);
    expect(await etagOf('/v1/player/store_configs')).toBe(response.headers.etag);
  });

  it('the tag of segments outlives the moment, but not a change of segments', async () => {
    const before = await etagOf('/v1/player/segments');
    harness.clock.advance(1_000);
    expect(await etagOf('/v1/player/segments')).toBe(before);

    const timestamp = new Date(harness.clock.now()).toISOString();
    const payload = { transactionId: 'conditional-1' };
    await postEvents(harness.app, session, [{ eventType: 'Purchase', timestamp, payload }]);
    const response = await get(harness.app, '/v1/player/segments', session, { 'if-none-match': before });
    expect(response.statusCode).toBe(200);
  });

  it('two players in the same segments have different tags', async () => {
    const [first, second] = await Promise.all(['twin-1', 'twin-2'].map((device) => harness.login(device)));
    if (first === undefined || second === undefined) throw new Error('two logins, two sessions');
    const tag = async (who: Session) => (await get(harness.app, '/v1/player/segments', who)).headers.etag;
    expect(await tag(first)).not.toBe(await tag(second));
  });

  it('the status is always sent in full', async () => {
    const response = await get(harness.app, '/v1/player/status', session, { 'if-none-match': '*' });
    expect(response.statusCode).toBe(200);
    expect(response.headers.etag).toBeUndefined();
  });
});
