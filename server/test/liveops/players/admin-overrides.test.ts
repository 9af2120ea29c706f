import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '../../../src/app/context.js';
import { buildPlayerApp } from '../../../src/app/player-app.js';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, get, publish } from '../../support/data-calls.js';
import {
  createHarness,
  createTestClock,
  type Harness,
  postEvents,
  type Session,
} from '../../support/harness.js';
import { expectForgedCursorsRefused, readPages } from '../../support/pages.js';
import { addStudio } from '../../support/session-calls.js';

let harness: Harness;
let admin: AdminClient;
let nodes: FastifyInstance[];
let session: Session;
let player = '';
let deviceNumber = 0;
beforeAll(async () => {
  harness = await createHarness();
  admin = await openAdminClient(harness);
  nodes = [harness.app, (await harness.addNode()).app];
  const document = gameDocument([]);
  const custom = [{ flagId: 'vip', name: 'VIP', rule: 'purchases.total > 0', defaultValue: false }];
  await publish(harness.pool, { ...document, flags: { ...document.flags, custom } }, harness.clock.now());
});
beforeEach(async () => {
  session = await harness.login(`device-${deviceNumber++}`);
  player = `${GAME}/players/${session.userId}`;
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

type Flag = { value: boolean; expiredAt: string | null };
/** What every node says at its next request. */
const told = async (flagId = 'isPayer'): Promise<Flag> => {
  const flags: Flag[] = [];
  for (const node of nodes) {
    const response = await get(node, '/v1/player/status', session);
    expect(response.statusCode, response.body).toBe(200);
    const { value, expiredAt } = response.json()[flagId];
    flags.push({ value, expiredAt });
  }
  expect(flags[1]).toEqual(flags[0]);
  return flags[0] as Flag;
};
const set = (flagId: string, body: unknown) => admin.call('PUT', `${player}/overrides/${flagId}`, body);
const clear = (flagId: string) => admin.call('DELETE', `${player}/overrides/${flagId}`);
const listed = () =>
  admin.ask<{ overrides: unknown[] }>('GET', `${player}/overrides`, undefined, admin.tokens.viewer);
const iso = (ms: number) => new Date(ms).toISOString();

describe('an override', () => {
  it('is told by every node at the next request: set, replaced, taken back', async () => {
    expect(await told()).toEqual({ value: false, expiredAt: null });
    const setAt = harness.clock.now();
    const response = await set('isPayer', { value: true, reason: 'bank transfer' });
    expect(response.statusCode, response.body).toBe(200);
    const first = {
      flagId: 'isPayer',
      value: true,
      reason: 'bank transfer',
      author: 'editor of demo-studio',
      authorEmail: null,
      setAt: iso(setAt),
      until: null,
      clearedAt: null,
      clearedBy: null,
      clearedByEmail: null,
      state: 'in_force',
    };
    expect(response.json().data).toEqual(first);
    expect(await told()).toEqual({ value: true, expiredAt: null });

    // At the same moment, and at another: the row is a new one each time.
    for (const [step, value] of [
      [0, false],
      [0, true],
      [5, false],
    ] as const) {
      harness.clock.advance(step);
      expect((await set('isPayer', { value, reason: 'again', until: null })).statusCode).toBe(200);
      expect(await told()).toEqual({ value, expiredAt: null });
    }
    const history = (await listed()).overrides;
    expect(history).toHaveLength(4);
    expect(history[0]).toMatchObject({ value: false, state: 'in_force', reason: 'again' });
    expect(history[3]).toEqual({
      ...first,
      clearedAt: iso(setAt),
      clearedBy: 'editor of demo-studio',
      state: 'cleared',
    });

    await set('isPayer', { value: true, reason: 'last' });
    expect(await told()).toEqual({ value: true, expiredAt: null });
    const cleared = await clear('isPayer');
    expect(cleared.json()).toEqual({ data: { flagId: 'isPayer' }, status: 'success' });
    expect(await told()).toEqual({ value: false, expiredAt: null });
    expectGeneralError(await clear('isPayer'), 404, 'override_not_found');
    expect((await listed()).overrides).toHaveLength(5);
  });

  it('is listed with those before it, in pages', async () => {
    const flags = ['isPayer', 'isPayer', 'isPayer', 'isPayer'];
    for (const [n, flag] of flags.entries())
      expect((await set(flag, { value: n % 2 === 0, reason: `number ${n}` })).statusCode).toBe(200);
    const { overrides } = await listed();
    expect(overrides).toMatchObject(
      [3, 2, 1, 0].map((n) => ({ reason: `number ${n}`, state: n === 3 ? 'in_force' : 'cleared' })),
    );
    for (const limit of [1, 3]) {
      const { rows, pages } = await readPages(admin, `${player}/overrides`, 'overrides', limit);
      expect(rows).toEqual(overrides);
      expect(pages).toBe(Math.ceil(4 / limit));
    }
    await expectForgedCursorsRefused(admin, `${player}/overrides`, [
      ['overrides', 1, 'x'],
      ['overrides', 1, '9999999999999999999'],
    ]);
  });

  it('ends by itself, to the millisecond', async () => {
    const until = harness.clock.now() + 60_000;
    // Any zone will do.
    const text = `${iso(until + 3_600_000).slice(0, -1)}+01:00`;
    expect((await set('isPayer', { value: true, reason: 'trial', until: text })).statusCode).toBe(200);
    expect(await told()).toEqual({ value: true, expiredAt: iso(until) });
    harness.clock.advance(59_999);
    expect(await told()).toEqual({ value: true, expiredAt: iso(until) });
    harness.clock.advance(1);
    expect(await told()).toEqual({ value: false, expiredAt: null });
    expect((await listed()).overrides).toMatchObject([{ state: 'expired', clearedAt: null }]);
    // It still stands in the books, and gives way to another.
    await set('isPayer', { value: true, reason: 'again' });
    expect(await told()).toEqual({ value: true, expiredAt: null });
    expect((await listed()).overrides).toMatchObject([{ state: 'in_force' }, { state: 'cleared' }]);
  });

  it('counts at once for a node whose clock is behind, and is over at once, too', async () => {
    const clock = createTestClock(harness.clock.now() - 5_000);
    const { settings, masterKeys, logger } = harness.ctx;
    const ctx = await createContext({
      settings,
      databaseUrl: harness.databaseUrl,
      masterKeys,
      logger,
      clock,
    });
    const slow = await buildPlayerApp(ctx);
    const value = async () => (await get(slow, '/v1/player/status', session)).json().isPayer.value;
    try {
      for (const said of [true, false, true]) {
        await set('isPayer', { value: said, reason: 'x' });
        expect(await value()).toBe(said);
      }
      await clear('isPayer');
      expect(await value()).toBe(false);
    } finally {
      await slow.close();
      await ctx.dispose();
    }
  });

  it('is of one flag and one player', async () => {
    const sibling = await harness.login('sibling');
    await set('vip', { value: true, reason: 'invited' });
    expect(await told('vip')).toEqual({ value: true, expiredAt: null });
    expect(await told('isPayer')).toEqual({ value: false, expiredAt: null });
    const other = await get(harness.app, '/v1/player/status', sibling);
    expect(other.json().vip.value).toBe(false);
  });

  it('is refused for a misspelt flag, with the nearest one', async () => {
    const response = await set('isPayr', { value: true, reason: 'x' });
    expectGeneralError(response, 404, 'flag_not_found');
    expect(response.json().error.message).toContain('has no such flag. Did you mean "isPayer"?');
  });

  it('can be taken back after its flag has left the configuration', async () => {
    await set('vip', { value: true, reason: 'invited' });
    const withFlag = (await admin.ask<{ document: { flags: object } }>('GET', `${GAME}/draft`)).document;
    await publish(harness.pool, gameDocument([]), harness.clock.now());
    expectGeneralError(await set('vip', { value: true, reason: 'x' }), 404, 'flag_not_found');
    expect((await clear('vip')).statusCode).toBe(200);
    await publish(harness.pool, withFlag as never, harness.clock.now());
  });

  it('is set by one at a time: of many at once one stands', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => set('isPayer', { value: n % 2 === 0, reason: `racer ${n}` })),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    const { overrides } = await listed();
    const standing = overrides.filter((each) => (each as { clearedAt: unknown }).clearedAt === null);
    expect(standing).toHaveLength(1);
    expect(await told()).toMatchObject({ value: (standing[0] as { value: boolean }).value });
  });

  it.each([
    ['no reason', { value: true }],
    ['an empty reason', { value: true, reason: '' }],
    ['a blank reason', { value: true, reason: ' \n' }],
    ['a reason of the wrong type', { value: true, reason: 5 }],
    ['no value', { reason: 'x' }],
    ['a value of the wrong type', { value: 'true', reason: 'x' }],
    ['an end that has passed', { value: true, reason: 'x', until: '2020-01-01T00:00:00Z' }],
    ['an end without a zone', { value: true, reason: 'x', until: '2999-01-01T00:00:00' }],
    ['an end that is no day', { value: true, reason: 'x', until: '2999-02-30T00:00:00Z' }],
    ['an end that is a number', { value: true, reason: 'x', until: 32503680000000 }],
    ['NUL in the reason', { value: true, reason: 'x\u0000' }],
    ['half a character in the reason', { value: true, reason: 'x\ud800' }],
    ['an array', []],
    ['null', null],
  ])('is refused with %s, and nothing changes', async (_name, body) => {
    const entries = (await harness.pool.query('select from audit_log')).rowCount;
    expectGeneralError(await set('isPayer', body), 400, 'body_invalid');
    expect((await listed()).overrides).toEqual([]);
    expect((await harness.pool.query('select from audit_log')).rowCount).toBe(entries);
  });

  it('needs a flag and a player of the game', async () => {
    const body = { value: true, reason: 'x' };
    for (const flagId of ['unknown', 'constructor', '__proto__', 'vip%00', 'x'.repeat(80)]) {
      expectGeneralError(await set(flagId, body), 404, 'flag_not_found');
    }
    const studio = await addStudio(harness, 'demo-studio', `second-game-${deviceNumber}`);
    const stranger = await studio.login('stranger');
    for (const playerId of [stranger.userId, crypto.randomUUID(), 'x', '%00', `${session.userId}0`]) {
      const path = `${GAME}/players/${playerId}`;
      for (const [method, rest, sent] of [
        ['GET', '', undefined],
        ['GET', '/overrides', undefined],
        ['PUT', '/overrides/isPayer', body],
        ['DELETE', '/overrides/isPayer', undefined],
      ] as const) {
        expectGeneralError(await admin.call(method, path + rest, sent), 404, 'player_not_found');
      }
    }
  });
});

