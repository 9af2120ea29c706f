import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AdminClient, GAME, openAdminClient } from '../../support/admin-calls.js';
import { expectGeneralError, postBytes, storedEvents, withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness, type Session } from '../../support/harness.js';
import { expectForgedCursorsRefused, readPages } from '../../support/pages.js';
import { registerPayload, setUnregisteredTypes } from '../../support/registry-calls.js';
import { addStudio } from '../../support/session-calls.js';

type Group = { reason: string; eventType: string | null; entries: number } & Record<string, unknown>;
type Entry = { id: string; raw: string; message: string } & Record<string, unknown>;
type Page = { events: Entry[]; nextCursor: string | null };

let harness: Harness;
let admin: AdminClient;
let session: Session;
let devices = 0;
let sent = 0;
beforeAll(async () => {
  harness = await createHarness({ settings: withoutRateLimits() });
  admin = await openAdminClient(harness);
});
beforeEach(async () => {
  await harness.pool.query('delete from failed_events');
  session = await harness.login(`device-${devices++}`);
});
afterAll(async () => {
  await admin.close();
  await harness.close();
});

const event = (eventType: string, payload: object = {}) => ({
  eventType,
  timestamp: new Date(harness.clock.now() - ++sent).toISOString(),
  payload,
});
/** Sends events that are refused, or are texts as they are. */
async function refuse(...events: (object | string)[]): Promise<void> {
  const texts = events.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  const response = await postBytes(harness.app, session, `[${texts}]`, { 'x-client-build': '1.0' });
  expect([202, 400], response.body).toContain(response.statusCode);
}
const shot = (eventType = 'Shot') => ({ ...event(eventType), timestamp: 'now' });

const groups = async () =>
  (await admin.ask<{ groups: Group[] }>('GET', `${GAME}/failed-events`, undefined, admin.tokens.viewer))
    .groups;
const list = (query: string) =>
  admin.ask<Page>('GET', `${GAME}/failed-events/list?${query}`, undefined, admin.tokens.viewer);
const replay = (id: string | undefined, body?: unknown, token?: string) =>
  admin.call('POST', `${GAME}/failed-events/${id}/replay`, body, token);
const replayGroup = (body: unknown, token?: string) =>
  admin.call('POST', `${GAME}/failed-events/replay`, body, token);
const resultOf = (body: string) => JSON.parse(body.trimEnd().split('\n').at(-1) ?? '').result;

