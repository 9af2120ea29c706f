import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectCounts, expectGeneralError, playerAggregates } from '../../../support/data-calls.js';
import { adImpression, createHarness, type Harness, postEvents } from '../../../support/harness.js';

/** Every event that PostgreSQL is known to refuse is rejected before; this stands for one that is not known yet. */
describe('an event that PostgreSQL refuses', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await createHarness();
    await harness.pool.query(
      `alter table event_blocks add constraint poison check (not events @> '[["Poison"]]')`,
    );
  });
  afterAll(() => harness.close());

  it('fails its own request only, however many travel with it', async () => {
    const sessions = await Promise.all(Array.from({ length: 12 }, (_, n) => harness.login(`poison-${n}`)));
    const responses = await Promise.all(
      sessions.map((session, n) => {
        const events = [adImpression(1, harness.clock.now()), adImpression(2, harness.clock.now())];
        const poison = adImpression(3, harness.clock.now(), { eventType: 'Poison' });
        return postEvents(harness.app, session, n === 7 ? [...events, poison] : events);
      }),
    );
    for (const [n, response] of responses.entries()) {
      const { userId } = sessions[n] ?? { userId: '' };
      const { event_count } = await playerAggregates(harness.pool, userId);
      if (n === 7) {
        expectGeneralError(response, 500, 'internal');
        expect(response.body).not.toMatch(/poison|constraint/i);
        expect(event_count).toBe('0');
      } else {
        expectCounts(response, { accepted: 2, duplicates: 0 });
        expect(event_count).toBe('2');
      }
    }
  });
});
