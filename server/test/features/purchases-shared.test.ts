import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../src/features/events/apply-events.js';
import { expectCounts, playerAggregates } from '../support/data-calls.js';
import { recordsOf } from '../support/event-records.js';
import { createHarness, type Harness, postEvents, type Session } from '../support/harness.js';

/** A purchase restored on a second account is not a second sale: it belongs to the player who sent it first. */
describe('one transaction, several players of a game', () => {
  let harness: Harness;
  /** In the order of their internal ids. */
  let older: Session;
  let newer: Session;
  let sent = 0;
  beforeAll(async () => {
    harness = await createHarness();
  });
  afterAll(() => harness.close());

  const newPlayers = async () => {
    older = await harness.login(`shared-${++sent}`);
    newer = await harness.login(`shared-${++sent}`);
  };
  const event = (eventType: string, transactionId: string) => ({
    eventType,
    timestamp: new Date(harness.clock.now() - 3_600_000 + ++sent).toISOString(),
    payload: { transactionId, ...(eventType === 'Purchase' ? { price: '5.00', currency: 'USD' } : {}) },
  });
  const send = async (session: Session, ...events: unknown[]) =>
    expectCounts(await postEvents(harness.app, session, events), { accepted: events.length, duplicates: 0 });
  /** As one group, the way requests that arrive together are applied. */
  const applyTogether = async (...sends: [Session, unknown][]) => {
    const groups = await Promise.all(sends.map(([session, single]) => recordsOf(harness, session, [single])));
    expect(await applyEvents(harness.pool, groups.flat())).toEqual(sends.map(() => true));
  };
  const purchases = async () =>
    Promise.all(
      [older, newer].map(async ({ userId }) => (await playerAggregates(harness.pool, userId)).purchase_count),
    );

  it('the first one wins', async () => {
    await newPlayers();
    await send(newer, event('Purchase', 'first-wins'));
    await send(older, event('Purchase', 'first-wins'));
    expect(await purchases()).toEqual([0, 1]);
  });

  it('counts once when both arrive at once', async () => {
    await newPlayers();
    await applyTogether([older, event('Purchase', 'at-once')], [newer, event('Purchase', 'at-once')]);
    const counts = (await purchases()) as number[];
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(1);
  });

  it("nobody can refund another player's purchase", async () => {
    await newPlayers();
    await send(newer, event('Purchase', 'foreign-refund'));
    await send(older, event('Refund', 'foreign-refund'));
    expect(await purchases()).toEqual([0, 1]);
  });

  it('nor block it with a refund that comes before', async () => {
    await newPlayers();
    await send(older, event('Refund', 'foreign-refund-first'));
    await send(newer, event('Purchase', 'foreign-refund-first'));
    expect(await purchases()).toEqual([0, 1]);
    await send(newer, event('Refund', 'foreign-refund-first'));
    expect(await purchases()).toEqual([0, 0]);
  });

  it('nor with one that comes at the same moment', async () => {
    await newPlayers();
    await applyTogether([older, event('Refund', 'same-moment')], [newer, event('Purchase', 'same-moment')]);
    expect(await purchases()).toEqual([0, 1]);
  });

  it("a restored purchase does not swallow the owner's refund at the same moment", async () => {
    await newPlayers();
    await send(newer, event('Purchase', 'restored'));
    await applyTogether([older, event('Purchase', 'restored')], [newer, event('Refund', 'restored')]);
    expect(await purchases()).toEqual([0, 0]);
  });
});
