import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  expectCounts,
  expectGeneralError,
  get,
  playerAggregates,
  postBytes,
  withoutRateLimits,
} from '../../support/data-calls.js';
import {
  adImpression,
  createHarness,
  type Harness,
  NO_TIMEOUT_MS,
  postEvents,
  type Session,
} from '../../support/harness.js';
import { metricValue } from '../../support/metric-value.js';
import { exchange, requestText, statusOf } from '../../support/raw-http.js';
import { turns } from '../../support/turns.js';

const BATCH = 500;
const PLAYERS = 40;
/** Far more than can run, be stuck and wait: about 4 MB at most, of 100 KB each. */
const MAX_SENDS = 200;
/** Well below the time that a test has. */
const WELCOME_WITHIN_MS = 120_000;

describe('when events come faster than they can be stored', () => {
  let harness: Harness;
  let players: Session[];
  let sent = 0;
  beforeAll(async () => {
    harness = await createHarness({
      settings: { ...withoutRateLimits(), databaseTimeoutMs: NO_TIMEOUT_MS },
    });
    players = [];
    for (let n = 0; n < PLAYERS; n++) players.push(await harness.login(`player-${n}`));
  });
  beforeEach(async () => {
    await expect.poll(() => value('savepoint_intake_running_bytes')).toBe(0);
  });
  afterAll(() => harness.close());

  const value = (name: string) => metricValue(harness.ctx.metrics.registry, name);
  const player = (n: number): Session => {
    const session = players[n % PLAYERS];
    if (session === undefined) throw new Error('there are no players');
    return session;
  };
  const batch = (count = BATCH) => {
    sent += count;
    return Array.from({ length: count }, (_, n) => adImpression(n, harness.clock.now() - sent - n));
  };

  /** Of 900 KB. */
  const largeBatch = () => {
    sent += 60;
    return Array.from({ length: 60 }, (_, n) =>
      adImpression(n, harness.clock.now() - sent - n, { payload: { filler: 'x'.repeat(15_000) } }),
    );
  };

  /** Holds a table, so that groups start and then wait. Whoever hangs up holds nothing any more. */
  const block = async (statement: string, values: unknown[] = []): Promise<() => void> => {
    const client = await harness.pool.connect();
    await client.query('begin');
    await client.query(statement, values);
    return () => client.release(true);
  };
  const lockWaits = async () => {
    const { rowCount } = await harness.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rowCount;
  };

  /** Sends one batch after the other, without waiting for the responses, until so many were refused. */
  const sendUntilRefused = async (
    count: number,
    sender: (n: number) => Session,
    app: FastifyInstance = harness.app,
  ) => {
    const refused: number[] = [];
    const sends: Promise<LightMyRequestResponse>[] = [];
    const batches: unknown[][] = [];
    const send = async (n: number) => {
      const response = await postEvents(app, sender(n), batches[n]);
      if (response.statusCode === 503) refused.push(n);
      return response;
    };
    while (refused.length < count && sends.length < MAX_SENDS) {
      batches.push(batch());
      sends.push(send(sends.length));
      await turns(50);
    }
    expect(refused.length).toBeGreaterThanOrEqual(count);
    return { refused, sends, batches };
  };

  it('refuses at once what would wait too long, and finishes what it took', async () => {
    const { app, ctx } = await harness.addNode({ maxWaitMs: 500 });
    const release = await block('lock table players in exclusive mode');
    const { refused, sends, batches } = await sendUntilRefused(3, player, app).finally(async () => {
      // Whoever only reads is not held up.
      expect((await get(app, '/v1/player/status', player(0))).statusCode).toBe(200);
      release();
    });
    const responses = await Promise.all(sends);
    for (const n of refused) {
      const response = responses[n];
      if (response !== undefined) expectGeneralError(response, 503, 'unavailable');
    }
    const taken = responses.filter((response) => response.statusCode !== 503);
    expect(taken.length).toBeGreaterThanOrEqual(3);
    for (const response of taken) expectCounts(response, { accepted: BATCH, duplicates: 0 });
    const shed = 'savepoint_shed_requests_total{reason="wait"}';
    expect(await metricValue(ctx.metrics.registry, shed)).toBeGreaterThanOrEqual(3);

    // And those refused are welcome as soon as the node has noticed that nothing is stuck any more.
    const deadline = performance.now() + WELCOME_WITHIN_MS;
    for (const n of refused.slice(0, 3)) {
      let response = await postEvents(app, player(n), batches[n]);
      while (response.statusCode === 503 && performance.now() < deadline)
        response = await postEvents(app, player(n), batches[n]);
      expectCounts(response, { accepted: BATCH, duplicates: 0 });
    }
  });

  it('refuses before the token is checked, and with the same response as afterwards', async () => {
    const { app, ctx } = await harness.addNode({ maxWaitMs: 0 });
    // More than may run at once. The clock stands still, so that it is never taken for stuck.
    const [blocked, other] = [player(0), player(1)];
    const release = await block('select from players where user_id = $1 for update', [blocked.userId]);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const held = postEvents(app, blocked, largeBatch());
    try {
      await expect.poll(lockWaits).toBe(1);
      await app.listen({ host: '127.0.0.1', port: 0 });
      const { port } = app.server.address() as { port: number };
      /** The whole response, without what differs from one to the next. */
      const send = async (path: string, headers: Record<string, string> = other.headers) => {
        const more = { 'x-request-id': 'same', origin: 'https://game.example', 'content-length': '2' };
        const all = Object.entries({ ...headers, ...more });
        const response = await exchange(
          port,
          requestText({ method: 'POST', path, headers: all, body: '[]' }),
        );
        return response.replace(/retry-after: [1-9]\r/, 'retry-after: n\r').replace(/date: [^\r]+\r\n/i, '');
      };
      const early = await send('/v1/events');
      expect(early).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: n\r\n[\s\S]*"unavailable"/);
      expect(early).toMatch(/x-request-id: same\r\naccess-control-allow-origin: \*\r\n/);
      // The same path in a spelling that only Fastify knows: refused once the token has told who sends it.
      expect(await send('/v1/%65vents')).toBe(early);
      expect(statusOf(await send('/v1/events', {}))).toBe(503);
      expect(statusOf(await send('/v1/%65vents', {}))).toBe(401);
      const shed = 'savepoint_shed_requests_total{reason="wait"}';
      expect(await metricValue(ctx.metrics.registry, shed)).toBe(3);
    } finally {
      vi.restoreAllMocks();
      release();
    }
    expectCounts(await held, { accepted: 60, duplicates: 0 });
  });

  it('refuses one player who sends too much at once, and takes the others', async () => {
    const flooder = await harness.login('flooder');
    const other = await harness.login('other');
    const release = await block('lock table players in exclusive mode');
    const { sends, others } = await sendUntilRefused(3, () => flooder)
      .then((flood) => ({ ...flood, others: postEvents(harness.app, other, batch(1)) }))
      .finally(release);
    expectCounts(await others, { accepted: 1, duplicates: 0 });
    const taken = (await Promise.all(sends)).filter(({ statusCode }) => statusCode !== 503);
    for (const response of taken) expectCounts(response, { accepted: BATCH, duplicates: 0 });
    expect(await playerAggregates(harness.pool, flooder.userId)).toMatchObject({
      event_count: String(taken.length * BATCH),
    });
    expect(await value('savepoint_shed_requests_total{reason="own_line"}')).toBeGreaterThanOrEqual(1);
  });

  it('lets others pass by a large batch that waits for a lock', async () => {
    const [blocked, ...others] = players;
    if (blocked === undefined) throw new Error('there are no players');
    const release = await block('select from players where user_id = $1 for update', [blocked.userId]);
    const settled: string[] = [];
    const held = postEvents(harness.app, blocked, largeBatch()).finally(() => settled.push('blocked'));
    try {
      await expect.poll(lockWaits).toBe(1);
      for (const other of others) {
        // Until nothing has moved for a while, they may be refused.
        await expect.poll(async () => (await postEvents(harness.app, other, batch(1))).statusCode).toBe(202);
      }
      expect(settled).toEqual([]);
    } finally {
      release();
    }
    expectCounts(await held, { accepted: 60, duplicates: 0 });
  });

  it('does not let a stuck inbox of failed events take the place of good ones', async () => {
    const release = await block('lock table failed_events in exclusive mode');
    const bad = Array.from({ length: 12 }, (_, n) =>
      postEvents(harness.app, player(n), [...batch(BATCH - 1), { eventType: 'no timestamp' }]),
    );
    const settled: string[] = [];
    for (const sending of bad) sending.then(() => settled.push('bad'));
    try {
      await expect.poll(lockWaits).toBe(1);
      // The good ones among them are stored, and nothing is in work any more.
      await expect.poll(() => value('savepoint_intake_running_bytes')).toBe(0);
      expectCounts(await postEvents(harness.app, player(20), batch(3)), { accepted: 3, duplicates: 0 });
      expect(settled).toEqual([]);
    } finally {
      release();
    }
    for (const response of await Promise.all(bad)) {
      expect(response.statusCode).toBe(202);
      expect(response.json().data).toMatchObject({ accepted: BATCH - 1, rejected: [{ index: BATCH - 1 }] });
    }
  });

  it('a body that makes no sense is a 400 while there is capacity', async () => {
    const response = await postBytes(harness.app, player(0), '[{"eventType":');
    expectGeneralError(response, 400, 'invalid_json');
    expectGeneralError(await postBytes(harness.app, player(0), '{}'), 400, 'body_invalid');
  });
});