it('a player is shown with what is known and said of them', async () => {
  const at = harness.clock.now();
  const event = (eventType: string, payload: object, n: number) => ({
    eventType,
    timestamp: iso(at - n),
    payload,
    metadata: { country: 'DE', osName: 'Android' },
  });
  const sent = await postEvents(harness.app, session, [
    event('Session_Start', {}, 2),
    event('Purchase', { transactionId: session.userId, price: 4.99, currency: 'USD', promoId: 'p' }, 1),
  ]);
  expect(sent.statusCode, sent.body).toBe(202);
  await set('vip', { value: false, reason: 'cheated' });
  const shown = await admin.ask(
    'GET',
    `${GAME}/players/${session.userId.toUpperCase()}`,
    undefined,
    admin.tokens.viewer,
  );
  expect(shown).toEqual({
    playerId: session.userId,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    firstSeenAt: expect.stringMatching(/^\d{4}-.*Z$/),
    lastEventAt: iso(at - 1),
    eventCount: 2,
    eventCounts: { Session_Start: 1, Purchase: 1 },
    purchaseCount: 1,
    lastPurchaseAt: iso(at - 1),
    spend: { USD: 4.99 },
    reportedSpend: { currency: 'USD', amount: '4.99', missing: {} },
    profile: {
      country: { value: 'DE', at: iso(at - 1) },
      osName: { value: 'Android', at: iso(at - 1) },
      paidCurrency: { value: 'USD', at: iso(at - 1) },
    },
    days: [
      expect.objectContaining({
        day: iso(at).slice(0, 10),
        events: 2,
        sessions: 1,
        purchases: 1,
        revenue: { USD: 4.99 },
      }),
    ],
    promoPurchases: { p: 1 },
    overrides: [
      expect.objectContaining({ flagId: 'vip', value: false, reason: 'cheated', state: 'in_force' }),
    ],
  });
});

it('a player whose first event is from days before the first login was first seen on that day', async () => {
  const early = await harness.login('early-bird');
  const timestamp = iso(harness.clock.now() - 3 * 86_400_000);
  const sent = await postEvents(harness.app, early, [
    { eventType: 'Session_Start', timestamp, payload: {}, metadata: {} },
  ]);
  expect(sent.statusCode, sent.body).toBe(202);
  const firstSeenAt = `${timestamp.slice(0, 10)}T00:00:00.000Z`;
  expect(await admin.ask('GET', `${GAME}/players/${early.userId}`)).toMatchObject({ firstSeenAt });
  expect(await admin.ask('GET', `${GAME}/players?find=${early.userId}`)).toMatchObject({
    players: [{ firstSeenAt }],
  });
});
