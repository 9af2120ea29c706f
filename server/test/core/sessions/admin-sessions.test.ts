import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { addStudio, expectAlive, expectDead } from '../../support/session-calls.js';

type Page<Name extends string> = Record<Name, Record<string, unknown>[]> & { nextCursor: string | null };

let harness: Harness;
let admin: AdminClient;
let session: Session;
let devices = 0;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
});
beforeEach(async () => {
  harness.clock.advance(1_000);
  session = await harness.login(`device-${devices++}`);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const path = (what: string, userId = session.userId) => `${GAME}/players/${userId}/${what}`;
const sessionsOf = (query = '') =>
  admin.ask<Page<'sessions'>>('GET', path(`sessions${query}`), undefined, admin.tokens.viewer);
const revoke = (body?: unknown, userId = session.userId) =>
  admin.call('POST', path('sessions/revoke', userId), body);

async function sessionIds(): Promise<string[]> {
  return (await sessionsOf()).sessions.map(({ sessionId }) => String(sessionId));
}

async function audited(): Promise<{ action: string; target: string; before: unknown }[]> {
  const { rows } = await harness.pool.query(
    'select action, target, before from audit_log where target like $1 order by id',
    [`player ${session.userId}%`],
  );
  return rows;
}

describe('the devices of a player', () => {
  it('are listed with their first login, page by page', async () => {
    const { playerId, gameId } = (
      await harness.pool.query(
        'select id as "playerId", game_id as "gameId" from players where user_id = $1',
        [session.userId],
      )
    ).rows[0];
    const more = Array.from({ length: 5 }, (_, n) => `${session.deviceId} "é" ${n}`);
    await harness.pool.query(
      'insert into devices (game_id, device_id, player_id, created_at) select $1, unnest($2::text[]), $3, $4',
      [gameId, more, playerId, new Date(harness.clock.now())],
    );
    const found: unknown[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 10; pages++) {
      const page: Page<'devices'> = await admin.ask(
        'GET',
        path(`devices?limit=2${cursor && `&cursor=${cursor}`}`),
      );
      found.push(...page.devices.map(({ deviceId }) => deviceId));
      cursor = page.nextCursor;
    }
    expect(found).toEqual([session.deviceId, ...more]);
    const first = await admin.ask<Page<'devices'>>('GET', path('devices'), undefined, admin.tokens.viewer);
    expect(first.devices[0]).toEqual({
      deviceId: session.deviceId,
      createdAt: new Date(harness.clock.now()).toISOString(),
    });
    expect(first.nextCursor).toBeNull();
  });
});

describe('the sessions of a player', () => {
  it('are listed, newest first, each once, also those of one millisecond', async () => {
    for (let n = 0; n < 3; n++) await harness.login(session.deviceId);
    harness.clock.advance(5);
    await harness.login(session.deviceId);
    const { sessions, nextCursor } = await sessionsOf();
    expect(nextCursor).toBeNull();
    expect(sessions).toHaveLength(5);
    expect(sessions[0]).toEqual({
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      deviceId: session.deviceId,
      apiKey: 'dev-key',
      createdAt: new Date(harness.clock.now()).toISOString(),
      expiresAt: expect.stringMatching(/Z$/),
      isLive: true,
    });
    for (const limit of [1, 2, 3]) {
      const paged: unknown[] = [];
      let page = await sessionsOf(`?limit=${limit}`);
      for (;;) {
        paged.push(...page.sessions);
        if (page.nextCursor === null) break;
        page = await sessionsOf(`?limit=${limit}&cursor=${page.nextCursor}`);
      }
      expect(paged).toEqual(sessions);
    }
  });

  it('are not live once they have expired', async () => {
    const [first] = (await sessionsOf()).sessions;
    const wasAt = harness.clock.now();
    harness.clock.set(Date.parse(String(first?.expiresAt)));
    expect((await sessionsOf()).sessions).toMatchObject([{ isLive: false }]);
    harness.clock.set(wasAt);
  });

  it('can be ended one by one', async () => {
    harness.clock.advance(5);
    const other = await harness.login(session.deviceId);
    const [newest = ''] = await sessionIds();
    const response = await revoke({ sessionId: newest.toUpperCase() });
    expect(response.json()).toEqual({ data: { revokedSessions: 1 }, status: 'success' });
    await expectDead(harness.app, other);
    await expectAlive(harness.app, session);
    expect(await audited()).toEqual([
      expect.objectContaining({
        action: 'session.revoke',
        target: expect.stringMatching(new RegExp(`session ${newest}$`, 'i')),
        before: { sessions: 1 },
      }),
    ]);
    expectGeneralError(await revoke({ sessionId: newest }), 404, 'session_not_found');
    expect(await audited()).toHaveLength(1);
  });

  it.each([
    ['no body', undefined],
    ['null', null],
    ['an empty object', {}],
  ])('can be ended all at once, with %s', async (_name, body) => {
    const other = await harness.login(session.deviceId);
    const stranger = await harness.login('somebody-else');
    expect((await revoke(body)).json().data).toEqual({ revokedSessions: 2 });
    await expectDead(harness.app, session);
    await expectDead(harness.app, other);
    await expectAlive(harness.app, stranger);
    expect((await sessionsOf()).sessions).toEqual([]);
    // Nothing is left to end, and nothing to write down.
    expect((await revoke(body)).json().data).toEqual({ revokedSessions: 0 });
    expect(await audited()).toHaveLength(1);
  });

  it('of another player cannot be ended', async () => {
    const stranger = await harness.login('stranger');
    const [own = ''] = await sessionIds();
    expectGeneralError(await revoke({ sessionId: own }, stranger.userId), 404, 'session_not_found');
    await expectAlive(harness.app, session);
  });

  it.each([
    ['a session that is no id', { sessionId: 'x' }, 404, 'session_not_found'],
    ['a session with a NUL', { sessionId: 'x\u0000' }, 400, 'body_invalid'],
    ['a number', { sessionId: 5 }, 400, 'body_invalid'],
    ['a list', [], 400, 'body_invalid'],
  ])('are not ended by %s', async (_name, body, status, code) => {
    expectGeneralError(await revoke(body), status, code);
    await expectAlive(harness.app, session);
  });
});

describe('who may see and end them', () => {
  it('is the studio of the game; ending takes an editor', async () => {
    const refused = await admin.call('POST', path('sessions/revoke'), {}, admin.tokens.viewer);
    expectGeneralError(refused, 403, 'role_too_low');
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('owner', { tenant: 'other-studio' });
    for (const [method, what] of [
      ['GET', 'devices'],
      ['GET', 'sessions'],
      ['POST', 'sessions/revoke'],
    ] as const) {
      expectGeneralError(await admin.call(method, path(what), undefined, token), 404, 'game_not_found');
      const elsewhere = `/games/other-game/players/${session.userId}/${what}`;
      expectGeneralError(await admin.call(method, elsewhere, undefined, token), 404, 'player_not_found');
      expectGeneralError(await admin.call(method, path(what, 'x')), 404, 'player_not_found');
      expect((await admin.call(method, path(what), undefined, null)).statusCode).toBe(401);
    }
    await expectAlive(harness.app, session);
  });

  it.each(['limit=0', 'limit=201', 'cursor=x', 'cursor=a&cursor=b'])(
    'is told of a wrong %s',
    async (query) => {
      for (const what of ['devices', 'sessions']) {
        expectGeneralError(await admin.call('GET', path(`${what}?${query}`)), 400, 'parameter_invalid');
      }
    },
  );

  it('gets an error for an invented cursor', async () => {
    for (const key of [
      ['sessions', 0, 'x'],
      ['sessions', -1, '00000000-0000-0000-0000-000000000000'],
      ['sessions', 9e15, '00000000-0000-0000-0000-000000000000'],
      ['sessions', 'a', 'b'],
    ]) {
      const cursor = Buffer.from(JSON.stringify(key)).toString('base64url');
      expectGeneralError(
        await admin.call('GET', path(`sessions?cursor=${cursor}`)),
        400,
        'parameter_invalid',
      );
    }
  });
});
