import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminClient, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness, postLogin, signedLogin } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
/** An owner of another studio. */
let stranger: string;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  await addStudio(harness, 'other-studio', 'other-game');
  stranger = await admin.addToken('owner', { tenant: 'other-studio' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const create = (body: unknown, token = admin.tokens.owner) => admin.call('POST', '/games', body, token);
const namesOf = async (token = admin.tokens.owner) => {
  const { games } = await admin.ask<{ games: { gameId: string; name: string }[] }>(
    'GET',
    '/games',
    undefined,
    token,
  );
  return Object.fromEntries(games.map(({ gameId, name }) => [gameId, name]));
};

describe('a new game', () => {
  it('is there at once: it gets a key, with which a player logs in', async () => {
    const response = await create({ gameId: 'rocket', name: ' Rocket ' });
    expect(response.statusCode).toBe(201);
    expect(response.json().data).toEqual({ gameId: 'rocket', name: 'Rocket' });
    expect(await namesOf()).toMatchObject({ rocket: 'Rocket', 'demo-game': expect.any(String) });
    type Key = { apiKey: string; apiSecret: string };
    const { owner } = admin.tokens;
    const { apiKey, apiSecret } = await admin.ask<Key>('POST', '/games/rocket/keys', {}, owner, 201);
    const nowMs = harness.clock.now();
    const login = await postLogin(
      harness.app,
      signedLogin({ deviceId: 'd', nowMs, apiKey, secret: apiSecret }),
    );
    expect(login.json()).toMatchObject({ tenantId: 'demo-studio', gameId: 'rocket' });
  });

  it('has its id as its name, if none is given', async () => {
    expect((await create({ gameId: 'a' })).json().data).toEqual({ gameId: 'a', name: 'a' });
    expect(await namesOf()).toMatchObject({ a: 'a' });
  });

  it('may not have the id of another game of the studio, which keeps its name', async () => {
    expectGeneralError(await create({ gameId: 'demo-game', name: 'Mine' }), 409, 'game_exists');
    expect(Object.values(await namesOf())).not.toContain('Mine');
  });

  it('is of one studio: another one may have the same id, and sees neither the game nor its audit entry', async () => {
    expect((await create({ gameId: 'twin', name: 'Ours' })).statusCode).toBe(201);
    const targets = async (token: string) => {
      const log = await admin.ask<{ entries: { action: string; target: string }[] }>(
        'GET',
        '/audit-log',
        undefined,
        token,
      );
      return log.entries.filter(({ action }) => action === 'game.create').map(({ target }) => target);
    };
    expect(await targets(admin.tokens.owner)).toContain('game twin');
    expect(await targets(stranger)).not.toContain('game twin');
    expect(await namesOf(stranger)).toEqual({ 'other-game': 'other-game' });
    expect((await create({ gameId: 'twin', name: 'Theirs' }, stranger)).statusCode).toBe(201);
    expect(await namesOf()).toMatchObject({ twin: 'Ours' });
    expect(await namesOf(stranger)).toEqual({ 'other-game': 'other-game', twin: 'Theirs' });
  });

  it.each(['', 'Rocket', '-rocket', 'my game', 'rakéta', 'a/b', '..', '\u0007'])(
    'cannot have the id %j, and the response says what to use',
    async (gameId) => {
      const response = await create({ gameId });
      expectGeneralError(response, 400, 'body_invalid');
      expect(response.json().error.message).toContain('lower-case letters, digits and hyphens');
    },
  );

  it.each([
    {},
    { name: 'No id' },
    { gameId: 'a'.repeat(64) },
    { gameId: 7 },
    { gameId: 'fine', tenantId: 'other-studio' },
  ])('is not made of %j', async (body) => {
    expectGeneralError(await create(body), 400, 'body_invalid');
    expect(await namesOf()).not.toHaveProperty('fine');
  });

  it.each([' ', 'a\u0007', 'two\nlines'])(
    'cannot have the name %j, and the response says why',
    async (name) => {
      const response = await create({ gameId: 'fine', name });
      expectGeneralError(response, 400, 'body_invalid');
      expect(response.json().error.message).toBe(
        'The name must have a character that can be seen, and no control characters such as line breaks.',
      );
      expect(await namesOf()).not.toHaveProperty('fine');
    },
  );

  it('is not for editors and viewers to create', async () => {
    for (const token of [admin.tokens.editor, admin.tokens.viewer]) {
      expectGeneralError(await create({ gameId: 'fine' }, token), 403, 'role_too_low');
    }
    expect(await namesOf()).not.toHaveProperty('fine');
  });

  it('is refused if the studio has a hundred', async () => {
    await harness.pool.query(
      `insert into games (tenant_id, slug, name, signing_keys_version)
       select g.tenant_id, 'game-' || n, 'game', g.signing_keys_version
       from (select g.* from games g join tenants t on t.id = g.tenant_id where t.slug = 'other-studio' limit 1) g,
         generate_series(1, 100 - (select count(*)::int from games where tenant_id = g.tenant_id)) n`,
    );
    expectGeneralError(await create({ gameId: 'one-more' }, stranger), 409, 'game_limit');
    expect((await create({ gameId: 'not-affected' })).statusCode).toBe(201);
  });
});

describe('the list of games', () => {
  type Page = { games: { gameId: string }[]; nextCursor: string | null };
  const ids = ['a', 'b', 'c-1', 'c-2', 'd'];
  let owner: string;
  beforeAll(async () => {
    await addStudio(harness, 'paged-studio', 'b');
    owner = await admin.addToken('owner', { tenant: 'paged-studio' });
    for (const gameId of ['d', 'c-2', 'a', 'c-1'])
      expect((await create({ gameId }, owner)).statusCode).toBe(201);
  });
  const page = (parameters: string, token = owner) =>
    admin.ask<Page>('GET', `/games${parameters}`, undefined, token);
  const idsOf = ({ games }: Page) => games.map(({ gameId }) => gameId);

  it.each([1, 2, 4, 5, 6])('comes by id in pages of %i', async (limit) => {
    const found: string[] = [];
    let next = await page(`?limit=${limit}`);
    found.push(...idsOf(next));
    while (next.nextCursor !== null) {
      next = await page(`?limit=${limit}&cursor=${next.nextCursor}`);
      found.push(...idsOf(next));
      expect(found.length).toBeLessThanOrEqual(ids.length);
    }
    expect(found).toEqual(ids);
  });

  it('is whole without parameters, and goes on behind an id that is no game any more', async () => {
    expect(await page('')).toMatchObject({ nextCursor: null });
    expect(idsOf(await page(''))).toEqual(ids);
    expect(idsOf(await page('?cursor=c'))).toEqual(['c-1', 'c-2', 'd']);
  });

  it('has no game of another studio, whatever the cursor is', async () => {
    expect(idsOf(await page('?cursor=a', stranger))).not.toContain('c-1');
  });

  it.each(['?cursor=A', '?cursor=', '?limit=0', '?limit=101', '?cursor=a&cursor=b'])(
    'refuses %s',
    async (parameters) => {
      expectGeneralError(
        await admin.call('GET', `/games${parameters}`, undefined, owner),
        400,
        'parameter_invalid',
      );
    },
  );

  it('has each game also by itself, for every member of its studio', async () => {
    const [first] = (await page('')).games;
    const viewer = await admin.addToken('viewer', { tenant: 'paged-studio' });
    expect(await admin.ask('GET', '/games/a', undefined, viewer)).toEqual(first);
    expect(first).toEqual({
      gameId: 'a',
      name: 'a',
      publishedVersion: 0,
      draft: { revision: 0, isEdited: false },
      retentionDays: null,
      unregisteredTypes: 'accept',
      erasureWaitDays: 0,
      erasurePage: false,
    });
    expectGeneralError(await admin.call('GET', '/games/c-1', undefined, stranger), 404, 'game_not_found');
    expectGeneralError(await admin.call('GET', '/games/none', undefined, viewer), 404, 'game_not_found');
  });
});
