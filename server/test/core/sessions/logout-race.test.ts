import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Session, testSettings, toSession } from '../../support/harness.js';
import {
  expectDead,
  expectRefusedToken,
  getStatus,
  postLogout,
  postRefresh,
  refreshed,
} from '../../support/session-calls.js';

let harness: Harness;
let nodes: [FastifyInstance, FastifyInstance];
beforeAll(async () => {
  // Hundreds of refusals in a few seconds are what this file is about.
  const rateLimits = { ...testSettings().rateLimits, enabled: false };
  harness = await createHarness({ settings: { rateLimits } });
  nodes = [harness.app, (await harness.addNode()).app];
});
afterAll(() => harness.close());

const expectDeadEverywhere = async (session: Session) => {
  for (const app of nodes) await expectDead(app, session);
};

/** Refreshes again and again, each time with what it was given last, until it is refused. */
async function refreshUntilRefused(app: FastifyInstance, session: Session): Promise<Session[]> {
  const granted: Session[] = [];
  let { refreshToken } = session;
  for (let step = 0; step < 30; step++) {
    const response = await postRefresh(app, refreshToken);
    if (response.statusCode !== 200) {
      expectRefusedToken(response, 'refresh_token_invalid');
      return granted;
    }
    const next = toSession(response.json());
    granted.push(next);
    refreshToken = next.refreshToken;
  }
  return granted;
}

describe('a logout wins over refreshes at the same moment', () => {
  test('no token that ten of them handed out works, in 20 races', async () => {
    let handedOut = 0;
    for (let round = 0; round < 20; round++) {
      const session = await harness.login(`race-${round}`);
      const racing = Array.from({ length: 10 }, (_, n) =>
        refreshUntilRefused(nodes[n % 2] ?? nodes[0], session),
      );
      // A little later each round, so that the logout meets the refreshes at different moments.
      await new Promise((resolve) => setTimeout(resolve, round));
      const body = round % 2 === 0 ? {} : { allDevices: true };
      const ended = await postLogout(nodes[round % 2] ?? nodes[0], session.accessToken, body);
      expect(ended.json()).toEqual({ data: { revokedSessions: 1 }, status: 'success' });
      // From the response on, while refreshes are still under way.
      await expectDeadEverywhere(session);
      const granted = (await Promise.all(racing)).flat();
      handedOut += granted.length;
      await Promise.all(granted.map(expectDeadEverywhere));
    }
    // Else the logout was always first, and nothing was raced.
    expect(handedOut).toBeGreaterThan(20);
  });
});

async function countWaiting(): Promise<number> {
  const { rowCount } = await harness.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}

/** Holds the rows of a device's sessions while calls pile up behind them, then lets these go in the order they came. */
async function behindLock(
  deviceId: string,
  calls: (() => Promise<LightMyRequestResponse>)[],
): Promise<LightMyRequestResponse[]> {
  const client = await harness.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from sessions where device_id = $1 for update', [deviceId]);
    const responses: Promise<LightMyRequestResponse>[] = [];
    for (const call of calls) {
      responses.push(call());
      await expect.poll(countWaiting).toBe(responses.length);
    }
    await client.query('commit');
    return await Promise.all(responses);
  } finally {
    client.release();
  }
}

describe('whichever comes first to the row', () => {
  test.each([
    ['this session', {}],
    ['all devices', { allDevices: true }],
  ])(
    'a logout of %s, then a refresh that has already read it: the refresh is refused',
    async (name, body) => {
      const session = await harness.login(`logout first ${name}`);
      const [ended, late] = await behindLock(session.deviceId, [
        () => postLogout(nodes[0], session.accessToken, body),
        () => postRefresh(nodes[1], session.refreshToken),
      ]);
      expect(ended?.statusCode).toBe(200);
      expectRefusedToken(late as LightMyRequestResponse, 'refresh_token_invalid');
      await expectDeadEverywhere(session);
    },
  );

  test('a refresh, then a logout: what the refresh handed out is dead', async () => {
    const session = await harness.login('refresh first');
    const [rotated, ended] = await behindLock(session.deviceId, [
      () => postRefresh(nodes[1], session.refreshToken),
      () => postLogout(nodes[0], session.accessToken),
    ]);
    expect([rotated?.statusCode, ended?.statusCode]).toEqual([200, 200]);
    await expectDeadEverywhere(toSession((rotated as LightMyRequestResponse).json()));
  });

  test('two refreshes: the second finds itself a retry and gets the same successor', async () => {
    const session = await harness.login('two refreshes');
    const [first, second] = await behindLock(session.deviceId, [
      () => postRefresh(nodes[0], session.refreshToken),
      () => postRefresh(nodes[1], session.refreshToken),
    ]);
    expect(second?.json().refreshToken).toBe(first?.json().refreshToken);
    await refreshed(nodes[0], second?.json().refreshToken);
  });

  test('two logouts: both return 200, and only one of them has ended a session', async () => {
    const session = await harness.login('two logouts');
    const responses = await behindLock(
      session.deviceId,
      nodes.map((app) => () => postLogout(app, session.accessToken)),
    );
    expect(responses.map((response) => response.json().data.revokedSessions)).toEqual([1, 0]);
  });

  test('a status request that began before may still succeed; none that begins after', async () => {
    const session = await harness.login('reading');
    const [early, ended] = await Promise.all([
      getStatus(nodes[1], session),
      postLogout(nodes[0], session.accessToken),
    ]);
    expect(ended.statusCode).toBe(200);
    expect([200, 401]).toContain(early.statusCode);
    expectRefusedToken(await getStatus(nodes[1], session), 'session_ended');
  });
});
