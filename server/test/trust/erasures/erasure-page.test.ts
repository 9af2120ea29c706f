import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO } from '../../../src/app/demo-studio.js';
import { type CodeGuesses, createCodeGuesses } from '../../../src/platform/http/code-guesses.js';
import { trustProxy } from '../../../src/platform/http/trust-proxy.js';
import { erasurePageRoutes } from '../../../src/trust/erasures/erasure-page-routes.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { erase, playerIdOf, tablesNaming } from '../../support/erasure-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { addStudio, expectAlive, expectDead } from '../../support/session-calls.js';

const DAY_MS = 86_400_000;
const PAGE = `/erase/${DEMO.tenant}/${DEMO.game}`;
const NO_CODE = 'BCDF-GHJK-LMNP';

let harness: Harness;
let admin: AdminClient;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});
beforeEach(() => setPage({ erasurePage: true, erasureWaitDays: 0 }));

const setPage = (settings: object) => admin.ask('PATCH', GAME, settings, admin.tokens.owner);
const askCode = ({ headers }: Session, app = harness.app) =>
  app.inject({ method: 'POST', url: '/v1/player/erasure_code', headers });
const codeFor = async (session: Session): Promise<string> => (await askCode(session)).json().data.code;
const open = (url = PAGE) => harness.app.inject({ url });
const enter = (
  form: Record<string, string>,
  { url = PAGE, app = harness.app as FastifyInstance, remoteAddress = '192.0.2.1' } = {},
) =>
  app.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  });
type Request = { erasureId: string; requestedBy: string; playerId: string; state: string };
const requestOf = async ({ userId }: Session) =>
  (await admin.ask<{ erasures: Request[] }>('GET', `${GAME}/erasures`)).erasures.find(
    ({ playerId }) => playerId === userId,
  );

describe('the code of a player', () => {
  it('stays the same while it is shown, on every node, and holds for 90 days after that', async () => {
    const session = await harness.login('shown');
    const first = (await askCode(session)).json();
    expect(first).toEqual({
      status: 'success',
      data: {
        code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}-[A-Z]{4}$/),
        expiresAt: new Date(harness.clock.now() + 90 * DAY_MS).toISOString(),
        page: PAGE,
      },
    });
    harness.clock.advance(80 * DAY_MS);
    const again = await harness.login('shown');
    const second = (await askCode(again, (await harness.addNode()).app)).json().data;
    expect(second).toMatchObject({ code: first.data.code });
    expect(Date.parse(second.expiresAt)).toBe(harness.clock.now() + 90 * DAY_MS);
    harness.clock.advance(80 * DAY_MS);
    expect((await enter({ code: second.code })).statusCode).toBe(200);
    harness.clock.advance(10 * DAY_MS);
    expect((await enter({ code: second.code })).statusCode).toBe(422);
    expect(await codeFor(await harness.login('shown'))).not.toBe(second.code);
  });

  it('is not stored, and differs between players', async () => {
    const [session, other] = [await harness.login('one'), await harness.login('two')];
    const code = await codeFor(session);
    expect(await codeFor(other)).not.toBe(code);
    const { rows } = await harness.pool.query('select c::text from erasure_codes c');
    expect(JSON.stringify(rows)).not.toContain(code.slice(0, 4));
  });

  it('needs the token of the player, and a game with the page', async () => {
    const session = await harness.login('needs-page');
    expect((await harness.app.inject({ method: 'POST', url: '/v1/player/erasure_code' })).statusCode).toBe(
      401,
    );
    await setPage({ erasurePage: false });
    expectGeneralError(await askCode(session), 404, 'erasure_page_off');
  });
});

