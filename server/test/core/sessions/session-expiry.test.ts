import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECK_SESSIONS, deleteExpiredSessions } from '../../../src/core/sessions/session-expiry.js';
import { walkByIndex, withDedicatedConnection } from '../../../src/platform/db/dedicated-connection.js';
import { withoutRateLimits } from '../../support/data-calls.js';
import { createHarness, type Harness } from '../../support/harness.js';
import {
  expectAlive,
  expectDead,
  expectRefusedToken,
  getStatus,
  postLogout,
  postRefresh,
  refreshed,
} from '../../support/session-calls.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const REFRESH_DAYS = 30;

describe('the rows of sessions', () => {
  let harness: Harness;
  let devices = 0;
  beforeAll(async () => {
    harness = await createHarness({ settings: withoutRateLimits() });
  });
  afterAll(() => harness.close());

  const login = () => harness.login(`device-${++devices}`);
  const deleteExpired = (signal?: AbortSignal) =>
    deleteExpiredSessions(harness.pool, harness.clock.now(), signal);
  const countRows = async (condition = 'true') => {
    const { rows } = await harness.pool.query<{ n: number }>(
      `select count(*)::int as n from sessions where ${condition}`,
    );
    return rows[0]?.n;
  };

  it('are updated in place by refreshes, which add nothing to any index', async () => {
    let session = await login();
    const refreshes = 60;
    for (let n = 0; n < refreshes; n++) {
      harness.clock.advance(1_000);
      session = await refreshed(harness.app, session.refreshToken);
    }
    const updates = async () => {
      const { rows } = await harness.pool.query<{ all: number; inPlace: number }>(
        `select n_tup_upd::int as all, n_tup_hot_upd::int as "inPlace" from pg_stat_user_tables where relname = 'sessions'`,
      );
      return rows[0] ?? { all: 0, inPlace: 0 };
    };
    // Connections report what they did once they have been idle for a while.
    await expect.poll(async () => (await updates()).all, { timeout: 90_000, interval: 250 }).toBe(refreshes);
    // A page that is full for a moment makes one of them an ordinary update.
    expect((await updates()).inPlace).toBeGreaterThan(refreshes * 0.9);
  });

  it('are gone with the logout, and their tokens are refused', async () => {
    const [one, two, three] = [await login(), await harness.login('shared'), await harness.login('shared')];
    const before = (await countRows()) ?? 0;
    await postLogout(harness.app, one.accessToken);
    expect(await countRows()).toBe(before - 1);
    const response = await postLogout(harness.app, two.accessToken, { allDevices: true });
    expect(response.json().data).toEqual({ revokedSessions: 2 });
    expect(await countRows()).toBe(before - 3);
    for (const session of [one, two, three]) await expectDead(harness.app, session);
  });

  it('are gone with a refresh token that was used long ago', async () => {
    const session = await login();
    const before = (await countRows()) ?? 0;
    const next = await refreshed(harness.app, session.refreshToken);
    harness.clock.advance(60_000);
    expectRefusedToken(await postRefresh(harness.app, session.refreshToken), 'refresh_token_invalid');
    expect(await countRows()).toBe(before - 1);
    await expectDead(harness.app, next);
  });

  it('are deleted a day after the refresh token has expired, unless it was used', async () => {
    const start = harness.clock.now();
    const [abandoned, used] = [await login(), await login()];
    const isAbandoned = `device_id = '${abandoned.deviceId}'`;
    const isUsed = `device_id = '${used.deviceId}'`;
    harness.clock.set(start + 20 * DAY_MS);
    await refreshed(harness.app, used.refreshToken);

    harness.clock.set(start + REFRESH_DAYS * DAY_MS + 23 * HOUR_MS);
    await deleteExpired();
    expect(await countRows(isAbandoned)).toBe(1);
    harness.clock.set(start + (REFRESH_DAYS + 2) * DAY_MS);
    expect(await deleteExpired()).toBeGreaterThan(0);
    expect(await countRows(isAbandoned)).toBe(0);
    // It has been looked at, and is looked at again when its own time comes.
    expect(await countRows(`${isUsed} and check_on > '${new Date(harness.clock.now()).toISOString()}'`)).toBe(
      1,
    );
    expect(await deleteExpired()).toBe(0);

    harness.clock.set(start + (20 + REFRESH_DAYS + 2) * DAY_MS);
    await deleteExpired();
    expect(await countRows()).toBe(0);
  });

  it('are kept until the last access token has expired, however short-lived refresh tokens are', async () => {
    const day = 86_400;
    const { app } = await harness.addNode({ accessTtlSeconds: day, refreshTtlSeconds: 60 });
    const session = await harness.login('short-lived', app);
    for (const hours of [1, 11, 11]) {
      harness.clock.advance(hours * HOUR_MS);
      // As it is for sessions from before there were such days.
      await harness.pool.query("update sessions set check_on = '2001-01-01'");
      await deleteExpired();
      await expectAlive(app, session);
    }
    harness.clock.advance(2 * DAY_MS);
    expect(await deleteExpired()).toBe(1);
    expectRefusedToken(await getStatus(app, session));
  });

  describe('of many players', () => {
    const ALIVE = 50_000;
    const DUE = 12_000;
    beforeAll(async () => {
      await harness.pool.query('alter table sessions set (autovacuum_enabled = false)');
      await harness.pool.query('delete from sessions');
      await harness.pool.query('analyze sessions');
      const now = harness.clock.now();
      const insert = (count: number, expiresAt: number, checkOn: number) =>
        harness.pool.query(
          `insert into sessions (id, player_id, device_id, key_id, created_at, expires_at, check_on, tag_key, current_hash)
           select gen_random_uuid(), n, 'd', 'k', $2, $3, $4::date, '', '' from generate_series(1, $1::int) n`,
          [count, new Date(now), new Date(expiresAt), new Date(checkOn).toISOString().slice(0, 10)],
        );
      await insert(ALIVE, now + 9 * DAY_MS, now + 11 * DAY_MS);
      await insert(DUE, now - 3 * DAY_MS, now - DAY_MS);
      await insert(DUE, now + 5 * DAY_MS, now - DAY_MS);
    });

    it('are found by their day, whatever the statistics say', async () => {
      const plan = await withDedicatedConnection(harness.pool, async (connection) => {
        await walkByIndex(connection);
        const { rows } = await connection.query(`explain ${CHECK_SESSIONS}`, [
          new Date(harness.clock.now()).toISOString().slice(0, 10),
          new Date(harness.clock.now() - DAY_MS),
          5_000,
        ]);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
      expect(plan.match(/\w+ Scan (?:using \w+ )?on sessions/g)).toEqual([
        'Index Scan using sessions_check on sessions',
        'Tid Scan on sessions',
        'Tid Scan on sessions',
      ]);
    });

    it('are deleted in portions that can be interrupted, and those in use are left', async () => {
      expect(await deleteExpired(AbortSignal.abort())).toBe(0);
      const player = await harness.pool.connect();
      try {
        await player.query('begin');
        await player.query('select from sessions where expires_at < $1 limit 3 for no key update', [
          new Date(harness.clock.now()),
        ]);
        expect(await deleteExpired()).toBe(DUE - 3);
        await player.query('commit');
      } finally {
        player.release();
      }
      expect(await deleteExpired()).toBe(3);
      expect(await countRows()).toBe(ALIVE + DUE);
      expect(await countRows('check_on <= current_date')).toBe(0);
    });
  });
});
