import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Session, toSession } from '../../support/harness.js';
import {
  expectAlive,
  expectDead,
  expectRefusedToken,
  postRefresh,
  refreshed,
} from '../../support/session-calls.js';

let harness: Harness;
let second: FastifyInstance;
beforeAll(async () => {
  harness = await createHarness();
  second = (await harness.addNode()).app;
});
afterAll(() => harness.close());

const GRACE_MS = 30_000;

async function refuse(refreshToken: string): Promise<void> {
  expectRefusedToken(await postRefresh(harness.app, refreshToken), 'refresh_token_invalid');
}

describe('a retry within 30 seconds', () => {
  test('gets a successor that works, from any node', async () => {
    const { refreshToken } = await harness.login();
    const received = await refreshed(harness.app, refreshToken);
    harness.clock.advance(GRACE_MS);
    const retried = await refreshed(second, refreshToken);
    expect(retried.refreshToken).toBe(received.refreshToken);
    await expectAlive(harness.app, received);
    await expectAlive(harness.app, retried);
    await expectAlive(second, await refreshed(second, retried.refreshToken));
  });

  test('also when the successor has been used meanwhile: the retry gets the live end', async () => {
    const first = await harness.login();
    const next = await refreshed(harness.app, first.refreshToken);
    const third = await refreshed(harness.app, next.refreshToken);
    const retried = await refreshed(second, first.refreshToken);
    expect(retried.refreshToken).toBe(third.refreshToken);
    await refreshed(harness.app, retried.refreshToken);
  });

  test('does not restart the 30 seconds', async () => {
    const session = await harness.login();
    await refreshed(harness.app, session.refreshToken);
    harness.clock.advance(GRACE_MS - 1000);
    await refreshed(harness.app, session.refreshToken);
    harness.clock.advance(1001);
    await refuse(session.refreshToken);
  });
});

describe('a reuse later than that', () => {
  test('one millisecond past the grace period ends the session', async () => {
    const session = await harness.login();
    const next = await refreshed(harness.app, session.refreshToken);
    harness.clock.advance(GRACE_MS + 1);
    await refuse(session.refreshToken);
    for (const app of [harness.app, second]) {
      await expectDead(app, session);
      await expectDead(app, next);
    }
  });

  test('ends that session and only that one', async () => {
    const [stolen, sameDevice, otherPlayer] = [
      await harness.login('phone'),
      await harness.login('phone'),
      await harness.login('tablet'),
    ];
    await refreshed(harness.app, stolen.refreshToken);
    harness.clock.advance(GRACE_MS + 1);
    await refuse(stolen.refreshToken);
    await expectDead(harness.app, stolen);
    for (const session of [sameDevice, otherPlayer]) {
      await expectAlive(harness.app, session);
      await refreshed(harness.app, session.refreshToken);
    }
  });

  test('is noticed many rotations later', async () => {
    const first = await harness.login();
    let { refreshToken } = first;
    for (let rotation = 0; rotation < 5; rotation++) {
      harness.clock.advance(GRACE_MS + 1);
      ({ refreshToken } = await refreshed(harness.app, refreshToken));
    }
    await refuse(first.refreshToken);
    await refuse(refreshToken);
  });

  test('the player logs in again and is the same player', async () => {
    const session = await harness.login('robbed');
    await refreshed(harness.app, session.refreshToken);
    harness.clock.advance(GRACE_MS + 1);
    await refuse(session.refreshToken);
    const again = await harness.login('robbed');
    expect(again.userId).toBe(session.userId);
    await expectAlive(harness.app, again);
  });
});

describe('refreshes of one token at the same moment', () => {
  const refreshTogether = async (refreshToken: string, count: number): Promise<Session[]> => {
    const nodes = [harness.app, second];
    const responses = await Promise.all(
      Array.from({ length: count }, (_, n) => postRefresh(nodes[n % 2] ?? second, refreshToken)),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(count).fill(200));
    return responses.map((response) => toSession(response.json()));
  };

  test('50 over two nodes all succeed, agree on one successor, and end no session', async () => {
    for (let round = 0; round < 5; round++) {
      const login = await harness.login(`raced-${round}`);
      const sessions = await refreshTogether(login.refreshToken, 50);
      expect(new Set(sessions.map(({ refreshToken }) => refreshToken)).size).toBe(1);
      await Promise.all([login, ...sessions].map((session) => expectAlive(second, session)));
      await refreshed(second, sessions[0]?.refreshToken ?? '');
    }
  });

  test('a client that goes on at once with its first response leaves the others working', async () => {
    const login = await harness.login('eager');
    const chains = await Promise.all(
      [harness.app, second].map(async (app) => {
        let { refreshToken } = login;
        for (let step = 0; step < 5; step++) ({ refreshToken } = await refreshed(app, refreshToken));
        return refreshToken;
      }),
    );
    const ends = await Promise.all(chains.map((token) => refreshed(harness.app, token)));
    expect(new Set(ends.map(({ refreshToken }) => refreshToken)).size).toBeLessThanOrEqual(2);
    for (const end of ends) await refreshed(second, end.refreshToken);
    await expectAlive(harness.app, login);
  });

  test('after the grace period exactly one chain is live', async () => {
    const login = await harness.login('settled');
    const [any] = await refreshTogether(login.refreshToken, 10);
    const next = await refreshed(harness.app, any?.refreshToken ?? '');
    harness.clock.advance(GRACE_MS + 1);
    await refreshed(harness.app, next.refreshToken);
    await refuse(login.refreshToken);
  });
});
