import { setTimeout } from 'node:timers/promises';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectCounts,
  expectGeneralError,
  get,
  playerAggregates,
  withoutRateLimits,
} from '../support/data-calls.js';
import { adImpression, createHarness, type Harness, postEvents, type Session } from '../support/harness.js';

const BATCH = 500;
/** Many more than the intake lets wait (12 MB) and has in work (half of one). */
const MAX_SENDS = 200;

describe('when events come faster than they can be stored', () => {
  let harness: Harness;
  let session: Session;
  beforeAll(async () => {
    harness = await createHarness({ config: { ...withoutRateLimits(), databaseTimeoutMs: 20_000 } });
    session = await harness.login('flood');
  });
  afterAll(() => harness.close());

  /** Holds the player's row, so that groups start and then wait. */
  const block = async (): Promise<() => void> => {
    const client = await harness.pool.connect();
    await client.query('begin');
    await client.query('select from players where user_id = $1 for update', [session.userId]);
    // Whoever hangs up holds nothing any more.
    return () => client.release(true);
  };
  const lockWaits = async () => {
    const { rowCount } = await harness.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rowCount;
  };
  const batch = (n: number) =>
    Array.from({ length: BATCH }, (_, m) => adImpression(m, harness.clock.now() - n * BATCH - m));

  it('refuses at once what would wait too long, and finishes what it took', async () => {
    const release = await block();
    const refused: number[] = [];
    const send = async (n: number) => {
      const response = await postEvents(harness.app, session, batch(n));
      if (response.statusCode === 503) refused.push(n);
      return response;
    };
    const sends: Promise<LightMyRequestResponse>[] = [];
    try {
      // One after the other, without waiting for the answers: they only come for what is refused.
      while (refused.length < 3 && sends.length < MAX_SENDS) {
        sends.push(send(sends.length));
        await setTimeout(10);
      }
      expect(refused.length).toBeGreaterThanOrEqual(3);
      // Whoever only reads is not held up.
      expect((await get(harness.app, '/v1/player/status', session)).statusCode).toBe(200);
    } finally {
      release();
    }
    const responses = await Promise.all(sends);
    for (const n of refused) {
      const response = responses[n];
      if (response !== undefined) expectGeneralError(response, 503, 'unavailable');
    }
    const taken = responses.filter((response) => response.statusCode !== 503);
    expect(taken.length).toBeGreaterThanOrEqual(20);
    for (const response of taken) expectCounts(response, { accepted: BATCH, duplicates: 0 });
    expect(await playerAggregates(harness.pool, session.userId)).toMatchObject({
      event_count: String(taken.length * BATCH),
    });

    // And those refused are welcome now.
    for (const n of refused.slice(0, 3)) {
      expectCounts(await postEvents(harness.app, session, batch(n)), { accepted: BATCH, duplicates: 0 });
    }
  });

  it('lets others pass by a large batch that waits for a lock', async () => {
    const others = await Promise.all(Array.from({ length: 40 }, (_, n) => harness.login(`other-${n}`)));
    const release = await block();
    const large = Array.from({ length: 60 }, (_, m) =>
      adImpression(m, harness.clock.now(), { payload: { filler: 'x'.repeat(15_000) } }),
    );
    const answered: string[] = [];
    const blocked = postEvents(harness.app, session, large).finally(() => answered.push('blocked'));
    try {
      await expect.poll(lockWaits).toBe(1);
      const responses = await Promise.all(
        others.map((other) => postEvents(harness.app, other, [adImpression(1, harness.clock.now())])),
      );
      for (const response of responses) expectCounts(response, { accepted: 1, duplicates: 0 });
      expect(answered).toEqual([]);
    } finally {
      release();
    }
    expectCounts(await blocked, { accepted: 60, duplicates: 0 });
  });
});
