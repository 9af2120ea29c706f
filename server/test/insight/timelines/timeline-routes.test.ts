import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, gameDocument, publish, sku } from '../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../support/harness.js';
import { addStudio, expectStringError, postLogout } from '../../support/session-calls.js';

type Item = { kind: string; at: string } & Record<string, unknown>;
type Page = { items: Item[]; nextCursor: string | null; eventsDeletedBefore: unknown };

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

const path = (query = '', userId = session.userId) => `${GAME}/players/${userId}/timeline${query}`;
const ask = (query = '') => admin.ask<Page>('GET', path(query), undefined, admin.tokens.viewer);
const now = () => new Date(harness.clock.now()).toISOString();

/** Sends events that all happen and arrive now. */
async function send(...events: { eventType: string; payload?: object; [member: string]: unknown }[]) {
  harness.clock.advance(10);
  const response = await postEvents(
    harness.app,
    session,
    events.map((event) => ({ timestamp: now(), payload: {}, ...event })),
  );
  expect(response.statusCode, response.body).toBe(202);
}

async function readAll(query: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor = '';
  for (let pages = 0; pages < 100; pages++) {
    const page = await ask(`?${query}${cursor}`);
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    cursor = `&cursor=${page.nextCursor}`;
  }
  throw new Error('there is no end to it');
}

