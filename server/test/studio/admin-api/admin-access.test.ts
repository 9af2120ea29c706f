import { type FastifyInstance, fastify, type LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerAdminApi } from '../../../src/app/admin-app.js';
import { registerErrorHandlers } from '../../../src/platform/http/error-handler.js';
import { revokeAdminToken } from '../../../src/studio/admin-api/admin-tokens.js';
import { ROLES } from '../../../src/studio/admin-api/roles.js';
import {
  type AdminClient,
  adminContext,
  adminRoutes,
  GAME,
  openAdminClient,
} from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio, expectStringError } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
const lines: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness, logger);
  await addStudio(harness, 'other-studio', 'other-game');
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const tokenIdOf = (token: string) => token.split('_')[2] ?? '';

describe('an admin token', () => {
  it('is described by /me', async () => {
    const expiresAt = harness.clock.now() + 60_000;
    const token = await admin.addToken('viewer', { name: 'Ada', expiresAt });
    expect(token).toMatch(/^sp_admin_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
    expect(await admin.ask('GET', '/me', undefined, token)).toEqual({
      tokenId: tokenIdOf(token),
      name: 'Ada',
      role: 'viewer',
      tenantId: 'demo-studio',
      expiresAt: new Date(expiresAt).toISOString(),
      account: null,
      studios: [{ tenantId: 'demo-studio', name: 'Demo Studio', role: 'viewer' }],
      csrfToken: null,
      environment: 'development',
    });
  });

  it('counts requests in the metrics', async () => {
    await admin.ask('GET', '/me');
    const metrics = (await admin.app.inject({ url: '/metrics' })).body;
    expect(metrics).toMatch(
      /savepoint_admin_request_duration_seconds_count\{route="\/admin\/v1\/me",method="GET",status="200"\} [1-9]/,
    );
  });

  it('is stored as a hash only', async () => {
    const token = await admin.addToken('owner');
    const secret = token.slice(-43);
    await admin.call('GET', '/me', undefined, token);
    await admin.call('GET', '/nowhere', undefined, `${token}x`);
    for (const table of ['admin_tokens', 'audit_log']) {
      const { rows } = await harness.pool.query(`select t::text as line from ${table} t`);
      expect(rows.some(({ line }) => line.includes(tokenIdOf(token)))).toBe(true);
      expect(rows.filter(({ line }) => line.includes(secret))).toEqual([]);
    }
    const log = lines.map((line) => JSON.parse(line));
    expect(log).toContainEqual(
      expect.objectContaining({
        msg: 'request',
        route: '/admin/v1/me',
        status: 200,
        tenant: 'demo-studio',
        admin: tokenIdOf(token),
      }),
    );
    expect(lines.join('')).not.toContain(secret.slice(0, 20));
  });

  it('that is unknown, wrong, truncated, revoked or expired is refused with the same response, byte for byte', async () => {
    const good = await admin.addToken('owner');
    const other = await admin.addToken('owner');
    const revoked = await admin.addToken('owner');
    const actor = { name: 'test', nowMs: harness.clock.now() };
    await admin.ask('GET', '/me', undefined, revoked);
    expect(await revokeAdminToken(harness.pool, tokenIdOf(revoked), actor)).toBe(true);
    const expired = await admin.addToken('owner', { expiresAt: harness.clock.now() + 1000 });
    await admin.ask('GET', '/me', undefined, expired);
    harness.clock.advance(1000);
    const session = await harness.login();
    const refused = [
      revoked,
      expired,
      `sp_admin_${'0'.repeat(16)}_${'A'.repeat(43)}`,
      `sp_admin_${tokenIdOf(good)}_${other.slice(-43)}`,
      good.slice(0, -1),
      `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`,
      good.toUpperCase(),
      session.accessToken,
      'garbage',
      '"; drop table admin_tokens; --',
    ];
    const responses = await Promise.all(refused.map((token) => admin.call('GET', '/me', undefined, token)));
    for (const response of responses) {
      expectStringError(response, 401, 'token_invalid');
      expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      expect(response.body).toBe(responses[0]?.body);
    }
    await admin.ask('GET', '/me', undefined, good);
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz'])(
    'is required if the header is %j',
    async (authorization) => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await admin.app.inject({ url: '/admin/v1/me', headers });
      expectStringError(response, 401, 'token_missing');
      expect(response.headers['www-authenticate']).toBe('Bearer');
    },
  );
});

describe('every admin route', () => {
  /** The path, with the parameters that the query must have. */
  type Route = { method: string; url: string; query: string };
  type QuerySchema = { required?: string[]; properties?: Record<string, { anyOf?: { const?: string }[] }> };
  const routes: Route[] = [];
  let bare: FastifyInstance;
  beforeAll(async () => {
    bare = fastify();
    registerErrorHandlers(bare);
    bare.addHook('onRoute', ({ method, url, schema }) => {
      const { required = [], properties = {} } = (schema?.querystring ?? {}) as QuerySchema;
      // One of the values that it may have, where they are listed.
      const query = required.map((name) => `${name}=${properties[name]?.anyOf?.[0]?.const ?? 1}`).join('&');
      for (const each of [method].flat()) if (each !== 'HEAD') routes.push({ method: each, url, query });
    });
    await registerAdminApi(bare, adminContext(harness, logger), await adminRoutes(harness));
    await bare.ready();
  });
  afterAll(() => bare.close());

  const send = (
    { method, url, query }: Route,
    token: string | null,
    body?: string,
  ): Promise<LightMyRequestResponse> =>
    admin.app.inject({
      method: method as 'GET',
      url: url
        .replace(':game', 'demo-game')
        .replace(':playerId', crypto.randomUUID())
        .replace(/:\w+/g, '1')
        .concat('?', query),
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: body }),
    });

  it('is under /admin/v1 on the second listener only, and guarded before the body is read', async () => {
    expect(routes.length).toBeGreaterThan(15);
    const huge = 'x'.repeat(5 * 1024 * 1024);
    expect(routes.filter(isOpen)).toHaveLength(OPEN.length);
    for (const route of routes) expect(route.url).toMatch(/^\/admin\/v1\//);
    for (const route of routes.filter((each) => !isOpen(each))) {
      const body = route.method === 'GET' ? undefined : huge;
      const response = await send(route, null, body);
      expectStringError(response, 401, 'token_missing');
      expectStringError(await send(route, 'garbage', body), 401, 'token_invalid');
      const onPlayers = await harness.app.inject({ method: route.method as 'GET', url: route.url });
      expect(onPlayers.statusCode).toBe(404);
    }
  });

  /** Routes without a guard: for clients that have no session and no token yet. */
  const OPEN = ['/sign-in', '/sign-in/link', '/invitations/show', '/invitations/accept'];
  const isOpen = ({ url, method }: Route) => method === 'POST' && OPEN.includes(url.replace('/admin/v1', ''));
  const isOfAccount = ({ url }: Route) => /^\/admin\/v1\/(?:sign-out|account\/.*)$/.test(url);
  /** Routes for owners only. */
  const isOfOwners = ({ url, method }: Route) =>
    /^\/admin\/v1\/(?:members|invitations|admin-tokens|games\/:game\/(?:keys|rollups|stores))\b/.test(url) ||
    (url === '/admin/v1/games' && method === 'POST') ||
    method === 'PATCH';

  /** Viewers may not download all events, or all of a player, either. */
  const isOfEditors = ({ url }: Route) => /\/exports\/:exportId\/file$|\/:playerId\/export$/.test(url);

  it('that changes something needs an editor, and is refused before anything is looked up', async () => {
    const unchanging = [
      '/draft/validate',
      '/explain',
      '/audience',
      '/dry-run',
      '/dry-runs',
      '/back-test',
      '/funnels',
      // Viewers may cancel what they have started, and nothing else: see jobs.test.ts.
      '/jobs/:jobId',
    ];
    const changing = routes.filter(
      (route) =>
        route.method !== 'GET' &&
        !unchanging.some((end) => route.url.endsWith(end)) &&
        ![isOpen, isOfAccount, isOfOwners].some((isOther) => isOther(route)),
    );
    expect(changing.length).toBeGreaterThanOrEqual(6);
    for (const route of changing) {
      const response = await send(route, admin.tokens.viewer, '{bad');
      expectGeneralError(response, 403, 'role_too_low');
      expect(response.json().error).toMatchObject({ roleNeeded: 'editor' });
      expect(response.json().error.message).toContain('editor');
    }
  });

  it('about members, keys, tokens, new games or the settings of a game needs an owner', async () => {
    const ofOwners = routes.filter((route) => isOfOwners(route) && !isOpen(route));
    expect(ofOwners.length).toBeGreaterThanOrEqual(14);
    for (const route of ofOwners) {
      for (const token of [admin.tokens.viewer, admin.tokens.editor]) {
        const response = await send(route, token, route.method === 'GET' ? undefined : '{bad');
        expectGeneralError(response, 403, 'role_too_low');
        expect(response.json().error).toMatchObject({ roleNeeded: 'owner' });
      }
    }
  });

  it('of the own account refuses tokens', async () => {
    const ofAccounts = routes.filter(isOfAccount);
    expect(ofAccounts).toHaveLength(10);
    for (const route of ofAccounts)
      expectGeneralError(await send(route, admin.tokens.owner, '{bad'), 403, 'account_needed');
  });

  it('refuses a token beside the name of another studio, and takes it beside that of its own', async () => {
    const sendFor = (tenant: string) =>
      admin.app.inject({
        url: `/admin/v1${GAME}/draft`,
        headers: { authorization: `Bearer ${admin.tokens.owner}`, 'x-tenant-id': tenant },
      });
    expect((await sendFor('demo-studio')).statusCode).toBe(200);
    const refused = await sendFor('other-studio');
    expectGeneralError(refused, 403, 'not_a_member');
    expect(refused.json().error.message).toContain('of another studio than the one that X-Tenant-ID names');
  });

  it('does not find the games of another studio', async () => {
    for (const role of ROLES) {
      const stranger = await admin.addToken(role, { tenant: 'other-studio' });
      const ofGames = routes.filter(({ url, method }) => url.includes(':game') && method === 'GET');
      const isAllowed = (route: Route) =>
        role === 'owner' || !(isOfOwners(route) || (role === 'viewer' && isOfEditors(route)));
      for (const route of ofGames.filter(isAllowed)) {
        expectGeneralError(await send(route, stranger), 404, 'game_not_found');
      }
    }
    const stranger = await admin.addToken('owner', { tenant: 'other-studio' });
    const bodies = [
      ['PUT', '/draft', { revision: 0, document: {} }],
      ['DELETE', '/draft?revision=0', undefined],
      ['POST', '/draft/validate', { document: {} }],
      ['POST', '/draft/publish', { revision: 0, note: '' }],
      ['POST', '/versions/1/roll-back', { note: '' }],
      ['PUT', `/players/${crypto.randomUUID()}/overrides/isPayer`, { value: true, reason: 'x' }],
      ['DELETE', `/players/${crypto.randomUUID()}/overrides/isPayer`, undefined],
      ['PATCH', '', { name: 'Mine' }],
      ['POST', '/keys', {}],
      ['POST', '/rollups/check', undefined],
      ['POST', '/event-files/ask', { sql: 'select 1' }],
      ['POST', '/keys/dev-key/rotate', { overlapHours: 0 }],
      ['DELETE', '/keys/dev-key', undefined],
    ] as const;
    for (const [method, path, body] of bodies) {
      expectGeneralError(await admin.call(method, GAME + path, body, stranger), 404, 'game_not_found');
    }
    expectGeneralError(
      await admin.call('GET', '/audit-log?game=demo-game', undefined, stranger),
      404,
      'game_not_found',
    );
    const { games } = await admin.ask<{ games: unknown[] }>('GET', '/games', undefined, stranger);
    expect(games).toEqual([
      {
        gameId: 'other-game',
        name: 'other-game',
        publishedVersion: 0,
        draft: { revision: 0, isEdited: false },
        retentionDays: null,
        unregisteredTypes: 'accept',
        erasureWaitDays: 0,
        erasurePage: false,
      },
    ]);
  });

  it('responds with a request id and no-store, and without CORS headers', async () => {
    for (const token of [admin.tokens.viewer, null]) {
      const response = await admin.app.inject({
        url: '/admin/v1/me',
        headers: {
          origin: 'https://evil.example',
          'x-request-id': 'from-the-console',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
      });
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.headers['x-request-id']).toBe('from-the-console');
      expect(response.headers).not.toHaveProperty('access-control-allow-origin');
    }
    expectGeneralError(await admin.call('GET', '/nowhere'), 404, 'not_found');
  });

  it.each(['%00', 'demo-game%00', "'", 'DEMO-GAME', '..%2f', 'x'.repeat(90)])(
    'finds no game named %s',
    async (game) => {
      expectGeneralError(await admin.call('GET', `/games/${game}/draft`), 404, 'game_not_found');
    },
  );
});

it('lists the attributes of rules', async () => {
  const { attributes } = await admin.ask<{ attributes: Record<string, unknown>[] }>('GET', '/attributes');
  expect(attributes).toContainEqual({
    name: 'spend',
    usage: 'spend["USD"].total',
    type: 'map<string, Amounts>',
    meaning: expect.stringContaining('currency'),
    key: 'currency',
    fields: expect.arrayContaining([{ name: 'total', type: 'double', meaning: 'of all time' }]),
  });
});
