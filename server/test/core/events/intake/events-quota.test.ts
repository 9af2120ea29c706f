import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  expectCounts,
  expectGeneralError,
  playerAggregates,
  postBytes,
} from '../../../support/data-calls.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  type Session,
  testSettings,
} from '../../../support/harness.js';
import { metricValue } from '../../../support/metric-value.js';

const MIB = 1_048_576;
const EVENTS_POLICY = '"events";q=600;qu="events";w=60';
const BYTES_POLICY = `"event-bytes";q=${2 * MIB};qu="content-bytes";w=60`;
const LIMITS = { ...testSettings().rateLimits, eventsPerPlayer: 600, eventBytesPerPlayer: 2 * MIB };

/** The limits count by the monotonic clock, which here stands still unless a test moves it. */
let monotonic = 1_000;
beforeAll(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic);
});
afterAll(() => {
  vi.restoreAllMocks();
});

describe('what a player may send in a minute', () => {
  let harness: Harness;
  let session: Session;
  let sent: number;
  // The counts live in the node: a new one for each test.
  beforeEach(async () => {
    sent = 0;
    harness = await createHarness({ settings: { rateLimits: LIMITS } });
    session = await harness.login('sender');
  });
  afterEach(() => harness.close());

  const batch = (count: number) =>
    Array.from({ length: count }, () => adImpression(++sent, harness.clock.now() + sent));
  const send = (count: number, sender = session) => postEvents(harness.app, sender, batch(count));
  /** A body of exactly so many bytes, of events without ids that the service knows already after the first time. */
  const sendBytes = (bytes: number) => {
    const event = (filler: string) =>
      JSON.stringify(adImpression(1, harness.clock.now(), { payload: { filler } }));
    const small = event('x'.repeat(20_000));
    const count = Math.floor(bytes / (small.length + 1)) - 1;
    const body = `[${Array.from({ length: count }, () => small).join(',')}]`;
    return postBytes(harness.app, session, body.padEnd(bytes, ' '));
  };
  const limited = (limit: string) =>
    metricValue(harness.ctx.metrics.registry, `savepoint_rate_limited_total{limit="${limit}"}`);

  it('is told with each batch', async () => {
    const { headers, statusCode } = await send(100);
    expect(statusCode).toBe(202);
    expect(headers['ratelimit-policy']).toBe(`"player";q=1200;w=60, ${BYTES_POLICY}, ${EVENTS_POLICY}`);
    expect(headers.ratelimit).toMatch(
      /^"player";r=1199;t=1, "event-bytes";r=2\d{6};t=1, "events";r=500;t=1$/,
    );
  });

  it('is that many events: beyond it a 429 that says when there are enough again', async () => {
    expectCounts(await send(500), { accepted: 500, duplicates: 0 });
    const refused = await send(200);
    expectGeneralError(refused, 429, 'rate_limited');
    // 100 are left, and 10 more come back each second.
    expect(refused.headers).toMatchObject({
      'retry-after': '10',
      'ratelimit-policy': EVENTS_POLICY,
      ratelimit: '"events";r=100;t=1',
    });
    expect(await limited('events')).toBe(1);
    // A refused one uses up nothing.
    expectCounts(await send(100), { accepted: 100, duplicates: 0 });
    monotonic += 19_999;
    expect((await send(200)).statusCode).toBe(429);
    monotonic += 1;
    expectCounts(await send(200), { accepted: 200, duplicates: 0 });
    expect(await playerAggregates(harness.pool, session.userId)).toMatchObject({ event_count: '800' });
  });

  it('is that many bytes, whatever they unpack from', async () => {
    expect((await sendBytes(MIB)).statusCode).toBe(202);
    expect((await sendBytes(MIB)).statusCode).toBe(202);
    const refused = await sendBytes(MIB);
    expectGeneralError(refused, 429, 'rate_limited');
    expect(refused.headers).toMatchObject({
      'retry-after': '30',
      'ratelimit-policy': BYTES_POLICY,
      ratelimit: '"event-bytes";r=0;t=1',
    });
    expect(await limited('event-bytes')).toBe(1);
    monotonic += 30_000;
    expect((await sendBytes(MIB)).statusCode).toBe(202);
  });

  it('counts over all sessions of the player, and against no other player', async () => {
    const tablet = await harness.login('sender');
    const stranger = await harness.login('stranger');
    expect(tablet.userId).toBe(session.userId);
    await send(500);
    expect((await send(101, tablet)).statusCode).toBe(429);
    expectCounts(await send(500, stranger), { accepted: 500, duplicates: 0 });
  });

  it('is not used up by a batch that could not be stored', async () => {
    // On a busy machine its first statements may take longer than they may here.
    const start = () => harness.addNode({ databaseTimeoutMs: 2_000 });
    const { app } = await vi.waitFor(start, { timeout: 120_000 });
    const client = await harness.pool.connect();
    await client.query('begin');
    await client.query('lock table players in exclusive mode');
    const events = batch(500);
    const refused = await postEvents(app, session, events).finally(() => client.release(true));
    expectGeneralError(refused, 503, 'unavailable');
    let again = await postEvents(app, session, events);
    // The database may take its time to notice that nobody holds the lock any more.
    while (again.statusCode === 503) again = await postEvents(app, session, events);
    expect(again.statusCode, again.body).toBe(202);
    // One of those that were given up may have been stored.
    const { accepted, duplicates } = again.json().data;
    expect(accepted + duplicates).toBe(500);
  });

  it('is used up by one that makes no sense', async () => {
    for (let n = 0; n < 2; n++) {
      const garbage = await postBytes(harness.app, session, '['.padEnd(MIB, ' '));
      expectGeneralError(garbage, 400, 'invalid_json');
    }
    expect((await postBytes(harness.app, session, '['.padEnd(MIB, ' '))).statusCode).toBe(429);
  });

  it('is unlimited with SAVEPOINT_RATE_LIMITS=off, and no such header is sent', async () => {
    const { app } = await harness.addNode({ rateLimits: { ...LIMITS, enabled: false } });
    for (let n = 0; n < 3; n++) {
      const response = await postEvents(app, session, batch(400));
      expectCounts(response, { accepted: 400, duplicates: 0 });
      expect(Object.keys(response.headers).filter((name) => /ratelimit/.test(name))).toEqual([]);
    }
  });
});