describe('the page', () => {
  it('is there for games that have turned it on, and says what goes, what stays and when', async () => {
    const { statusCode, headers, body } = await open();
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^']+'; /),
    });
    for (const text of ['What is deleted', 'What stays', 'At once.', 'Demo']) expect(body).toContain(text);
    expect(body).not.toContain('<script');
    await setPage({ erasureWaitDays: 7 });
    expect((await open()).body).toContain('7 days after your request.');
    await setPage({ erasurePage: false });
    const others = ['/erase/demo-studio/no-game', '/erase/no-studio/demo-game', '/erase/%00/demo-game', PAGE];
    const bodies = await Promise.all(others.map(open));
    for (const { statusCode, headers } of bodies) {
      expect(statusCode).toBe(404);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
    }
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1);
    expect((await enter({ code: NO_CODE, confirm: 'yes' })).statusCode).toBe(404);
  });

  it('shows the names of game and studio as text', async () => {
    const { name } = await admin.ask('GET', GAME);
    await setPage({ name: 'A <b>&"game"' });
    const { body } = await open();
    expect(body).toContain('A &lt;b&gt;&amp;&quot;game&quot;');
    expect(body).not.toContain('<b>');
    const { body: refused } = await enter({ code: '"><script>' });
    expect(refused).toContain('value="&quot;&gt;&lt;script&gt;"');
    await setPage({ name });
  });

  it('asks once more, then requests the erasure as the hosted page, in the audit log as well', async () => {
    const session = await harness.login('removed');
    const playerId = await playerIdOf(harness, session);
    const code = await codeFor(session);
    const typed = code.toLowerCase().replaceAll('-', ' ');
    const asked = await enter({ code: typed });
    expect(asked.statusCode).toBe(200);
    expect(asked.body).toContain(`value="${code}"`);
    expect(await requestOf(session)).toBeUndefined();
    await expectAlive(harness.app, session);

    const done = await enter({ code, confirm: 'yes' });
    expect(done.statusCode).toBe(200);
    const request = await requestOf(session);
    expect(request).toMatchObject({ requestedBy: 'hosted page', state: 'waiting' });
    expect(done.body).toContain(request?.erasureId);
    await expectDead(harness.app, session);
    const { entries } = await admin.ask<{ entries: unknown[] }>(
      'GET',
      '/audit-log?limit=1',
      undefined,
      admin.tokens.owner,
    );
    expect(entries).toMatchObject([
      { action: 'player.erase', actor: 'hosted page', target: `player ${session.userId}` },
    ]);
    await erase(harness);
    expect(await tablesNaming(harness, [session.userId], playerId)).toEqual([]);
  });

  it('responds to a used code as to a wrong one, and to a code of another game', async () => {
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    await harness.pool.query('update games set erasure_page = true');
    const [session, foreign] = [await harness.login('used'), await studio.login('used')];
    const code = await codeFor(session);
    await enter({ code, confirm: 'yes' });
    const answers = [
      await enter({ code: NO_CODE, confirm: 'yes' }),
      await enter({ code, confirm: 'yes' }),
      await enter({ code: await codeFor(foreign), confirm: 'yes' }),
    ].map(({ statusCode, body }) => [statusCode, body.replace(/value="[^"]*"/, '')]);
    expect(answers[0]?.[0]).toBe(422);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    await expectAlive(harness.app, foreign);
    for (const form of [{}, { code: '' }, { code: '\u0000' }, { confirm: 'yes' }])
      expect((await enter(form)).statusCode).toBe(422);
  });

  it('ends the code with a request from the game, and gives a new one after its withdrawal', async () => {
    await setPage({ erasureWaitDays: 7 });
    const session = await harness.login('withdrawn');
    const code = await codeFor(session);
    await enter({ code, confirm: 'yes' });
    const request = await requestOf(session);
    await admin.ask('DELETE', `${GAME}/erasures/${request?.erasureId}`);
    expect((await enter({ code })).statusCode).toBe(422);
    const again = await harness.login('withdrawn');
    expect(again.userId).toBe(session.userId);
    harness.clock.advance(1_000);
    expect(await codeFor(again)).not.toBe(code);
  });

  it('limits wrong codes by network, and stays open for networks that have sent none', async () => {
    // At a clock that stands still: a game regains five guesses a second.
    const codeGuesses = createCodeGuesses(
      () => {},
      () => 0,
    );
    const app = fastify();
    erasurePageRoutes(app, { ...harness.ctx, rateLimits: { codeGuesses } });
    const { gameId } = (await harness.pool.query('select id as "gameId" from games order by id')).rows[0];
    const code = await codeFor(await harness.login('guessed'));
    const statuses = async (codes: readonly string[], address: (n: number) => string) => {
      const found: number[] = [];
      for (const [n, each] of codes.entries())
        found.push((await enter({ code: each }, { app, remoteAddress: address(n) })).statusCode);
      return found;
    };
    const wrong = (count: number) => Array<string>(count).fill(NO_CODE);

    const oneNetwork = (n: number) => `2001:db8:1:1::${n.toString(16)}`;
    expect(await statuses([...wrong(20), NO_CODE, code], oneNetwork)).toEqual([
      ...Array(20).fill(422),
      ...[429, 429],
    ]);
    for (let n = 0; n < 280; n++) codeGuesses.take(`10.0.${n % 15}.1`, gameId);
    expect(await statuses(['x', code, NO_CODE, code, ...wrong(2), code], () => '192.0.2.1')).toEqual([
      ...[422, 200, 422, 200, 422, 422, 429],
    ]);
    expect(await statuses([code], () => '2001:db8:2::1')).toEqual([200]);

    const limited = await enter({ code }, { app, remoteAddress: '192.0.2.1' });
    expect(limited.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'retry-after': '1200',
    });
    expect(limited.body).toContain('Too many wrong codes. Try again in 20 minutes.');
    await app.close();
  });

  it('counts the address of the player, not that of the trusted proxy', async () => {
    const counted: (string | undefined)[] = [];
    const codeGuesses: CodeGuesses = {
      take: (address) => {
        counted.push(address);
        return () => {};
      },
    };
    const app = fastify({ trustProxy: trustProxy(1) });
    erasurePageRoutes(app, { ...harness.ctx, rateLimits: { codeGuesses } });
    await app.inject({
      method: 'POST',
      url: PAGE,
      remoteAddress: '10.0.0.1',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': '198.51.100.1, 192.0.2.9',
      },
      payload: `code=${NO_CODE}`,
    });
    expect(counted).toEqual(['192.0.2.9']);
    await app.close();
  });
});