describe('the timeline of a player', () => {
  it('tells of events, purchases, refunds, logins, overrides and versions', async () => {
    const loginAt = now();
    await send({ eventType: 'Level_Start', metadata: { osName: 'Android' }, eventId: 'e1' });
    const startAt = now();
    const bought = { transactionId: 'tx-1', skuId: 'gems', price: 4.99, currency: 'USD', promoId: 'p' };
    await send({ eventType: 'Purchase', payload: bought });
    const boughtAt = now();
    harness.clock.advance(10);
    const version = await publish(harness.pool, gameDocument([sku('a')]), harness.clock.now());
    const publishedAt = now();
    harness.clock.advance(10);
    const flag = `${GAME}/players/${session.userId}/overrides/isPayer`;
    await admin.ask('PUT', flag, { value: true, reason: 'bank transfer' });
    const setAt = now();
    harness.clock.advance(10);
    await admin.ask('DELETE', flag);
    const clearedAt = now();
    await send({ eventType: 'Refund', payload: { transactionId: 'tx-1' } });
    const refundedAt = now();

    const event = { clockSuspect: false, eventId: null, sequence: null, installId: null, metadata: {} };
    const { items, ...rest } = await ask();
    expect(rest).toEqual({ nextCursor: null, eventsDeletedBefore: null });
    expect(items.slice(0, 6)).toEqual([
      {
        ...event,
        kind: 'refund',
        at: refundedAt,
        receivedAt: refundedAt,
        eventType: 'Refund',
        timestamp: refundedAt,
        payload: { transactionId: 'tx-1' },
        transactionId: 'tx-1',
        isIgnored: false,
      },
      {
        kind: 'override',
        at: clearedAt,
        change: 'cleared',
        flagId: 'isPayer',
        value: true,
        reason: 'bank transfer',
        by: 'editor of demo-studio',
        byEmail: null,
        until: null,
      },
      expect.objectContaining({ kind: 'override', at: setAt, change: 'set', by: 'editor of demo-studio' }),
      {
        kind: 'version',
        at: publishedAt,
        version,
        author: 'test',
        authorEmail: null,
        note: '',
        copyOf: null,
      },
      {
        ...event,
        kind: 'purchase',
        at: boughtAt,
        receivedAt: boughtAt,
        eventType: 'Purchase',
        timestamp: boughtAt,
        payload: bought,
        ...bought,
        price: '4.99',
        refundedAt,
        movedAt: null,
        verifiedBy: null,
        isIgnored: false,
      },
      {
        ...event,
        kind: 'event',
        at: startAt,
        receivedAt: startAt,
        eventType: 'Level_Start',
        timestamp: startAt,
        eventId: 'e1',
        payload: {},
        metadata: { osName: 'Android' },
      },
    ]);
    expect(items[6]).toEqual({
      kind: 'login',
      at: loginAt,
      isFirst: true,
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      deviceId: session.deviceId,
    });
    // Then at most the version that was in force when the player was created.
    expect(items.slice(7).map(({ kind }) => kind)).toEqual(version === 1 ? [] : ['version']);
  });

  it('shows numbered events and texts as they were sent', async () => {
    harness.clock.advance(10);
    const timestamp = '2001-01-01T02:00:00.123456789+02:00';
    await harness.app.inject({
      method: 'POST',
      url: '/v1/events',
      headers: { ...session.headers, 'x-install-id': 'phone' },
      payload: [{ eventType: 'Odd', timestamp, payload: { n: 1e21, text: '\u{1F600}' }, seq: 7 }],
    });
    const { items } = await ask('?kinds=event');
    expect(items).toEqual([
      {
        kind: 'event',
        at: now(),
        receivedAt: now(),
        eventType: 'Odd',
        timestamp,
        clockSuspect: true,
        eventId: null,
        sequence: 7,
        installId: 'phone',
        payload: { n: 1e21, text: '\u{1F600}' },
        metadata: {},
      },
    ]);
  });

  it('places an event by its own time, and tells when it was received', async () => {
    const ago = (ms: number) => new Date(harness.clock.now() - ms).toISOString();
    const [week, quarter] = [ago(7 * 86_400_000), ago(89 * 86_400_000)];
    await send({ eventType: 'First' });
    // A client that was offline sends what happened long before its first login here.
    await send(
      { eventType: 'Purchase', timestamp: week, payload: { transactionId: 'tx-late' } },
      { eventType: 'Oldest', timestamp: quarter },
      { eventType: 'Ahead', timestamp: ago(-60_000) },
    );
    const receivedAt = now();
    await send({ eventType: 'Last' });
    for (const limit of [1, 2, 200]) {
      const items = await readAll(`kinds=event,purchase,login&limit=${limit}`);
      expect(items.map(({ eventType, kind }) => eventType ?? kind)).toEqual([
        ...['Last', 'Ahead', 'First', 'login', 'Purchase', 'Oldest'],
      ]);
      // What happens later than it is received does not.
      expect(items[1]).toMatchObject({ at: receivedAt, receivedAt });
      expect(items[4]).toMatchObject({ at: week, timestamp: week, receivedAt });
      expect(items[5]).toMatchObject({ at: quarter, receivedAt });
    }
    const types = async (query: string) =>
      (await readAll(`kinds=event,purchase&${query}`)).map(({ eventType }) => eventType);
    expect(await types(`to=${ago(86_400_000)}`)).toEqual(['Purchase', 'Oldest']);
    expect(await types(`from=${ago(30 * 86_400_000)}&to=${ago(86_400_000)}`)).toEqual(['Purchase']);
  });

  it('tells of events that were refused, and whether they were replayed', async () => {
    await send({ eventType: 'Before' });
    const refused = { transactionId: 'tx-refused', price: 'free', currency: 'USD' };
    // Beside one that is accepted.
    await send({ eventType: 'Beside' }, { eventType: 'Purchase', payload: refused });
    const failed = {
      kind: 'failed',
      at: now(),
      id: expect.stringMatching(/^\d+$/),
      eventType: 'Purchase',
      transactionId: 'tx-refused',
      reason: 'payload_invalid',
      message: expect.stringContaining('price'),
      replayedAt: null,
    };
    await send({ eventType: 'After' });
    for (const limit of [1, 50]) {
      const items = await readAll(`kinds=event,purchase,failed&limit=${limit}`);
      expect(items.map(({ kind, eventType }) => [kind, eventType])).toEqual([
        ['event', 'After'],
        ['failed', 'Purchase'],
        ['event', 'Beside'],
        ['event', 'Before'],
      ]);
      expect(items[1]).toEqual(failed);
    }
    expect(await readAll('eventType=Purchase')).toEqual([failed]);
    expect(await readAll('eventType=After&kinds=failed')).toEqual([]);

    const [entry] = await readAll('kinds=failed');
    const event = { eventType: 'Purchase', timestamp: now(), payload: { ...refused, price: '4.99' } };
    harness.clock.advance(10);
    await admin.ask('POST', `${GAME}/failed-events/${entry?.id}/replay`, { event });
    // A replay keeps the time of receipt.
    expect(await readAll('kinds=failed,purchase')).toMatchObject([
      { kind: 'failed', replayedAt: now() },
      { kind: 'purchase', price: '4.99', receivedAt: failed.at },
    ]);
  });

  it('is filtered by kinds and by event type', async () => {
    await send({ eventType: 'A' }, { eventType: 'B' });
    await send({ eventType: 'Purchase' }, { eventType: 'Refund', payload: { transactionId: 't' } });
    const kinds = async (query: string) => (await readAll(query)).map(({ kind }) => kind);
    expect(await kinds('kinds=event')).toEqual(['event', 'event']);
    expect(await kinds('kinds=purchase')).toEqual(['purchase']);
    expect(await kinds('kinds=refund,purchase')).toEqual(['refund', 'purchase']);
    expect(await kinds('kinds=event,refund')).toEqual(['refund', 'event', 'event']);
    expect(await kinds('kinds=login')).toEqual(['login']);
    expect(await kinds('kinds=override')).toEqual([]);
    expect(await kinds('eventType=A')).toEqual(['event']);
    expect(await kinds('eventType=Purchase')).toEqual(['purchase']);
    expect(await kinds('eventType=Purchase&kinds=event')).toEqual([]);
    expect(await kinds('eventType=A&kinds=purchase')).toEqual([]);
    expect(await kinds('eventType=unheard%20of')).toEqual([]);
  });

  it('shows everything once, whatever the size of its pages', async () => {
    for (let n = 0; n < 5; n++) await send({ eventType: 'A' }, { eventType: 'B' }, { eventType: 'Purchase' });
    await admin.ask('PUT', `${GAME}/players/${session.userId}/overrides/isPayer`, {
      value: true,
      reason: 'x',
    });
    for (const login of [1, 2]) {
      harness.clock.advance(login);
      await harness.login(session.deviceId);
    }
    const { items: all } = await ask('?limit=200');
    expect(all.length).toBeGreaterThanOrEqual(19);
    for (const limit of [1, 2, 3, 7]) expect(await readAll(`limit=${limit}`)).toEqual(all);
  });

  it('tells that an override ended by itself', async () => {
    const until = harness.clock.now() + 5_000;
    const body = { value: true, reason: 'trial', until: new Date(until).toISOString() };
    await admin.ask('PUT', `${GAME}/players/${session.userId}/overrides/isPayer`, body);
    const changes = async () => (await readAll('kinds=override')).map(({ change, by }) => [change, by]);
    const set = ['set', 'editor of demo-studio'];
    expect(await changes()).toEqual([set]);
    harness.clock.advance(5_000);
    expect(await changes()).toEqual([['ended', null], set]);
    // What has ended is not cleared by the next one.
    harness.clock.advance(1);
    await admin.ask('PUT', `${GAME}/players/${session.userId}/overrides/isPayer`, { ...body, until: null });
    expect(await changes()).toEqual([set, ['ended', null], set]);
  });

  it('knows the first login also when its session is gone', async () => {
    const at = now();
    harness.clock.advance(10);
    const later = await harness.login(session.deviceId);
    expect((await postLogout(harness.app, session.accessToken)).statusCode).toBe(200);
    expect(await readAll('kinds=login&limit=1')).toEqual([
      expect.objectContaining({ at: now(), isFirst: false, deviceId: later.deviceId }),
      { kind: 'login', at, isFirst: true, sessionId: null, deviceId: null },
    ]);
  });

  it('is of one player, and of a studio that owns the game', async () => {
    await send({ eventType: 'Secret' });
    const sibling = await harness.login('sibling');
    const { items } = await admin.ask<Page>('GET', path('?kinds=event', sibling.userId));
    expect(items).toEqual([]);
    const studio = await addStudio(harness, 'other-studio', 'other-game');
    const stranger = await studio.login('stranger');
    const token = await admin.addToken('owner', { tenant: 'other-studio' });
    expectGeneralError(await admin.call('GET', path(), undefined, token), 404, 'game_not_found');
    const elsewhere = `/games/other-game/players/${session.userId}/timeline`;
    expectGeneralError(await admin.call('GET', elsewhere, undefined, token), 404, 'player_not_found');
    expectGeneralError(await admin.call('GET', path('', stranger.userId)), 404, 'player_not_found');
    expectStringError(await admin.call('GET', path(), undefined, null), 401, 'token_missing');
  });

  it.each([
    ['an unknown kind', 'kinds=event,nothing'],
    ['no kind', 'kinds='],
    ['kinds given twice', 'kinds=event&kinds=login'],
    ['an empty event type', 'eventType='],
    ['a NUL in the event type', 'eventType=a%00'],
    ['a long event type', `eventType=${'x'.repeat(129)}`],
    ['a time that is none', 'from=yesterday'],
    ['an empty time', 'to='],
    ['a time that ends before it begins', 'from=2026-11-15&to=2026-11-15'],
    ['a limit of 0', 'limit=0'],
    ['a limit of 201', 'limit=201'],
    ['a limit in words', 'limit=ten'],
    ['a made-up cursor', 'cursor=abc'],
    ['two cursors', 'cursor=abc&cursor=abc'],
  ])('refuses %s', async (_name, query) => {
    expectGeneralError(await admin.call('GET', path(`?${query}`)), 400, 'parameter_invalid');
  });

  it('shows what happened in a span of time, its start included and its end not', async () => {
    const flag = `${GAME}/players/${session.userId}/overrides/isPayer`;
    const times: string[] = [];
    for (const n of [1, 2, 3]) {
      harness.clock.advance(600_000);
      await send({ eventType: 'A', payload: { n } }, { eventType: 'B', payload: { n } });
      times.push(now());
      harness.clock.advance(60_000);
      await admin.ask('PUT', flag, { value: n % 2 === 0, reason: `number ${n}` });
    }
    const [first = '', second = '', third = ''] = times;
    const all = await readAll('limit=200');
    for (const [query, from, to] of [
      [`from=${second}`, second, '9999'],
      [`to=${third}`, '0000', third],
      [`from=${first}&to=${third}`, first, third],
      [`from=${first}&to=${third}&kinds=override`, first, third],
      ['to=1969-07-20', '0000', '1969-07-20'],
      ['from=2999-01-01T00:00:00%2B01:00', '2999', '9999'],
    ] as const) {
      const kinds = query.includes('kinds=override') ? ['override'] : undefined;
      const expected = all.filter(
        ({ at, kind }) => at >= from && at < to && (kinds === undefined || kinds.includes(kind)),
      );
      for (const limit of [2, 200]) expect(await readAll(`limit=${limit}&${query}`), query).toEqual(expected);
    }
    const { nextCursor } = await ask(`?limit=1&from=${first}`);
    const other = await admin.call('GET', path(`?limit=1&from=${second}&cursor=${nextCursor}`));
    expectGeneralError(other, 400, 'parameter_invalid');
  });

  it('refuses the cursor of another filter, or one that leads nowhere', async () => {
    await send({ eventType: 'A' }, { eventType: 'B' });
    const { nextCursor } = await ask('?limit=1');
    expect(nextCursor).toMatch(/^[\w-]+$/);
    const other = await admin.call('GET', path(`?kinds=event&cursor=${nextCursor}`));
    expectGeneralError(other, 400, 'parameter_invalid');
    const [list] = JSON.parse(Buffer.from(String(nextCursor), 'base64url').toString());
    for (const key of [
      [-1, 0],
      [9e15, 0],
      [0, -1],
      [0, 1e9],
    ]) {
      const cursor = Buffer.from(JSON.stringify([list, ...key])).toString('base64url');
      expectGeneralError(await admin.call('GET', path(`?cursor=${cursor}`)), 400, 'parameter_invalid');
    }
  });

  it.each(['x', '%00', '00000000-0000-4000-8000-000000000000'])('does not find player %s', async (id) => {
    expectGeneralError(await admin.call('GET', path('', id)), 404, 'player_not_found');
  });
});
