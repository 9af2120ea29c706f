import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasswords, type Passwords } from '../../../src/platform/security/passwords.js';
import {
  addPerson,
  cookieOf,
  differentNetworks,
  expectRefused,
  PASSWORD,
  type Person,
  personOf,
  post,
  signIn,
} from '../../support/account-calls.js';
import { type AdminClient, CHEAP_HASHES, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import { addStudio } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
let ada: Person;
let hashes = 0;
const passwords: Passwords = (() => {
  const real = createPasswords(CHEAP_HASHES);
  return {
    ...real,
    verify: (...given) => {
      hashes++;
      return real.verify(...given);
    },
  };
})();
const fromElsewhere = differentNetworks();

beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness, undefined, ['ops.example.com'], { passwords });
  await addStudio(harness, 'other-studio', 'other-game');
  ada = await addPerson(harness, admin, 'owner', { email: 'Ada@Studio.example', name: 'Ada' });
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

describe('signing in', () => {
  it('with email and password opens a session that /me shows', async () => {
    const response = await signIn(admin, 'ADA@studio.EXAMPLE', PASSWORD, fromElsewhere());
    const person = personOf(admin, response);
    const account = {
      accountId: ada.accountId,
      email: 'Ada@Studio.example',
      name: 'Ada',
      hasPassword: true,
      hasSecondFactor: false,
    };
    const studios = [{ tenantId: 'demo-studio', name: 'Demo Studio', role: 'owner' }];
    expect(response.json()).toEqual({
      data: { account, studios, csrfToken: expect.stringMatching(/^[\w-]{43}$/) },
      status: 'success',
    });
    expect(await person.ask('GET', '/me')).toEqual({
      tokenId: null,
      name: 'Ada',
      role: 'owner',
      tenantId: 'demo-studio',
      expiresAt: new Date(harness.clock.now() + 7 * 86_400_000).toISOString(),
      account,
      studios,
      csrfToken: person.csrfToken,
      environment: 'development',
    });
  });

  it('sets cookies with HttpOnly and SameSite=Strict, and with Secure over https', async () => {
    const attributes = (response: { headers: Record<string, unknown> }) =>
      [response.headers['set-cookie']].flat().map((each) => String(each).replace(/=[\w-]{43,}/, '=…'));
    expect(attributes(await signIn(admin, ada.email, PASSWORD, fromElsewhere()))).toEqual([
      'savepoint_session=…; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict',
      'savepoint_device=…; Path=/admin/v1/; Max-Age=15552000; HttpOnly; SameSite=Strict',
    ]);
    const behindProxy = await openAdminClient(harness, undefined, [], { passwords, trustProxy: true });
    const headers = { 'x-forwarded-proto': 'https' };
    for (const each of attributes(await signIn(behindProxy, ada.email, PASSWORD, { headers })))
      expect(each).toMatch(/; Secure$/);
    for (const each of attributes(await signIn(admin, ada.email, PASSWORD, { headers, ...fromElsewhere() })))
      expect(each).not.toMatch(/Secure/);
    await behindProxy.close();
  });

  it.each([
    ['https', true],
    ['http', false],
  ])(
    'sets cookies for the scheme of the page (%s) behind a proxy that is not trusted',
    async (scheme, isSecure) => {
      // The proxy ends TLS and passes the request on in plain HTTP; only the browser tells how the page was loaded.
      const headers = { origin: `${scheme}://ops.studio.example`, host: 'ops.studio.example' };
      const open = await openAdminClient(harness, undefined, ['ops.studio.example'], { passwords });
      const response = await signIn(open, ada.email, PASSWORD, { headers, ...fromElsewhere() });
      expect(response.statusCode, response.body).toBe(200);
      const cookies = [response.headers['set-cookie'] ?? []].flat();
      expect(cookies).toHaveLength(2);
      for (const each of cookies) expect(each.endsWith('; Secure')).toBe(isSecure);
      await open.close();
    },
  );

  it('stores neither the password nor the cookie', async () => {
    const person = personOf(admin, await signIn(admin, ada.email, PASSWORD, fromElsewhere()));
    const secret = person.cookie.split('=')[1] ?? '';
    for (const table of ['accounts', 'account_sessions', 'audit_log', 'sign_in_links']) {
      const { rows } = await harness.pool.query(`select t::text as line from ${table} t`);
      const text = rows.map(({ line }) => line).join('\n');
      for (const each of [PASSWORD, secret, Buffer.from(secret).toString('hex'), person.csrfToken])
        expect(text).not.toContain(each);
    }
  });

  it('is refused with the same response and the same work, whether the email is known or not', async () => {
    await addPerson(harness, admin, 'viewer', { email: 'no-password@studio.example' });
    await harness.pool.query(
      "update accounts set password_hash = null where email_key = 'no-password@studio.example'",
    );
    const responses: string[] = [];
    for (const email of [ada.email, 'nobody@studio.example', 'no-password@studio.example', 'x@y']) {
      const before = hashes;
      const response = await signIn(admin, email, 'wrong password', fromElsewhere());
      expectRefused(response, 'sign_in_refused');
      expect(hashes - before).toBe(1);
      responses.push(response.body);
    }
    expect(new Set(responses).size).toBe(1);
  });

  it.each([
    [{}],
    [{ email: 'ada@studio.example' }],
    [{ email: ['ada@studio.example'], password: PASSWORD }],
    [{ email: 'ada@studio.example', password: { $ne: '' } }],
    [{ email: 'ada@studio.example', password: 1 }],
    [{ email: 'ada@studio.example', password: '' }],
    [{ email: 'ada@studio.example', password: 'x'.repeat(257) }],
    [{ email: `${'x'.repeat(300)}@y`, password: 'x' }],
    [{ email: 'no address', password: 'x' }],
    [{ email: 'a@b\u0000', password: 'x' }],
    [{ email: 'ada@studio.example', password: PASSWORD, code: 123456 }],
    [{ email: 'ada@studio.example', password: PASSWORD, role: 'owner' }],
    [[]],
    [null],
  ])('refuses the body %j', async (body) => {
    const before = hashes;
    const response = await post(admin, '/sign-in', body, fromElsewhere());
    expect(response.statusCode, response.body).toBe(400);
    expect(hashes).toBe(before);
  });

  it('refuses a body that is too large', async () => {
    const body = { email: ada.email, password: 'x'.repeat(100_000) };
    expectGeneralError(await post(admin, '/sign-in', body, fromElsewhere()), 413, 'body_too_large');
  });
});