describe('the inbox', () => {
  it('is grouped by reason and type, the largest group first', async () => {
    await refuse(shot(), shot(), shot('Jump'), '17');
    await setUnregisteredTypes(harness.pool, 'hold');
    await refuse(event('store_view'));
    await setUnregisteredTypes(harness.pool, 'accept');
    const found = await groups();
    expect(
      found.map(({ reason, eventType, entries, looksLike }) => [reason, eventType, entries, looksLike]),
    ).toEqual([
      ['timestamp_malformed', 'Shot', 2, null],
      ['event_invalid', null, 1, null],
      ['event_type_unregistered', 'store_view', 1, 'Store_View'],
      ['timestamp_malformed', 'Jump', 1, null],
    ]);
    const at = new Date(harness.clock.now()).toISOString();
    expect(found[0]).toMatchObject({
      firstAt: at,
      lastAt: at,
      exampleId: expect.stringMatching(/^\d+$/),
      exampleMessage: expect.stringContaining('timestamp'),
    });
  });

  it('is read group by group in pages, with the same groups in the same order', async () => {
    await refuse(shot(), shot(), shot('Jump'), shot('Run'), '17');
    const all = await groups();
    expect(all).toHaveLength(4);
    for (const limit of [1, 3]) {
      const { rows, pages } = await readPages(admin, `${GAME}/failed-events`, 'groups', limit);
      expect(rows).toEqual(all);
      expect(pages).toBe(Math.ceil(all.length / limit));
    }
    const list = 'failed groups';
    await expectForgedCursorsRefused(admin, `${GAME}/failed-events`, [
      ['other', 1, 'x', 'y'],
      [list, -1, 'x', 'y'],
      [list, 9_000_000_000, 'x', 'y'],
    ]);
  });

  it('has a thousand groups at most, the largest ones, whatever players call their types', async () => {
    await harness.pool.query(
      `insert into failed_events (game_id, player_id, fingerprint, ordinal, code, message, path, event_type, raw, is_cut, received_at)
       select p.game_id, p.id, gen_random_uuid(), 0, 'event_invalid', '', '', 'type-' || (n % 1100), '{}', false, $2
       from players p, generate_series(0, 1199) n where p.user_id = $1`,
      [session.userId, new Date(harness.clock.now())],
    );
    const found = await groups();
    expect(found).toHaveLength(1_000);
    // The first hundred types have come twice.
    expect(found.map(({ entries }) => entries)).toEqual([...Array(100).fill(2), ...Array(900).fill(1)]);
  });

  it('lists every entry of a group once, newest first', async () => {
    await refuse(...Array.from({ length: 7 }, () => shot()), shot('Jump'), '17');
    const read = async (query: string) => {
      const entries: Entry[] = [];
      let page = await list(query);
      for (;;) {
        entries.push(...page.events);
        if (page.nextCursor === null) return entries.map(({ id }) => Number(id));
        page = await list(`${query}&cursor=${page.nextCursor}`);
      }
    };
    const all = await read('reason=timestamp_malformed');
    expect(all).toHaveLength(8);
    expect(all).toEqual(all.toSorted((a, b) => b - a));
    for (const limit of [1, 3, 8]) {
      expect(await read(`reason=timestamp_malformed&limit=${limit}`)).toEqual(all);
      expect(await read(`reason=timestamp_malformed&eventType=Shot&limit=${limit}`)).toHaveLength(7);
    }
    expect(await read('reason=event_invalid&eventType=')).toHaveLength(1);
    expect(await read('reason=timestamp_malformed&eventType=')).toEqual([]);
    expect(await read('reason=unheard_of')).toEqual([]);
  });

  it('shows an entry with its event as it was sent', async () => {
    const raw = '{"eventType":"Shot",  "timestamp":"now","payload":{}}';
    await refuse(raw);
    const [listed] = (await list('reason=timestamp_malformed')).events;
    expect(listed).toEqual({
      id: expect.stringMatching(/^\d+$/),
      playerId: session.userId,
      reason: 'timestamp_malformed',
      message: expect.stringContaining('timestamp'),
      path: '/timestamp',
      eventType: 'Shot',
      raw,
      isCut: false,
      clientBuild: '1.0',
      receivedAt: new Date(harness.clock.now()).toISOString(),
      replayedAt: null,
      replayedAs: null,
    });
    expect(await admin.ask('GET', `${GAME}/failed-events/${listed?.id}`)).toEqual(listed);
  });

  it.each([
    'list',
    'list?reason=',
    'list?reason=a&reason=b',
    'list?reason=a&limit=0',
    'list?reason=a&limit=101',
    'list?reason=a&cursor=x',
    'list?reason=a&eventType=%00',
  ])('refuses %s', async (path) => {
    expectGeneralError(await admin.call('GET', `${GAME}/failed-events/${path}`), 400, 'parameter_invalid');
  });

  it.each(['0', '99999999', 'x', '1e3', '9'.repeat(30)])('has no entry %s', async (id) => {
    expectGeneralError(await admin.call('GET', `${GAME}/failed-events/${id}`), 404, 'failed_event_not_found');
    expectGeneralError(await replay(id), 404, 'failed_event_not_found');
  });
});

