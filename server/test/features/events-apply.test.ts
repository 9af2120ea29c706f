import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adImpression, createHarness, type Harness, postEvents } from '../support/harness.js';

describe('POST /v1/events', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await createHarness();
  });
  afterAll(() => harness.close());

  it('counts a batch once, however often and in whatever order it is sent', async () => {
    const { app, clock, pool } = harness;
    const session = await harness.login('apply-1');
    const events = Array.from({ length: 20 }, (_, n) => adImpression(n, clock.now() - n * 1000));
    const first = await postEvents(app, session, events);
    expect(first.statusCode).toBe(202);
    expect(first.json()).toEqual({ data: { accepted: 20, duplicates: 0, rejected: [] }, status: 'success' });

    const retries = await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        postEvents(app, session, n % 2 ? events.toReversed() : events.slice(n % 5)),
      ),
    );
    for (const retry of retries) {
      expect(retry.statusCode).toBe(202);
      expect(retry.json().data.accepted).toBe(0);
    }
    const { rows } = await pool.query('select event_count, event_counts from players where user_id = $1', [
      session.userId,
    ]);
    expect(rows[0]).toEqual({ event_count: '20', event_counts: { Ad_Impression: 20 } });
  });
});