describe('a hundred guesses at once', () => {
  it('count as five; the rest is refused without hashing, and a known device can sign in meanwhile', async () => {
    const from = fromElsewhere();
    const before = hashes;
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, n) => signIn(admin, ada.email, `guess ${n}`, from)),
    );
    const slowed = responses.filter(({ statusCode }) => statusCode === 429);
    expect(slowed).toHaveLength(95);
    for (const each of slowed) expectGeneralError(each, 429, 'sign_in_slowed');
    expect(hashes - before).toBe(5);

    // The right password has to wait, too: otherwise an attacker could tell it from a wrong one.
    expectGeneralError(await signIn(admin, ada.email, PASSWORD, from), 429, 'sign_in_slowed');
    const known = await signIn(admin, ada.email, PASSWORD, { ...from, cookie: ada.deviceCookie });
    expect(known.statusCode, known.body).toBe(200);
    expect((await signIn(admin, ada.email, PASSWORD, fromElsewhere())).statusCode).toBe(200);
    expect((await ada.call('GET', '/me')).statusCode).toBe(200);

    harness.clock.advance(1_000);
    expect((await signIn(admin, ada.email, PASSWORD, from)).statusCode).toBe(200);
  });

  it('with a device cookie of another account, or a forged one, count as those of an unknown device', async () => {
    const eve = await addPerson(harness, admin, 'viewer', { tenant: 'other-studio' });
    for (const cookie of [
      eve.deviceCookie,
      'savepoint_device=AAAA',
      ada.deviceCookie.replace(/.{20}$/, 'A'.repeat(20)),
    ]) {
      const from = fromElsewhere();
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => signIn(admin, ada.email, 'wrong', { ...from, cookie })),
      );
      expect(responses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5);
    }
  });
});

