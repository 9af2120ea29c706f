import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failedEvent } from '../../../../src/core/events/failed/failed-event.js';
import { createInbox } from '../../../../src/core/events/failed/inbox.js';
import { insertFailedEvents } from '../../../../src/core/events/failed/inbox-queries.js';
import { deleteExpiredFailedEvents } from '../../../../src/insight/failed-events/expiry.js';
import {
  type FailedEventRow,
  findFailedEvent,
  listFailedEvents,
  listFailedGroups,
} from '../../../../src/insight/failed-events/failed-event-queries.js';
import { DAY_MS } from '../../../../src/platform/lib/day.js';
import { expectGeneralError, postBytes, withoutRateLimits } from '../../../support/data-calls.js';
import { createHarness, type Harness, postEvents, type Session } from '../../../support/harness.js';
import { demoGameId, gameEvent, registerPayload, rejectedCodes } from '../../../support/registry-calls.js';

describe('the inbox of failed events', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await createHarness({ settings: withoutRateLimits() });
  });
  afterAll(() => harness.close());

  const startedAt = Date.now();
  let sent = 0;
  /** Text of an event that is fine but for what is put into it. */
  const eventText = (payload = '{}', members = '') =>
    `{"eventType":"Shot","timestamp":"${new Date(startedAt - ++sent).toISOString()}","payload":${payload}${members}}`;

  const entriesOf = async ({ userId }: Session): Promise<FailedEventRow[]> => {
    const { rows } = await harness.pool.query<{ id: string }>(
      'select f.id from failed_events f join players p on p.id = f.player_id where p.user_id = $1 order by f.id',
      [userId],
    );
    const entries = await Promise.all(rows.map(({ id }) => findFailedEvent(harness.pool, id)));
    return entries.filter((entry) => entry !== undefined);
  };

  it('keeps each rejected event with its reason, path, text, time and build', async () => {
    const { app, clock } = harness;
    const session = await harness.login('inbox-1');
    const bad = eventText('{ "durationMs" : -1.50 }').replace('Shot', 'Session_End');
    const body = `[ ${eventText()},\n ${bad} ]`;
    const response = await postBytes(app, session, body, { 'x-client-build': '1.42.0+3817' });
    expect(response.statusCode).toBe(202);
    const entries = await entriesOf(session);
    expect(entries).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        gameId: await demoGameId(harness.pool),
        tenant: 'demo-studio',
        game: 'demo-game',
        userId: session.userId,
        code: 'payload_invalid',
        message: 'payload.durationMs must be a number of 0 or more.',
        path: '/payload/durationMs',
        eventType: 'Session_End',
        raw: bad,
        isCut: false,
        clientBuild: '1.42.0+3817',
        receivedAt: clock.now(),
        replayedAt: null,
        replayedAs: null,
      },
    ]);
  });

  it.each([
    ['event_invalid', '17', null, ''],
    ['event_invalid', '"text"', null, ''],
    ['event_type_invalid', eventText().replace('"Shot"', '[]'), null, '/eventType'],
    ['event_id_invalid', '{"eventId":"","eventType":"Shot"}', 'Shot', '/eventId'],
    ['timestamp_malformed', '{"eventType":"Shot","timestamp":"now"}', 'Shot', '/timestamp'],
    ['payload_invalid', eventText().replace('"payload":{}', '"payload":1'), 'Shot', '/payload'],
    ['metadata_invalid', eventText('{}', ',"metadata":1'), 'Shot', '/metadata'],
    ['number_out_of_range', eventText('{"a":[9007199254740993,1E400]}'), 'Shot', '/payload/a/0'],
    ['invalid_unicode', eventText('{"a/b":"\\u0000\\ud800"}'), 'Shot', '/payload/a~1b'],
    ['invalid_unicode', eventText().replace('Shot', 'a\\u0000'), null, '/eventType'],
    ['too_deep', eventText(`${'{"d":'.repeat(20)}1${'}'.repeat(20)}`), 'Shot', `/payload${'/d'.repeat(15)}`],
  ])('%s: the text is what was sent, to the letter', async (code, raw, eventType, path) => {
    const session = await harness.login(`inbox-${code}-${raw.length}`);
    const response = await postBytes(harness.app, session, gzipSync(`\ufeff[\r\n${raw} ]`), {
      'content-encoding': 'gzip',
    });
    expectGeneralError(response, 400, 'events_rejected');
    expect(await entriesOf(session)).toMatchObject([
      { code, raw, eventType, path, isCut: false, clientBuild: null },
    ]);
  });

  it('the same batch again, in any order and at the same time, adds nothing', async () => {
    const session = await harness.login('inbox-repeat');
    const { app: second } = await harness.addNode();
    const texts = Array.from({ length: 20 }, () => eventText('1'));
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        postBytes(
          n % 2 ? harness.app : second,
          session,
          `[${(n % 3 ? texts : texts.toReversed()).join(',')}]`,
        ),
      ),
    );
    expect((await entriesOf(session)).map(({ raw }) => raw).sort()).toEqual(texts.sort());
  });

  it('identical events of a batch are two entries, however they are written', async () => {
    await registerPayload(harness.pool, 'Twin', false);
    const session = await harness.login('inbox-twins');
    const time = new Date(harness.clock.now()).toISOString();
    const twin = `{"eventType":"Twin","timestamp":"${time}","payload":{"a":1,"b":2}}`;
    const other = `{"payload":{"b":2,"a":1.0},"timestamp":"${time}","eventType":"Twin"}`;
    const named = `{"eventType":"Twin","timestamp":"${time}","payload":{},"eventId":"n"}`;
    const batch = `[${twin},${other},${twin},${named},${named},1,1]`;
    for (let n = 0; n < 2; n++) expect((await postBytes(harness.app, session, batch)).statusCode).toBe(400);
    const { rows } = await harness.pool.query(
      'select raw, ordinal from failed_events f join players p on p.id = f.player_id where p.user_id = $1',
      [session.userId],
    );
    const found = rows.map(({ raw, ordinal }) => `${ordinal} ${raw}`).sort();
    expect(found).toEqual([`0 ${twin}`, `1 ${other}`, `2 ${twin}`, `0 ${named}`, '0 1', '1 1'].sort());
  });

  it('an event too long to keep is cut at a whole character', async () => {
    const session = await harness.login('inbox-long');
    const long = eventText(JSON.stringify({ x: '💎'.repeat(20_000) }));
    expect(rejectedCodes(await postBytes(harness.app, session, `[${long}]`))).toEqual(['event_too_large']);
    const [entry] = await entriesOf(session);
    expect(entry).toMatchObject({ isCut: true, eventType: 'Shot' });
    expect(Buffer.byteLength(entry?.raw ?? '')).toBeGreaterThan(65_532);
    expect(Buffer.byteLength(entry?.raw ?? '')).toBeLessThanOrEqual(65_536);
    expect(long.startsWith(entry?.raw ?? '-')).toBe(true);
  });

  it('a build of any length and a path of any length are clipped', async () => {
    const session = await harness.login('inbox-clip');
    const text = eventText(`{"${'k'.repeat(30_000)}":1e999}`);
    const response = await postBytes(harness.app, session, `[${text}]`, {
      'x-client-build': 'b'.repeat(500),
    });
    expect(response.body.length).toBeLessThan(1_000);
    const [entry] = await entriesOf(session);
    expect(entry?.clientBuild).toHaveLength(64);
    expect(entry?.path.length).toBeLessThanOrEqual(1_024);
    expect(entry?.raw).toBe(text);
  });

  it('groups by reason and type, with counts, times and an example; pages through the entries', async () => {
    const { app, pool, clock } = harness;
    const session = await harness.login('inbox-groups');
    const gameId = await demoGameId(pool);
    await registerPayload(pool, 'Grouped', { required: ['x'] });
    const firstAt = clock.now();
    await postEvents(
      app,
      session,
      [1, 2, 3].map((n) => gameEvent('Grouped', n, clock.now())),
    );
    clock.advance(5_000);
    await postEvents(
      app,
      session,
      [4, 5].map((n) => gameEvent('Grouped', n, clock.now())),
    );
    const group = (await listFailedGroups(pool, { gameId, limit: 1_000 })).find(
      ({ eventType }) => eventType === 'Grouped',
    );
    expect(group).toMatchObject({ code: 'schema_mismatch', entries: 5, firstAt, lastAt: firstAt + 5_000 });
    expect(group?.exampleMessage).toMatch(/required property 'x'/);

    const pages: string[][] = [];
    for (let beforeId: string | undefined; ; ) {
      const page = await listFailedEvents(
        pool,
        { gameId, code: 'schema_mismatch', eventType: 'Grouped' },
        { limit: 2, ...(beforeId === undefined ? {} : { beforeId }) },
      );
      if (page.length === 0) break;
      pages.push(page.map(({ id }) => id));
      beforeId = page.at(-1)?.id;
    }
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages[0]?.[0]).toBe(group?.exampleId);
    expect(new Set(pages.flat()).size).toBe(5);
    const unreadable = await listFailedEvents(
      pool,
      { gameId, code: 'event_invalid', eventType: null },
      { limit: 50 },
    );
    expect(unreadable.length).toBeGreaterThan(0);
    expect(unreadable.every(({ eventType }) => eventType === null)).toBe(true);
    expect(await findFailedEvent(pool, group?.exampleId ?? '', gameId + 1)).toBeUndefined();
  });

  it('is bounded per game in entries and bytes, and per player; what came first stays', async () => {
    const { pool, ctx } = harness;
    const { userId } = await harness.login('inbox-cap');
    await pool.query('delete from failed_events');
    await pool.query('delete from failed_event_totals');
    const failures = (from: number, count: number, raw = 'x') =>
      Array.from({ length: count }, (_, n) =>
        failedEvent({
          code: 'event_invalid',
          message: 'm',
          path: '',
          ordinal: 0,
          eventType: null,
          event: {},
          raw: `${raw}${from + n}`,
        }),
      );
    const batch = (from: number, count: number, raw?: string) => ({
      userId,
      receivedAtMs: harness.clock.now(),
      clientBuild: null,
      failures: failures(from, count, raw),
    });
    const limits = { maxEntries: 10, maxBytes: 10_000, maxEntriesOfPlayer: 100 };
    const counts = { code: 'event_invalid' };
    expect(await insertFailedEvents(pool, [batch(0, 4), batch(2, 4)], limits)).toEqual([
      { ...counts, sent: 6, stored: 6, dropped: 0 },
    ]);
    expect(await insertFailedEvents(pool, [batch(0, 14)], limits)).toEqual([
      { ...counts, sent: 14, stored: 4, dropped: 4 },
    ]);
    const { rows } = await pool.query('select raw from failed_events order by id');
    expect(rows.map(({ raw }) => raw).sort()).toEqual(Array.from({ length: 10 }, (_, n) => `x${n}`));
    const open = { ...limits, maxEntries: 1_000 };
    expect(await insertFailedEvents(pool, [batch(20, 3, 'y'.repeat(4_900))], open)).toEqual([
      { ...counts, sent: 3, stored: 2, dropped: 1 },
    ]);
    expect(
      await insertFailedEvents(pool, [batch(30, 100)], {
        ...open,
        maxBytes: 1_000_000,
        maxEntriesOfPlayer: 20,
      }),
    ).toEqual([{ ...counts, sent: 100, stored: 8, dropped: 92 }]);
    const totals =
      await pool.query(`select entries, bytes, (select sum(octet_length(raw)) from failed_events)::text as real
      from failed_event_totals`);
    expect(totals.rows).toEqual([{ entries: '20', bytes: totals.rows[0].real, real: totals.rows[0].real }]);

    const inbox = createInbox({
      pool,
      metrics: ctx.metrics,
      logger: ctx.logger,
      limits: { ...limits, maxEntries: 20 },
    });
    await inbox.submit(batch(500, 7));
    expect(await ctx.metrics.registry.metrics()).toMatch(
      /savepoint_failed_events_total\{code="event_invalid",outcome="dropped"\} 7\n/,
    );
  });

  it('entries are deleted 30 days after receipt, and make room', async () => {
    const { pool, clock } = harness;
    const session = await harness.login('inbox-expiry');
    await postBytes(harness.app, session, '[1,2,3]');
    expect(await deleteExpiredFailedEvents(pool, clock.now() + 29 * DAY_MS)).toBe(0);
    const before = await entriesOf(session);
    expect(before).toHaveLength(3);
    expect(await deleteExpiredFailedEvents(pool, clock.now() + 31 * DAY_MS)).toBeGreaterThanOrEqual(3);
    expect(await entriesOf(session)).toEqual([]);
    const { rows } = await pool.query(
      'select sum(entries)::int as entries, sum(bytes)::int as bytes from failed_event_totals',
    );
    expect(rows).toEqual([{ entries: 0, bytes: 0 }]);
  });

  it('nothing is acknowledged that the inbox could not keep', async () => {
    const { ctx, app } = await harness.addNode();
    const session = await harness.login('inbox-503');
    const batch = `[${eventText()},17]`;
    const submit = ctx.inbox.submit;
    Object.defineProperty(ctx.inbox, 'submit', {
      value: () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })),
    });
    expectGeneralError(await postBytes(app, session, batch), 503, 'unavailable');
    expectGeneralError(await postBytes(app, session, '[17]'), 503, 'unavailable');
    expect(await entriesOf(session)).toEqual([]);
    Object.defineProperty(ctx.inbox, 'submit', { value: submit });
    const retried = await postBytes(app, session, batch);
    expect(retried.json().data).toMatchObject({ accepted: 0, duplicates: 1, rejected: [{ index: 1 }] });
    expect(await entriesOf(session)).toHaveLength(1);
  });
});
