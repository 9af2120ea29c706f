import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Context, createContext } from '../../../src/app/context.js';
import { buildPlayerApp } from '../../../src/app/player-app.js';
import {
  type Counts,
  expectCounts,
  expectGeneralError,
  get,
  playerAggregates,
  withoutRateLimits,
} from '../../support/data-calls.js';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  postLogin,
  type Session,
  signedLogin,
  testSettings,
} from '../../support/harness.js';
import { expectStringError, postLogout, postRefresh } from '../../support/session-calls.js';

const TIMEOUT_MS = 1_500;
/** The client waits half a second longer than the server; the rest is for busy cores. Without a time-out it takes for ever. */
const ANSWER_WITHIN_MS = 30_000;

describe('a database', () => {
  let harness: Harness;
  let proxy: DatabaseProxy;
  let ctx: Context;
  let app: FastifyInstance;
  let session: Session;
  let devices = 0;
  let sent = 0;
  const lines = new EventEmitter();
  beforeAll(async () => {
    harness = await createHarness();
    proxy = await startDatabaseProxy(harness.databaseUrl);
    const options = {
      settings: { ...testSettings(), ...withoutRateLimits(), databaseTimeoutMs: TIMEOUT_MS },
      databaseUrl: proxy.url,
      masterKeys: harness.masterKeys,
      logger: pino({ level: 'warn' }, { write: (line) => lines.emit('line', JSON.parse(line)) }),
      clock: harness.clock,
    };
    // The node waits for its database, and starts when it comes.
    await proxy.cut();
    const warned = once(lines, 'line');
    const starting = createContext(options);
    expect(await warned).toMatchObject([
      {
        msg: 'the database does not respond within SAVEPOINT_DB_TIMEOUT_MS; the start waits for it',
        err: { code: 'ECONNREFUSED' },
      },
    ]);
    await proxy.restore();
    ctx = await starting;
    app = await buildPlayerApp(ctx);
  });
  afterAll(async () => {
    await proxy.restore();
    await app.close();
    await ctx.dispose();
    await proxy.close();
    await harness.close();
  });
  beforeEach(async () => {
    await proxy.restore();
    session = await harness.login(`outage-${++devices}`);
    await recovered();
  });

  const batch = () => Array.from({ length: 3 }, () => adImpression(++sent, harness.clock.now()));
  const countOf = async () => (await playerAggregates(harness.pool, session.userId)).event_count;

  /** The connections of the node heal by themselves; this only waits for it. */
  const recovered = () =>
    expect
      .poll(async () => (await get(app, '/v1/player/status', session)).statusCode, {
        interval: 50,
      })
      .toBe(200);

  /** On a busy machine a statement may take longer than it may here. What was refused for that may be committed nevertheless. */
  const untilServed = async (call: () => Promise<LightMyRequestResponse>) => {
    for (let isRepeated = false; ; isRepeated = true) {
      const response = await call();
      if (response.statusCode !== 503) return { response, isRepeated };
    }
  };
  const expectServed = async (events: unknown[], counts: Counts): Promise<void> => {
    const { response, isRepeated } = await untilServed(() => postEvents(app, session, events));
    const isRepetition = isRepeated && response.json().data?.accepted === 0;
    expectCounts(response, isRepetition ? { accepted: 0, duplicates: events.length } : counts);
  };

  /** Breaks every open connection; new ones work. */
  const hiccup = () => proxy.cut().then(() => proxy.restore());

  const timed = async (call: () => Promise<LightMyRequestResponse>): Promise<LightMyRequestResponse> => {
    const started = performance.now();
    const response = await call();
    expect(performance.now() - started).toBeLessThan(ANSWER_WITHIN_MS);
    return response;
  };
  const expectUnavailable = (response: LightMyRequestResponse) => {
    if (response.raw.req.url?.startsWith('/auth/')) expectStringError(response, 503, 'unavailable');
    else expectGeneralError(response, 503, 'unavailable');
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(response.body).not.toMatch(/ECONN|timeout|connection|postgres/i);
  };
  const calls = {
    login: () => postLogin(app, signedLogin({ deviceId: 'any', nowMs: harness.clock.now() })),
    refresh: () => postRefresh(app, session.refreshToken),
    logout: () => postLogout(app, session.accessToken),
    status: () => get(app, '/v1/player/status', session),
    store: () => get(app, '/v1/player/store_configs', session),
    segments: () => get(app, '/v1/player/segments', session),
    events: () => postEvents(app, session, batch()),
  };

  describe.each([
    ['is down', () => proxy.cut()],
    ['is behind a network that swallows packets', () => proxy.silence()],
  ])('that %s', (_name, breakDatabase) => {
    it('every endpoint says 503 in time, and works again as soon as it can', async () => {
      await breakDatabase();
      for (const call of Object.values(calls)) expectUnavailable(await timed(call));
      // Now without any connection from before.
      for (const call of Object.values(calls)) expectUnavailable(await timed(call));
      expect(await countOf()).toBe('0');

      await proxy.restore();
      await recovered();
      const { logout, ...rest } = calls;
      for (const [name, call] of [...Object.entries(rest), ['logout', logout] as const]) {
        const { response, isRepeated } = await untilServed(call);
        // A logout that was refused may have ended the session nevertheless.
        const isEnded = call === logout && isRepeated && response.json().code === 'session_ended';
        if (!isEnded) expect(response.statusCode, name).toBeLessThan(300);
      }
    });

    it('a crowd gets responses in time, too', async () => {
      await breakDatabase();
      const crowd = Array.from({ length: 20 }, () => Object.values(calls)).flat();
      const started = performance.now();
      for (const response of await Promise.all(crowd.map((call) => call()))) expectUnavailable(response);
      expect(performance.now() - started).toBeLessThan(ANSWER_WITHIN_MS);
    });

    it('what needs no database is served as always', async () => {
      await breakDatabase();
      for (const url of ['/v1/limits', '/.well-known/jwks.json']) {
        expect((await app.inject(url)).statusCode).toBe(200);
      }
      const anonymous = { authorization: undefined };
      expectStringError(await get(app, '/v1/player/status', session, anonymous), 401, 'token_missing');
    });

    it('events sent again after it count once', async () => {
      const events = batch();
      await breakDatabase();
      for (let n = 0; n < 3; n++) expectUnavailable(await postEvents(app, session, events));
      await proxy.restore();
      await recovered();
      await expectServed(events, { accepted: 3, duplicates: 0 });
      await expectServed(events, { accepted: 0, duplicates: 3 });
      expect(await countOf()).toBe('3');
    });
  });

  it('idle connections that break are replaced', async () => {
    for (let n = 0; n < 5; n++) {
      await hiccup();
      await recovered();
    }
  });

  it('connections that break under load cost a response, never an event', async () => {
    const started = performance.now();
    let acknowledged = 0;
    let refusals = 0;
    let inARow = 0;
    let isOver = false;
    const cutAgainAndAgain = async () => {
      while (!isOver) {
        // Not so often that no connection lives long enough for a request, which takes longer on a busy machine.
        await sleep(150 + 100 * inARow);
        await hiccup();
      }
    };
    const cuts = cutAgainAndAgain();
    try {
      while (performance.now() - started < 2_000 || refusals === 0) {
        const events = batch();
        for (inARow = 0; (await postEvents(app, session, events)).statusCode !== 202; inARow++) refusals++;
        acknowledged += events.length;
      }
    } finally {
      isOver = true;
      await cuts;
    }
    expect(await countOf()).toBe(String(acknowledged));
  });

  /** More than once only where the machine is so busy that a statement before the commit takes too long. */
  const sendUntilCut = async (when: 'before' | 'after', events: unknown[]): Promise<void> => {
    let isCut = false;
    const cut = proxy.cutAtNextCommit(when).then(() => {
      isCut = true;
    });
    do expectUnavailable(await timed(() => postEvents(app, session, events)));
    while (!isCut);
    await cut;
  };

  it('a cut before the commit loses nothing that was acknowledged', async () => {
    const events = batch();
    await sendUntilCut('before', events);
    await recovered();
    await expectServed(events, { accepted: 3, duplicates: 0 });
    expect(await countOf()).toBe('3');
  });

  it('a cut after the commit makes the retry a repetition', async () => {
    const events = [...batch(), purchase('cut-after')];
    await sendUntilCut('after', events);
    await recovered();
    await expectServed(events, { accepted: 0, duplicates: 4 });
    expect(await playerAggregates(harness.pool, session.userId)).toMatchObject({
      event_count: '4',
      purchase_count: 1,
    });
  });

  it('a database that is too slow is as good as none', async () => {
    const events = [...batch(), purchase('too-slow')];
    const blocker = await harness.pool.connect();
    try {
      await blocker.query('begin');
      await blocker.query('select from players where user_id = $1 for update', [session.userId]);
      expectUnavailable(await timed(() => postEvents(app, session, events)));
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
    await expectServed(events, { accepted: 4, duplicates: 0 });
  });

  const purchase = (transactionId: string) => ({
    eventType: 'Purchase',
    timestamp: new Date(harness.clock.now()).toISOString(),
    payload: { transactionId },
  });
});
