import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { DEMO } from '../../src/app/demo-studio.js';
import { addMember } from '../../src/studio/accounts/account-changes.js';
import type { Role } from '../../src/studio/admin-api/roles.js';
import type { AdminClient, Method } from './admin-calls.js';
import type { Harness } from './harness.js';

/** People who sign in to the admin API with a browser. */

export const PASSWORD = 'correct horse battery staple';

export type Sent = {
  cookie?: string;
  headers?: Record<string, string>;
  /** Where the request comes from. */
  remoteAddress?: string;
};

export type Person = {
  email: string;
  accountId: string;
  csrfToken: string;
  /** The cookie of the session, as a browser sends it. */
  cookie: string;
  /** The cookie of the device, which outlives the session. */
  deviceCookie: string;
  call(
    method: Method,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
  ask<T = Record<string, unknown>>(method: Method, path: string, body?: unknown, status?: number): Promise<T>;
};

export function post(admin: AdminClient, path: string, body: unknown, sent: Sent = {}) {
  const { cookie, headers, remoteAddress } = sent;
  return admin.app.inject({
    method: 'POST',
    url: `/admin/v1${path}`,
    headers: { ...(cookie === undefined ? {} : { cookie }), ...headers },
    ...(remoteAddress === undefined ? {} : { remoteAddress }),
    payload: body as object,
  });
}

export function signIn(
  admin: AdminClient,
  email: string,
  password: string,
  sent: Sent & { code?: string } = {},
) {
  const { code, ...rest } = sent;
  return post(admin, '/sign-in', { email, password, ...(code === undefined ? {} : { code }) }, rest);
}

/** Gives a new network each time, because wrong guesses slow down their network. */
export function differentNetworks(): () => { remoteAddress: string } {
  let networks = 0;
  return () => ({ remoteAddress: `10.0.${++networks}.1` });
}

/** `name=value` of each cookie that a response sets. */
export function cookiesOf(response: LightMyRequestResponse): string[] {
  return [response.headers['set-cookie'] ?? []].flat().map((each) => each.split(';', 1)[0] ?? '');
}

export function cookieOf(response: LightMyRequestResponse, name: string): string {
  return cookiesOf(response).find((each) => each.startsWith(`${name}=`)) ?? '';
}

/** The person of a successful response to a sign-in. */
export function personOf(admin: AdminClient, response: LightMyRequestResponse, tenant?: string): Person {
  expect(response.statusCode, response.body).toBe(200);
  const { account, csrfToken } = response.json().data;
  const cookie = cookieOf(response, 'savepoint_session');
  const call: Person['call'] = (method, path, body, headers = {}) =>
    admin.app.inject({
      method,
      url: `/admin/v1${path}`,
      headers: {
        cookie,
        'x-csrf-token': csrfToken,
        ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: body as object }),
    });
  return {
    email: account.email,
    accountId: account.accountId,
    csrfToken,
    cookie,
    deviceCookie: cookieOf(response, 'savepoint_device'),
    call,
    async ask<T>(method: Method, path: string, body?: unknown, status = 200): Promise<T> {
      const result = await call(method, path, body);
      expect(result.statusCode, result.body).toBe(status);
      return result.json().data as T;
    },
  };
}

export async function tenantIdOf({ pool }: Harness, slug: string): Promise<number> {
  const { rows } = await pool.query<{ id: number }>('select id from tenants where slug = $1', [slug]);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error(`there is no tenant ${slug}`);
  return id;
}

let people = 0;

/** Adds a new member with a password, and signs in. */
export async function addPerson(
  harness: Harness,
  admin: AdminClient,
  role: Role,
  options: { tenant?: string; email?: string; name?: string } = {},
): Promise<Person> {
  people++;
  const {
    tenant = DEMO.tenant,
    email = `person-${people}@studio.example`,
    name = `Person ${people}`,
  } = options;
  // Ids contain the time of the clock, which does not advance by itself.
  harness.clock.advance(1);
  const nowMs = harness.clock.now();
  const tenantId = await tenantIdOf(harness, tenant);
  const member = { email, name, role, tenantId, linkExpiresAt: nowMs + 60_000 };
  const added = await addMember(harness.pool, member, { name: 'test', nowMs });
  if (added.outcome !== 'added' || added.token === null) throw new Error(`${email} is there already`);
  const person = personOf(admin, await post(admin, '/sign-in/link', { token: added.token }), tenant);
  await person.ask('PUT', '/account/password', { newPassword: PASSWORD });
  return person;
}

/** A 401 of signing in: the string form, like every 401. */
export function expectRefused(response: LightMyRequestResponse, code: string): void {
  expect(response.statusCode, response.body).toBe(401);
  expect(response.json()).toEqual({ error: expect.any(String), code });
  expect(response.headers['cache-control']).toBe('no-store');
  expect(cookiesOf(response)).toEqual([]);
}

/** Decodes a secret, as an authenticator app does. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
