import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPerson, cookiesOf, PASSWORD, type Person, post, signIn } from '../../support/account-calls.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';

let harness: Harness;
let admin: AdminClient;
let ada: Person;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness, undefined, ['ops.example.com']);
  ada = await addPerson(harness, admin, 'owner');
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const HOST = 'localhost:8081';
/** What a browser adds to the request of a page. */
const CROSS_ORIGIN: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  // A page on another port of this machine: cookies do not distinguish ports.
  { 'sec-fetch-site': 'same-site', origin: 'http://localhost:5173' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-origin, cross-site' },
  // Browsers send no Sec-Fetch-Site over plain HTTP to another machine.
  { origin: 'https://evil.example' },
  { origin: 'http://localhost:5173' },
  { origin: 'http://localhost:8081.evil.example' },
  { origin: 'null' },
  { origin: 'garbage' },
];
const OWN: Record<string, string>[] = [
  {},
  { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8081' },
  { 'sec-fetch-site': 'none' },
  { origin: 'http://localhost:8081' },
  // Behind a proxy that ends TLS.
  { origin: 'https://ops.example.com', host: 'ops.example.com' },
  { origin: 'https://ops.example.com', host: 'OPS.example.com' },
];

describe('with a session cookie', () => {
  it.each(CROSS_ORIGIN)('every request of a page of another origin is refused: %j', async (headers) => {
    for (const [method, path, body] of [
      ['GET', '/me', undefined],
      ['GET', '/members', undefined],
      ['POST', '/admin-tokens', { name: 'Eve', role: 'owner' }],
      ['POST', '/sign-out', undefined],
      ['PUT', '/account/password', { newPassword: PASSWORD }],
      ['PATCH', GAME, { retentionDays: 1 }],
    ] as const) {
      expectGeneralError(await ada.call(method, path, body, { host: HOST, ...headers }), 403, 'cross_origin');
    }
    await ada.ask('GET', '/me');
  });

  it.each(OWN)('requests of the console are accepted: %j', async (headers) => {
    const response = await ada.call('PATCH', GAME, { name: 'Mine' }, { host: HOST, ...headers });
    expect(response.statusCode, response.body).toBe(200);
  });

  it('a request that changes something needs the CSRF token of its session', async () => {
    const other = await addPerson(harness, admin, 'owner');
    const changes = [
      ['POST', '/admin-tokens', { name: 'Eve', role: 'owner' }],
      ['PATCH', GAME, { name: 'Hers' }],
      ['PUT', `/members/${ada.accountId}`, { role: 'viewer' }],
      ['DELETE', `/members/${ada.accountId}`, undefined],
      ['POST', '/sign-out', undefined],
    ] as const;
    for (const [method, path, body] of changes) {
      for (const token of ['', 'x', other.csrfToken, `${ada.csrfToken}x`, ada.csrfToken.toLowerCase()]) {
        const response = await ada.call(method, path, body, { 'x-csrf-token': token });
        expectGeneralError(response, 403, 'csrf_token_invalid');
      }
      const headers = { cookie: ada.cookie };
      const without = await admin.app.inject({
        method,
        url: `/admin/v1${path}`,
        headers,
        ...(body === undefined ? {} : { payload: body }),
      });
      expectGeneralError(without, 403, 'csrf_token_invalid');
    }
    expect(await ada.ask('GET', '/me')).toMatchObject({ role: 'owner' });
  });

  it('reading needs no CSRF token', async () => {
    const response = await admin.app.inject({ url: '/admin/v1/me', headers: { cookie: ada.cookie } });
    expect(response.statusCode).toBe(200);
  });

  it('an admin token takes precedence over the cookie, and needs neither origin nor CSRF token', async () => {
    const headers = { cookie: ada.cookie, authorization: `Bearer ${admin.tokens.viewer}` };
    const response = await admin.app.inject({
      url: '/admin/v1/me',
      headers: { ...headers, origin: 'https://evil.example' },
    });
    expect(response.json().data).toMatchObject({
      tokenId: expect.any(String),
      role: 'viewer',
      account: null,
    });
  });

  it('is refused under a host name that is not allowed', async () => {
    expectGeneralError(
      await ada.call('GET', '/me', undefined, { host: 'evil.example' }),
      421,
      'host_not_allowed',
    );
  });

  it('the body of a form of another page is not read', async () => {
    const response = await admin.app.inject({
      method: 'POST',
      url: '/admin/v1/admin-tokens',
      headers: {
        cookie: ada.cookie,
        'x-csrf-token': ada.csrfToken,
        'content-type': 'text/plain',
      },
      payload: '{"name":"Eve","role":"owner"}',
    });
    expectGeneralError(response, 415, 'unsupported_media_type');
  });
});

describe('without a session cookie', () => {
  it.each(CROSS_ORIGIN)('a page of another origin cannot sign its visitor in: %j', async (headers) => {
    const sent = { headers: { host: HOST, ...headers } };
    for (const response of [
      await signIn(admin, ada.email, PASSWORD, sent),
      await post(admin, '/sign-in/link', { token: 'x' }, sent),
      await post(admin, '/invitations/show', { token: 'x' }, sent),
      await post(admin, '/invitations/accept', { token: 'x', name: 'x', password: PASSWORD }, sent),
    ]) {
      expectGeneralError(response, 403, 'cross_origin');
      expect(cookiesOf(response)).toEqual([]);
    }
  });
});