describe('a replay', () => {
  it('of a corrected event counts for the player who sent it, once', async () => {
    await refuse(shot());
    const [entry] = (await list('reason=timestamp_malformed')).events;
    const corrected = event('Shot', { hits: 3 });
    const response = await replay(entry?.id, { event: corrected });
    expect(response.json()).toEqual({ data: { id: entry?.id, wasNew: true }, status: 'success' });
    expect(await storedEvents(harness.pool, session.userId)).toMatchObject([
      { eventType: 'Shot', payload: { hits: 3 } },
    ]);
    expect(await groups()).toEqual([]);
    expect(await admin.ask('GET', `${GAME}/failed-events/${entry?.id}`)).toMatchObject({
      replayedAt: new Date(harness.clock.now()).toISOString(),
      replayedAs: JSON.stringify(corrected),
    });
    expectGeneralError(await replay(entry?.id, { event: corrected }), 409, 'failed_event_replayed');
    expect(await storedEvents(harness.pool, session.userId)).toHaveLength(1);
  });

  it.each([
    ['no body', undefined],
    ['null', null],
    ['an empty object', {}],
  ])('of an entry as it is, with %s, passes once the reason is gone', async (_name, body) => {
    await setUnregisteredTypes(harness.pool, 'hold');
    await refuse(event('Held'));
    const [entry] = (await list('reason=event_type_unregistered')).events;
    const refused = await replay(entry?.id, body);
    expectGeneralError(refused, 422, 'event_still_refused');
    expect(refused.json().error.reason).toEqual({
      code: 'event_type_unregistered',
      message: expect.any(String),
      path: '/eventType',
    });
    await setUnregisteredTypes(harness.pool, 'accept');
    expect((await replay(entry?.id, body)).json().data).toEqual({ id: entry?.id, wasNew: true });
  });

  it('of a corrected event that is refused leaves the entry as it is', async () => {
    await refuse(shot());
    const [entry] = (await list('reason=timestamp_malformed')).events;
    for (const wrong of [{ ...event('Shot'), payload: 5 }, null, 'text', []]) {
      expectGeneralError(await replay(entry?.id, { event: wrong }), 422, 'event_still_refused');
    }
    expect((await list('reason=timestamp_malformed')).events).toEqual([entry]);
    expectGeneralError(await replay(entry?.id, []), 400, 'body_invalid');
  });

  it('of an event that was cut needs the whole event', async () => {
    await refuse(JSON.stringify({ ...shot('Long'), payload: { text: 'x'.repeat(70_000) } }));
    const [group] = await groups();
    const [entry] = (await list(`reason=${group?.reason}`)).events;
    expect(entry).toMatchObject({ isCut: true });
    expectGeneralError(await replay(entry?.id), 422, 'failed_event_cut');
    expect((await replay(entry?.id, { event: event('Long') })).statusCode).toBe(200);
  });

  it('of a group tells how many passed, and leaves those that still fail', async () => {
    await registerPayload(harness.pool, 'Level', { properties: { level: { type: 'integer' } } });
    await refuse(
      event('Level', { level: '1' }),
      event('Level', { level: '2' }),
      event('Level', { level: 'x' }),
    );
    expect(await groups()).toMatchObject([{ reason: 'schema_mismatch', entries: 3 }]);
    await registerPayload(harness.pool, 'Level', { properties: { level: { enum: ['1', '2'] } } });
    const response = await replayGroup({ reason: 'schema_mismatch', eventType: 'Level' });
    expect(response.headers['content-type']).toBe('application/x-ndjson');
    expect(resultOf(response.body)).toEqual({ total: 3, replayed: 2, duplicates: 0, failed: 1 });
    expect(await groups()).toMatchObject([{ reason: 'schema_mismatch', entries: 1 }]);
    const none = await replayGroup({ reason: 'schema_mismatch', eventType: 'Jump' });
    expect(resultOf(none.body)).toEqual({ total: 0, replayed: 0, duplicates: 0, failed: 0 });
    const unreadable = await replayGroup({ reason: 'schema_mismatch', eventType: null });
    expect(resultOf(unreadable.body)).toMatchObject({ total: 0 });
  });

  it.each([[undefined], [{}], [{ reason: '' }], [{ reason: 5 }], [{ reason: 'a', eventType: 5 }], [null]])(
    'of a group needs its reason, not %j',
    async (body) => {
      const response = await replayGroup(body);
      expect(response.statusCode, response.body).toBe(400);
      expect(response.json().error.code).toMatch(/^(?:body_invalid|invalid_json)$/);
    },
  );
});

describe('the inbox of a studio', () => {
  it('is for itself, and changed by its editors', async () => {
    await refuse(shot());
    const [entry] = (await list('reason=timestamp_malformed')).events;
    await addStudio(harness, 'other-studio', 'other-game');
    const token = await admin.addToken('owner', { tenant: 'other-studio' });
    for (const path of ['', '/list?reason=timestamp_malformed', `/${entry?.id}`]) {
      const response = await admin.call('GET', `${GAME}/failed-events${path}`, undefined, token);
      expectGeneralError(response, 404, 'game_not_found');
      expect((await admin.call('GET', `${GAME}/failed-events${path}`, undefined, null)).statusCode).toBe(401);
    }
    const own = '/games/other-game/failed-events';
    expect(await admin.ask('GET', own, undefined, token)).toEqual({ groups: [], nextCursor: null });
    for (const [method, path] of [
      ['GET', `${own}/${entry?.id}`],
      ['POST', `${own}/${entry?.id}/replay`],
    ] as const) {
      const response = await admin.call(
        method,
        path,
        method === 'POST' ? { event: event('Shot') } : undefined,
        token,
      );
      expectGeneralError(response, 404, 'failed_event_not_found');
    }
    const { body } = await admin.call('POST', `${own}/replay`, { reason: 'timestamp_malformed' }, token);
    expect(resultOf(body)).toMatchObject({ total: 0 });
    for (const response of [
      await replay(entry?.id, { event: event('Shot') }, admin.tokens.viewer),
      await replayGroup({ reason: 'timestamp_malformed' }, admin.tokens.viewer),
    ]) {
      expectGeneralError(response, 403, 'role_too_low');
    }
    expect((await list('reason=timestamp_malformed')).events).toEqual([entry]);
  });
});

