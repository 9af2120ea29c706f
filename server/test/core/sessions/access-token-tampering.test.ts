import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { exportJWK, exportSPKI } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { expectAlive, expectRefusedToken, getStatus, postLogout } from '../../support/session-calls.js';

let harness: Harness;
let session: Session;
beforeAll(async () => {
  harness = await createHarness();
  session = await harness.login();
});
afterAll(() => harness.close());

type Json = Record<string, unknown>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string | undefined): Json =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
const parts = () => session.accessToken.split('.') as [string, string, string];
const header = () => decode(parts()[0]);
const payload = () => decode(parts()[1]);
const without = (object: Json, name: string) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function es256(privateKey: KeyObject, head: Json, claims: Json): string {
  const text = `${encode(head)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** Signed with the real key: only header or claims are wrong. */
const ours = (head: Json, claims: Json) =>
  es256(harness.ctx.signingKeys.current().privateKey, { ...header(), ...head }, claims);
const theirs = (head: Json = {}, claims: Json = payload()) =>
  es256(stranger.privateKey, { ...header(), ...head }, claims);

function hs256(key: string | Buffer, head: Json = {}): string {
  const text = `${encode({ ...header(), alg: 'HS256', ...head })}.${encode(payload())}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

async function expectTaken(token: string): Promise<void> {
  const headers = { ...session.headers, authorization: `Bearer ${token}` };
  await expectAlive(harness.app, { ...session, headers });
}

async function expectRefused(token: string): Promise<void> {
  const forged = { ...session, headers: { ...session.headers, authorization: `Bearer ${token}` } };
  expectRefusedToken(await getStatus(harness.app, forged));
  expectRefusedToken(await postEvents(harness.app, forged, []));
  expectRefusedToken(await postLogout(harness.app, token));
}

describe('the helper makes tokens that are taken', () => {
  test('so that what follows is refused for its one fault', async () => {
    await expectTaken(ours({}, payload()));
  });

  test('also in a form that the service does not write itself', async () => {
    const { alg, typ, kid } = header();
    const { privateKey } = harness.ctx.signingKeys.current();
    await expectTaken(es256(privateKey, { kid, typ, alg }, payload()));
    await expectTaken(ours({}, { ...payload(), aud: ['elsewhere', payload().aud] }));
    await expectTaken(ours({}, { ...payload(), nbf: payload().iat }));
  });
});

describe('another algorithm', () => {
  test.each(['none', 'None', 'NONE', '', 'ES384', 'RS256', 'EdDSA', 'es256'])('alg %j', async (alg) => {
    const [, claims, signature] = parts();
    await expectRefused(`${encode({ ...header(), alg })}.${claims}.`);
    await expectRefused(`${encode({ ...header(), alg })}.${claims}.${signature}`);
  });

  test('HS256 with the public key as its secret, in every form it is published in', async () => {
    const [jwk] = (await harness.ctx.signingKeys.jwks()).keys;
    const publicKey = await harness.ctx.signingKeys.find(String(jwk?.kid));
    const pem = await exportSPKI(publicKey as KeyObject);
    const der = (publicKey as KeyObject).export({ format: 'der', type: 'spki' });
    for (const secret of [
      pem,
      pem.trim(),
      der,
      JSON.stringify(jwk),
      Buffer.from(String(jwk?.x), 'base64url'),
    ]) {
      await expectRefused(hs256(secret));
    }
  });

  test('HS256 with an empty secret and with the API secret', async () => {
    await expectRefused(hs256(''));
    await expectRefused(hs256('dev-secret'));
  });
});

describe('another key', () => {
  test('of another installation, under its own kid and under ours', async () => {
    await expectRefused(theirs({ kid: 'another-installation' }));
    await expectRefused(theirs());
  });

  // At once: each waits a second for the next look into the database, and they share it.
  test.concurrent.each([
    ['unknown', 'unknown'],
    ['empty', ''],
    ['a number', 5],
    ['null', null],
    ['an object', {}],
    ['__proto__', '__proto__'],
    ['a path', '../../dev/null'],
    ['an SQL fragment', "' or 1=1 --"],
    ['with NUL', 'a\u0000'],
  ])('kid %s', async (_name, kid) => {
    await Promise.all([expectRefused(theirs({ kid })), expectRefused(ours({ kid }, payload()))]);
    // After the next look into the database it is as unknown as before.
    await expectRefused(ours({ kid }, payload()));
  });

  test('no kid at all', async () => {
    const { privateKey } = harness.ctx.signingKeys.current();
    await expectRefused(es256(privateKey, without(header(), 'kid'), payload()));
  });

  test('jku, jwk, x5u and x5c in the header are never followed', async () => {
    const jwk = { ...(await exportJWK(stranger.publicKey)), kid: 'evil', alg: 'ES256', use: 'sig' };
    let visits = 0;
    const evil = createServer((_request, response) => {
      visits++;
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/jwks.json`;
    const x5c = [stranger.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')];
    const heads = [{ jku: url }, { jwk }, { x5u: url }, { x5c }, { jku: url, jwk, x5u: url, x5c }];
    await Promise.all(
      heads.flatMap((head) => [expectRefused(theirs({ ...head, kid: 'evil' })), expectRefused(theirs(head))]),
    );
    await new Promise((resolve) => evil.close(resolve));
    expect(visits).toBe(0);
  });
});

describe('other claims, under our own signature', () => {
  const now = () => Math.floor(harness.clock.now() / 1000);
  test.each<[string, () => Json]>([
    ['expired', () => ({ exp: now() })],
    ['expired long ago', () => ({ exp: 1 })],
    ['exp as text', () => ({ exp: String(now() + 60) })],
    ['nbf ahead', () => ({ nbf: now() + 60 })],
    ['another issuer', () => ({ iss: 'https://elsewhere.example' })],
    ['another audience', () => ({ aud: 'other-players' })],
    ['a list of other audiences', () => ({ aud: ['other-players', 'admin'] })],
    ['sub as a number', () => ({ sub: 5 })],
    ['an empty tenant', () => ({ tid: '' })],
    ['a game that is no text', () => ({ gid: ['demo-game'] })],
    ['a session that is no id', () => ({ sid: 'session-1' })],
    ['a session id with NUL', () => ({ sid: '\u0000' })],
    ['a session that never was', () => ({ sid: '018f4e6a-1c2d-7e3f-8a4b-5c6d7e8f9a0b' })],
  ])('%s', (_name, change) => expectRefused(ours({}, { ...payload(), ...change() })));

  test.each(['iss', 'aud', 'sub', 'tid', 'gid', 'did', 'sid', 'iat', 'exp', 'jti'])('without %s', (name) =>
    expectRefused(ours({}, without(payload(), name))),
  );

  test.each(['JWT', 'at', 'id+jwt', '', 5, null])('typ %j', async (typ) => {
    await expectRefused(ours({ typ }, payload()));
  });

  test('an extension that must be understood', () => expectRefused(ours({ crit: ['x'], x: 1 }, payload())));
});

describe('a token that was changed', () => {
  test.each<[string, (head: string, claims: string, signature: string) => string]>([
    ['signature stripped', (head, claims) => `${head}.${claims}.`],
    ['two parts', (head, claims) => `${head}.${claims}`],
    ['four parts', (head, claims, signature) => `${head}.${claims}.${signature}.x`],
    ['five parts, as if encrypted', (head, claims, signature) => `${head}..${claims}.${signature}.x`],
    ['another player', (head, _, signature) => `${head}.${encode({ ...payload(), sub: 'me' })}.${signature}`],
    ['a longer life', (head, _, signature) => `${head}.${encode({ ...payload(), exp: 9e9 })}.${signature}`],
    ['signature of zeros', (head, claims) => `${head}.${claims}.${Buffer.alloc(64).toString('base64url')}`],
    ['signature cut', (head, claims, signature) => `${head}.${claims}.${signature.slice(0, -4)}`],
    ['claims that are no JSON', (head, _, signature) => `${head}.bm8.${signature}`],
    ['header that is no JSON', (_, claims, signature) => `bm8.${claims}.${signature}`],
    ['too long', (head, claims, signature) => `${head}.${claims}${'A'.repeat(5_000)}.${signature}`],
  ])('%s', (_name, change) => expectRefused(change(...parts())));

  test('another last character that decodes to the same signature', async () => {
    const bytes = Buffer.from(parts()[2], 'base64url');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const good = session.accessToken;
    const same = [...alphabet]
      .map((letter) => good.slice(0, -1) + letter)
      .filter((token) => Buffer.from(token.split('.')[2] ?? '', 'base64url').equals(bytes));
    expect(same).toHaveLength(16);
    for (const token of same.filter((each) => each !== good)) await expectRefused(token);
    for (const padding of ['=', '==', '===']) await expectRefused(good + padding);
  });

  test('any other character in claims or signature', async () => {
    const good = session.accessToken;
    const first = good.indexOf('.') + 1;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: first, max: good.length - 1 }),
        fc.constantFrom(...'ABCabc012-_.'),
        async (at, letter) => {
          fc.pre(good[at] !== letter && good[at] !== '.');
          const changed = good.slice(0, at) + letter + good.slice(at + 1);
          const verified = async () => harness.ctx.accessTokens.verify(`Bearer ${changed}`);
          await expect(verified()).rejects.toMatchObject({ code: 'token_invalid' });
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a refresh token is no access token', () => expectRefused(session.refreshToken));

  test('all this while, the good one works', () => expectAlive(harness.app, session));
});
