import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkClock } from '../../../src/operations/cli/doctor-database.js';
import {
  clockWarnings,
  createClockMetrics,
  logClock,
} from '../../../src/operations/lifecycle/clock-warnings.js';
import type { ClockReading } from '../../../src/platform/db/database-clock.js';
import { HOUR_MS } from '../../../src/platform/lib/day.js';
import { openAdminClient } from '../../support/admin-calls.js';
import { DAY_MS } from '../../support/game-world.js';
import {
  adImpression,
  createHarness,
  type Harness,
  postEvents,
  postLogin,
  signedLogin,
  toSession,
} from '../../support/harness.js';

/** What a node with a wrong clock goes on doing, and where it says so. */

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const WARNING =
  'The clock of this node is 100 days ahead of the clock of the database. Until they agree to a minute, this node goes by the clock of the database and refuses maintenance: it deletes nothing, and sums and closes no day.';
const AHEAD: ClockReading = { nodeMs: 100 * DAY_MS, databaseMs: 0, uncertaintyMs: 1 };
const RIGHT: ClockReading = { nodeMs: 30_000, databaseMs: 0, uncertaintyMs: 1 };

describe.each([
  ['ahead', 100],
  ['behind', -100],
])('a node 100 days %s of the database', (name, days) => {
  it('serves players by the time of the database', async () => {
    const nodeClock = { now: () => Date.now() + days * DAY_MS };
    const { app } = await harness.addNode({}, { nodeClock });
    const deviceId = `device-${name}`;
    const login = await postLogin(app, signedLogin({ deviceId, nowMs: Date.now() }));
    expect(login.statusCode, login.body).toBe(200);
    expect(Math.abs(Date.parse(String(login.headers.date)) - Date.now())).toBeLessThan(HOUR_MS);
    const session = toSession(login.json());
    const claims = JSON.parse(Buffer.from(session.accessToken.split('.')[1] ?? '', 'base64url').toString());
    expect(Math.abs(claims.iat * 1_000 - Date.now())).toBeLessThan(HOUR_MS);

    const sent = await postEvents(app, session, [adImpression(1, Date.now())]);
    expect(sent.statusCode, sent.body).toBe(202);
    const { rows } = await harness.pool.query(
      `select e.clock_suspect as "isSuspect", abs(extract(epoch from now() - e.received_at)) < 3600 as "isNow",
         e.tableoid::regclass::text <> 'event_blocks_default' as "hasPartition"
       from (select b.tableoid, e.* from event_blocks b join events e using (player_id, received_at)) e
       join players p on p.id = e.player_id where p.user_id = $1`,
      [session.userId],
    );
    expect(rows).toEqual([{ isSuspect: false, isNow: true, hasPartition: true }]);

    // Another node, whose clock is right, goes on with the session.
    const refreshed = await harness.app.inject({
      method: 'POST',
      url: '/auth/refresh',
      payload: { refreshToken: session.refreshToken },
    });
    expect(refreshed.statusCode, refreshed.body).toBe(200);
  });
});

describe('a wrong clock is reported', () => {
  it('to everyone who is signed in, by the admin API', async () => {
    let reading: ClockReading | undefined = AHEAD;
    const admin = await openAdminClient(harness, undefined, [], {
      warnings: async () => clockWarnings(reading),
    });
    const ask = () => admin.ask('GET', '/installation/warnings', undefined, admin.tokens.viewer);
    expect(await ask()).toEqual({ warnings: [{ code: 'clock_off', message: WARNING }] });
    reading = RIGHT;
    expect(await ask()).toEqual({ warnings: [] });
    reading = undefined;
    expect(await ask()).toEqual({ warnings: [] });
    await admin.close();
  });

  it('in the metrics', async () => {
    const text = (reading: ClockReading | undefined) =>
      createClockMetrics({ reading: () => reading }).registry.metrics();
    expect(await text(AHEAD)).toContain('\nsavepoint_clock_offset_seconds 8640000\n');
    expect(await text({ ...RIGHT, nodeMs: -500 })).toContain('\nsavepoint_clock_offset_seconds -0.5\n');
  });

  it('in the log, when it goes wrong and when it is right again', () => {
    const lines: Record<string, unknown>[] = [];
    const logger = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
    logClock(logger, AHEAD);
    logClock(logger, RIGHT);
    expect(lines).toEqual([
      expect.objectContaining({ level: 50, clockOffsetSeconds: 8_640_000, msg: WARNING }),
      expect.objectContaining({
        level: 30,
        clockOffsetSeconds: 30,
        msg: 'The clock of this node agrees with the clock of the database again.',
      }),
    ]);
  });

  it('by savepoint doctor', async () => {
    expect(await checkClock(harness.pool)).toEqual({ name: 'clock' });
    expect(await checkClock(harness.pool, { now: () => Date.now() - 100 * DAY_MS })).toEqual({
      name: 'clock',
      problem: 'The clock of this node is 100 days behind the clock of the database.',
      advice:
        'Run a time service (chrony, systemd-timesyncd) on both. Until they agree to a minute, this node goes by the clock of the database, and deletes nothing.',
    });
    expect(await checkClock(harness.pool, { now: () => Date.now() + 30_000 })).toMatchObject({
      problem: expect.stringMatching(/^this machine and the database differ by \d+ ms$/),
    });
  });
});