describe('what nobody will correct', () => {
  const erase = (id: string | undefined, token?: string) =>
    admin.call('DELETE', `${GAME}/failed-events/${id}`, undefined, token);
  const eraseGroup = (body: unknown, token?: string) =>
    admin.call('DELETE', `${GAME}/failed-events`, body, token);
  /** The counts that limit the inbox, beside what is in it. */
  const totals = async () => {
    const { rows } = await harness.pool.query<{ kept: string; counted: string }>(
      `select count(*) || ' entries, ' || coalesce(sum(octet_length(raw)), 0) || ' bytes' as kept,
         (select entries || ' entries, ' || bytes || ' bytes' from failed_event_totals) as counted
       from failed_events where replayed_at is null`,
    );
    return rows[0];
  };
  beforeEach(() => harness.pool.query('delete from failed_event_totals'));

  it('is deleted one by one, and makes room', async () => {
    await refuse(shot(), shot());
    const [first, second] = (await list('reason=timestamp_malformed')).events;
    const erased = await erase(first?.id);
    expect(erased.json()).toEqual({ status: 'success', data: { deleted: 1, isMore: false } });
    expect((await list('reason=timestamp_malformed')).events.map(({ id }) => id)).toEqual([second?.id]);
    expectGeneralError(await erase(first?.id), 404, 'failed_event_not_found');
    const now = await totals();
    expect(now?.counted).toBe(now?.kept);
  });

  it('is deleted by reason and type, and all else stays', async () => {
    await refuse(shot(), shot(), shot('Jump'), '17');
    const { data } = (await eraseGroup({ reason: 'timestamp_malformed', eventType: 'Shot' })).json();
    expect(data).toEqual({ deleted: 2, isMore: false });
    const left = async () => (await groups()).map(({ reason, eventType }) => [reason, eventType]);
    expect(await left()).toEqual([
      ['event_invalid', null],
      ['timestamp_malformed', 'Jump'],
    ]);
    expect((await eraseGroup({ reason: 'event_invalid', eventType: null })).json().data).toEqual({
      deleted: 1,
      isMore: false,
    });
    expect((await eraseGroup({ reason: 'timestamp_malformed' })).json().data).toEqual({
      deleted: 1,
      isMore: false,
    });
    expect((await eraseGroup({ reason: 'timestamp_malformed' })).json().data).toEqual({
      deleted: 0,
      isMore: false,
    });
    expect(await left()).toEqual([]);
    expect((await totals())?.counted).toBe('0 entries, 0 bytes');
  });

  it('is deleted in portions where there is much, with an entry in the audit log for each', async () => {
    await refuse(shot('Many'));
    await harness.pool.query(
      `insert into failed_events (game_id, player_id, fingerprint, ordinal, code, message, path, event_type, raw, is_cut, received_at)
       select game_id, player_id, gen_random_uuid(), 0, code, message, path, event_type, raw, is_cut, received_at
       from failed_events, generate_series(1, 2499)`,
    );
    const { data } = (await eraseGroup({ reason: 'timestamp_malformed' })).json();
    expect(data).toEqual({ deleted: 2_500, isMore: false });
    const { rows } = await harness.pool.query(
      "select before ->> 'entries' as entries from audit_log where action = 'failed_event.delete' order by id desc limit 3",
    );
    expect(rows.map(({ entries }) => entries)).toEqual(['500', '1000', '1000']);
  });

  it('is not deleted by viewers, or by another studio', async () => {
    await refuse(shot());
    const [entry] = (await list('reason=timestamp_malformed')).events;
    await addStudio(harness, 'erasing-studio', 'erasing-game');
    const theirs = await admin.addToken('owner', { tenant: 'erasing-studio' });
    const group = { reason: 'timestamp_malformed' };
    expectGeneralError(await erase(entry?.id, admin.tokens.viewer), 403, 'role_too_low');
    expectGeneralError(await eraseGroup(group, admin.tokens.viewer), 403, 'role_too_low');
    expectGeneralError(await erase(entry?.id, theirs), 404, 'game_not_found');
    expectGeneralError(await eraseGroup(group, theirs), 404, 'game_not_found');
    const own = `/games/erasing-game/failed-events`;
    expectGeneralError(
      await admin.call('DELETE', `${own}/${entry?.id}`, undefined, theirs),
      404,
      'failed_event_not_found',
    );
    expect((await admin.call('DELETE', own, group, theirs)).json().data).toEqual({
      deleted: 0,
      isMore: false,
    });
    expect((await list('reason=timestamp_malformed')).events).toHaveLength(1);
    expectGeneralError(await eraseGroup({}), 400, 'body_invalid');
  });
});