describe('the network of a guess', () => {
  it('comes from X-Forwarded-For behind a trusted proxy only', async () => {
    const behindProxy = await openAdminClient(harness, undefined, [], { passwords, trustProxy: true });
    const guess = (at: AdminClient, n: number) =>
      signIn(at, 'somebody@studio.example', 'wrong', {
        remoteAddress: '10.200.0.1',
        headers: { 'x-forwarded-for': `203.0.${n}.113` },
      });
    const statuses = async (at: AdminClient) => {
      const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => guess(at, n)));
      return responses.filter(({ statusCode }) => statusCode === 401).length;
    };
    expect(await statuses(behindProxy)).toBe(20);
    expect(await statuses(admin)).toBe(5);
    await behindProxy.close();
  });
});

describe('signing out', () => {
  it('ends the session: its cookie is refused', async () => {
    const person = personOf(admin, await signIn(admin, ada.email, PASSWORD, fromElsewhere()));
    const response = await person.call('POST', '/sign-out');
    expect(response.json()).toEqual({ data: { sessionsEnded: 1 }, status: 'success' });
    expect(cookieOf(response, 'savepoint_session')).toBe('savepoint_session=');
    for (const [method, path] of [
      ['GET', '/me'],
      ['POST', '/sign-out'],
      ['GET', '/games'],
    ] as const)
      expectRefused(await person.call(method, path), 'session_ended');
    await ada.ask('GET', '/me');
  });

  it('everywhere ends all sessions of the account, and no session of another', async () => {
    const grace = await addPerson(harness, admin, 'viewer');
    const more = await Promise.all([1, 2].map(() => signIn(admin, grace.email, PASSWORD, fromElsewhere())));
    const response = await grace.ask('POST', '/sign-out', { everywhere: true });
    expect(response).toEqual({ sessionsEnded: 3 });
    for (const each of [grace, ...more.map((response) => personOf(admin, response))])
      expectRefused(await each.call('GET', '/me'), 'session_ended');
    await ada.ask('GET', '/me');
  });
});

describe('a session', () => {
  it('ends a week after it was last used, and 30 days after it began', async () => {
    const grace = await addPerson(harness, admin, 'viewer');
    const DAY_MS = 86_400_000;
    for (let day = 0; day < 24; day += 6) {
      harness.clock.advance(6 * DAY_MS);
      await grace.ask('GET', '/me');
    }
    harness.clock.advance(6 * DAY_MS);
    expectRefused(await grace.call('GET', '/me'), 'session_ended');

    const joan = await addPerson(harness, admin, 'viewer');
    harness.clock.advance(7 * DAY_MS);
    expectRefused(await joan.call('GET', '/me'), 'session_ended');
    ada = personOf(admin, await signIn(admin, ada.email, PASSWORD, fromElsewhere()), 'demo-studio');
  });

  it.each(['', 'x', 'A'.repeat(43), 'A'.repeat(5_000), "'; drop table accounts; --"])(
    'is not opened by the cookie %j',
    async (value) => {
      const response = await admin.app.inject({
        url: '/admin/v1/me',
        headers: { cookie: `savepoint_session=${value}` },
      });
      expectRefused(response, 'session_ended');
    },
  );

  it('is refused if two cookies of its name are sent', async () => {
    const headers = { cookie: `${ada.cookie}; ${ada.cookie}x` };
    const response = await admin.app.inject({ url: '/admin/v1/me', headers });
    expectRefused(response, 'token_missing');
  });
});
