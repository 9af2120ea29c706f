import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import { playerAggregates } from '../../../support/data-calls.js';
import { recordsOf } from '../../../support/event-records.js';
import { createHarness, type Harness, type Session } from '../../../support/harness.js';

const PLAYERS = 12;
const ROUNDS = 8;
const TRANSACTIONS = 400;
const DAY_MS = 86_400_000;

describe('groups that cross', () => {
  let harness: Harness;
  let sessions: Session[];
  beforeAll(async () => {
    harness = await createHarness();
    sessions = await Promise.all(Array.from({ length: PLAYERS }, (_, n) => harness.login(`crossing-${n}`)));
  });
  afterAll(() => harness.close());

  const event = (n: number, eventType: string, payload: Record<string, unknown> = {}) => ({
    eventType,
    timestamp: new Date(harness.clock.now() - n).toISOString(),
    payload,
  });

  /** Each group is one event after the other of each of its players; all groups are applied at once. */
  const applyAtOnce = async (groups: { players: Session[]; events: unknown[] }[]) => {
    const records = await Promise.all(
      groups.map(async ({ players, events }) =>
        (await Promise.all(players.map((session) => recordsOf(harness, session, events)))).flat(),
      ),
    );
    const results = await Promise.all(records.map((group) => applyEvents(harness.pool, group)));
    expect(new Set(results.flat())).toEqual(new Set(['new']));
  };

  it('over the same players and days, in opposite orders, never deadlock', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await applyAtOnce(
        [0, 1, 2].map((group) => {
          const n = 3 * round + group;
          return {
            players: group % 2 === 0 ? sessions : sessions.toReversed(),
            events: [event(n, 'Custom'), event(n + DAY_MS, 'Custom')],
          };
        }),
      );
    }
    for (const { userId } of sessions) {
      const { event_count } = await playerAggregates(harness.pool, userId);
      expect(event_count).toBe(String(ROUNDS * 6));
    }
  });

  it('over the same transactions of different players, in opposite orders, never deadlock', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const purchases = Array.from({ length: TRANSACTIONS }, (_, n) =>
        event(n, 'Purchase', { transactionId: `${round}-${n}` }),
      );
      await applyAtOnce([
        { players: sessions.slice(0, 1), events: purchases },
        { players: sessions.slice(1, 2), events: purchases.toReversed() },
        { players: sessions.slice(2, 4), events: purchases },
      ]);
    }
    const counts = await Promise.all(
      sessions.map(async ({ userId }) => (await playerAggregates(harness.pool, userId)).purchase_count),
    );
    expect(counts.reduce((sum: number, count) => sum + Number(count), 0)).toBe(4 * ROUNDS * TRANSACTIONS);
  });
});
