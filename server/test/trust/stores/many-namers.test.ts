import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyEvents, applyEventsWithin } from '../../../src/core/events/apply/apply-events.js';
import { type Pool, transaction } from '../../../src/platform/db/pool.js';
import type { ApiError } from '../../../src/platform/errors.js';
import { applyNotification } from '../../../src/trust/stores/apply-notification.js';
import { createGameWorld, type GameWorld, type TestPlayer, toRecords } from '../../support/game-world.js';
import { findWaiting } from '../../support/locks.js';
import { expectPurchaseSums } from '../../support/purchase-sums.js';
import { NO_HASHES, notify, type Said, tell } from '../../support/refunded-game.js';

const NOW = Date.parse('2026-11-18T12:00:00Z');
/** A busy machine takes its time. */
const ASKED = { timeout: 60_000, interval: 20 };
/** More than one transaction reaches. */
const MANY = 120;

describe('a refund of a transaction that many players name', () => {
  let world: GameWorld;
  let gameId: number;
  let puppets: TestPlayer[];
  /** Newer than all puppets. */
  let buyer: TestPlayer;
  let transactions = 0;
  beforeAll(async () => {
    world = await createGameWorld();
    gameId = await world.addGame('named');
    puppets = await world.addPlayers(gameId, Array(MANY).fill(NOW));
    [buyer] = (await world.addPlayers(gameId, [NOW])) as [TestPlayer];
  });
  afterAll(() => world.close());

  const newTransaction = () => `t-${++transactions}`;
  const nameAll = async (said: Exclude<Said, 'claim'>, transactionId: string) => {
    const payload = { transactionId, ...(said === 'refund' ? {} : { price: 1, currency: 'USD' }) };
    const eventType = said === 'refund' ? 'Refund' : 'Purchase';
    const event = { eventType, timestamp: new Date(NOW).toISOString(), payload };
    await applyEvents(
      world.pool,
      puppets.flatMap((puppet) => toRecords(puppet, [event], NOW)),
    );
  };
  const refund = (transactionId: string, signedAtMs = NOW + 60_000, share = '1') =>
    notify(world, gameId, { transactionId, share, signedAtMs }, signedAtMs);
  /** For how many players the transaction counts, and whether it does for the buyer. */
  const countOf = async (transactionId: string) => {
    const { rows } = await world.pool.query(
      `select count(*)::int as n, coalesce(bool_or(player_id = $2), false) as "isBuyer" from transactions
       where game_id = $1 and transaction_id = $3 and purchased_at is not null and refunded_at is null`,
      [gameId, buyer.playerId, transactionId],
    );
    return rows[0];
  };
  /** Ends the connection to the database after some transactions, as a crash does. */
  const crashAfter = (transactionsLeft: number): Pool => {
    let left = transactionsLeft;
    const connect = async () => {
      if (left-- <= 0) throw new Error('crashed');
      return world.pool.connect();
    };
    return { connect } as unknown as Pool;
  };
  const refundOn = (pool: Pool, transactionId: string, signedAtMs = NOW + 60_000) =>
    applyNotification(
      pool,
      NO_HASHES,
      {
        gameId,
        store: 'apple',
        notificationId: `crashed ${transactionId}`,
        type: 'REFUND',
        signedAtMs,
        refund: { transactionId, share: '1', atMs: signedAtMs },
      },
      signedAtMs,
    );

  it.each<[string, Exclude<Said, 'claim'>]>([
    ['claim to have given it back', 'refund'],
    ['claim to have bought it', 'purchase'],
  ])('reaches the one who proved it where older players %s', async (_, said) => {
    const transactionId = newTransaction();
    await nameAll(said, transactionId);
    await tell(world, buyer, 'claim', transactionId, NOW + 1_000);
    expect(await countOf(transactionId)).toEqual({ n: said === 'refund' ? 1 : MANY + 1, isBuyer: true });
    expect(await refund(transactionId)).toBe('applied');
    expect(await countOf(transactionId)).toEqual({ n: 0, isBuyer: false });
    expect(await refund(transactionId, NOW + 120_000, '0')).toBe('applied');
    expect((await countOf(transactionId)).isBuyer).toBe(true);
    await expectPurchaseSums(world.pool, gameId);
  });

  it('reaches the one who proves it later', async () => {
    const transactionId = newTransaction();
    await nameAll('refund', transactionId);
    await refund(transactionId);
    await tell(world, buyer, 'claim', transactionId, NOW + 61_000);
    expect(await countOf(transactionId)).toEqual({ n: 0, isBuyer: false });
  });

  it('reaches the one to whom the purchase has moved, and nobody who lost it', async () => {
    const transactionId = newTransaction();
    await nameAll('purchase', transactionId);
    const [first] = puppets as [TestPlayer];
    await tell(world, first, 'claim', transactionId, NOW + 1_000);
    await tell(world, buyer, 'claim', transactionId, NOW + 2_000);
    await refund(transactionId);
    expect(await countOf(transactionId)).toEqual({ n: 0, isBuyer: false });
    const { rows } = await world.pool.query(
      `select player_id as id from transaction_changes where transaction_id = $1 and kind = 'notice' and player_id = any($2)`,
      [transactionId, [first.playerId, buyer.playerId]],
    );
    expect(rows).toEqual([{ id: buyer.playerId }]);
    await expectPurchaseSums(world.pool, gameId);
  });

  it('reaches a purchase without proof that arrives after it', async () => {
    const transactionId = newTransaction();
    await refund(transactionId);
    await tell(world, buyer, 'purchase', transactionId, NOW + 61_000);
    expect(await countOf(transactionId)).toEqual({ n: 0, isBuyer: false });
    await refund(transactionId, NOW + 120_000, '0');
    expect(await countOf(transactionId)).toEqual({ n: 1, isBuyer: true });
    await expectPurchaseSums(world.pool, gameId);
  });

  it('reaches a purchase without proof that is being applied at the same moment', async () => {
    const transactionId = newTransaction();
    const payload = { transactionId, price: 1, currency: 'USD' };
    const event = { eventType: 'Purchase', timestamp: new Date(NOW).toISOString(), payload };
    let told: Promise<unknown> | undefined;
    await transaction(world.pool, async (client) => {
      await applyEventsWithin(client, toRecords(buyer, [event], NOW), NO_HASHES);
      told = refund(transactionId);
      const isWaiting = vi.waitUntil(() => findWaiting(world.pool, 'select pg_advisory_xact_lock('), ASKED);
      await Promise.race([told, isWaiting]);
    });
    expect(await told).toBe('applied');
    expect(await countOf(transactionId)).toEqual({ n: 0, isBuyer: false });
    await expectPurchaseSums(world.pool, gameId);
  });

  it('reaches all in the end when the service crashes after the first transaction', async () => {
    const transactionId = newTransaction();
    await nameAll('purchase', transactionId);
    await tell(world, buyer, 'claim', transactionId, NOW + 1_000);
    await expect(refundOn(crashAfter(1), transactionId)).rejects.toThrow('crashed');
    expect(await countOf(transactionId)).toEqual({ n: MANY - 100, isBuyer: false });
    // The store has had no answer, and sends it again. Another time in it changes nothing.
    expect(await refundOn(world.pool, transactionId, NOW + 90_000)).toBe('duplicate');
    expect(await countOf(transactionId)).toEqual({ n: 0, isBuyer: false });
    const { rows } = await world.pool.query(
      'select distinct refunded_at as at from transactions where transaction_id = $1',
      [transactionId],
    );
    expect(rows).toEqual([{ at: NOW + 60_000 }]);
    await expectPurchaseSums(world.pool, gameId);
  });

  it('counts once when it comes several times at once', async () => {
    const transactionId = newTransaction();
    await nameAll('purchase', transactionId);
    await tell(world, buyer, 'claim', transactionId, NOW + 1_000);
    const results = await Promise.allSettled([1, 2, 3].map(() => refundOn(world.pool, transactionId)));
    const outcomes = results.map((result) =>
      result.status === 'fulfilled' ? result.value : (result.reason as ApiError).code,
    );
    expect(outcomes.filter((outcome) => outcome === 'applied')).toHaveLength(1);
    // The others find that it is known, or that others are at it: then the store sends it once more.
    for (const outcome of outcomes) expect(['applied', 'duplicate', 'unavailable']).toContain(outcome);
    expect(await refundOn(world.pool, transactionId)).toBe('duplicate');
    expect(await countOf(transactionId)).toEqual({ n: 0, isBuyer: false });
    await expectPurchaseSums(world.pool, gameId);
  });

  it('changes nothing in another game that has the same id', async () => {
    const otherId = await world.addGame('other');
    const [other] = (await world.addPlayers(otherId, [NOW])) as [TestPlayer];
    const transactionId = newTransaction();
    await tell(world, buyer, 'claim', transactionId, NOW);
    await tell(world, other, 'claim', transactionId, NOW);
    await notify(world, otherId, { transactionId, share: '1', signedAtMs: NOW + 1 }, NOW + 1);
    expect(await countOf(transactionId)).toEqual({ n: 1, isBuyer: true });
    const { rows } = await world.pool.query('select purchase_count as n from players where id = $1', [
      other.playerId,
    ]);
    expect(rows).toEqual([{ n: 0 }]);
  });
});
