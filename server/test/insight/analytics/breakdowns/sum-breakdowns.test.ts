import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import { updateRetentionDays } from '../../../../src/platform/admin-api/tenants.js';
import {
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../../support/game-world.js';
import { dayOf, event, HOUR_MS, NOW, playGame, sumOn, watch } from './breakdown-world.js';
import { breakDownPlayers, breakDownPurchases, countActivePlayers, listKept } from './plain-sql.js';

const TODAY = dayOf(NOW);
const FIRST = dayOf(NOW - 60 * DAY_MS);

let world: GameWorld;
let gameId: number;
let otherGameId: number;
let players: TestPlayer[];
/** Each run comes a while after the one before: a game that has just been summed is left alone. */
let clock = NOW;
const later = (ms = HOUR_MS / 4) => {
  clock += ms;
  return clock;
};
const sum = () => sumOn(world.pool, { nowMs: later() });

beforeAll(async () => {
  world = await createGameWorld();
  gameId = await world.addGame('game');
  otherGameId = await world.addGame('other');
  players = await playGame(world, gameId, { players: 40, seed: 7 });
  await playGame(world, otherGameId, { players: 12, seed: 8 });
});
afterAll(() => world.close());

const activePlayers = async (id = gameId) => {
  const { rows } = await world.pool.query(
    'select day::text, weekly::int, monthly::int, weekly_payers::int, monthly_payers::int from game_active_players where game_id = $1 and day >= $2 order by day',
    [id, FIRST],
  );
  return rows;
};

/** All that is kept of a game is what plain SQL counts. */
const expectTrue = async (id = gameId) => {
  const counted = await countActivePlayers(world.pool, id, FIRST, dayOf(clock));
  expect(await activePlayers(id)).toEqual(counted.filter(({ monthly }) => monthly > 0));
  for (const dimension of ['country', 'platform', 'build'] as const) {
    const kept = await listKept(world.pool, id, dimension);
    expect(kept.players, dimension).toEqual(await breakDownPlayers(world.pool, id, dimension));
  }
  for (const dimension of ['sku', 'promotion'] as const) {
    const kept = await listKept(world.pool, id, dimension);
    expect(kept.purchases, dimension).toEqual(await breakDownPurchases(world.pool, id, dimension));
  }
};

/** Who comes for the first time today. */
const addPlayer = async (id: number) => {
  const [player] = (await world.addPlayers(id, [clock])) as [TestPlayer];
  await applyEvents(world.pool, toRecords(player, [event('Play', clock)], clock));
};

const isChunk = (text: string) => text.startsWith('update breakdown_runs set last_player_id');

describe('summing what players did', () => {
  it('gives the numbers that plain SQL over the stored events gives, for each game its own', async () => {
    // 31 days per run, the newest first. What is older follows at once, after the other game.
    const begun: unknown[] = [];
    const summed = await sumOn(world.pool, { nowMs: later() }, (connection) =>
      watch(connection, {
        before: (text, _query, values) => {
          if (text.startsWith('insert into breakdown_runs')) begun.push((values as unknown[])[0]);
        },
      }),
    );
    expect(begun).toEqual([gameId, otherGameId, gameId, otherGameId].slice(0, begun.length));
    expect(begun.length).toBeGreaterThan(2);
    expect(summed.daysSummed).toBeGreaterThan(2 * 31);
    expect(await sum()).toEqual({ isDone: true, daysSummed: 0, rowsDeleted: 0 });
    await expectTrue(gameId);
    await expectTrue(otherGameId);
    expect((await listKept(world.pool, gameId, 'country')).players.length).toBeGreaterThan(60);
  });

  it('does nothing while nothing changes', async () => {
    expect(await sum()).toEqual({ isDone: true, daysSummed: 0, rowsDeleted: 0 });
  });

  it('goes on without a pause while days lack much, as after an import, and counts all of it as one run', async () => {
    const setTotal = (name: string) =>
      world.pool.query(
        `update game_breakdown_days set totals = jsonb_set(totals, array[$2::text], '0') where game_id = $1`,
        [gameId, name],
      );
    const { rows } = await world.pool.query<{ n: number }>(
      'select count(*)::int as n from game_breakdown_days where game_id = $1',
      [gameId],
    );
    const days = rows[0]?.n ?? 0;
    // A few late events: the older days wait for the next time.
    await setTotal('events');
    expect(await sum()).toMatchObject({ daysSummed: 31 });
    expect(await sum()).toMatchObject({ daysSummed: days - 31 });
    await setTotal('active');
    let ended = 0;
    const summed = await sumOn(world.pool, { nowMs: later() }, (connection) =>
      watch(connection, {
        after: async (text, query) => {
          if (!text.startsWith('update breakdown_runs set totals = null')) return;
          ended++;
          await query('update breakdown_runs set spent_ms = spent_ms + 1000');
        },
      }),
    );
    expect(summed).toMatchObject({ isDone: true, daysSummed: days });
    expect(ended).toBe(2);
    const spent = await world.pool.query(
      'select spent_ms >= 2000 as both from breakdown_runs where game_id = $1',
      [gameId],
    );
    expect(spent.rows).toEqual([{ both: true }]);
    await expectTrue();
  });

  it('sums a past day again after a late event, and only that one', async () => {
    const [player] = players as [TestPlayer];
    await applyEvents(world.pool, toRecords(player, [event('Late', player.createdAt + 2 * DAY_MS)], clock));
    expect(await sum()).toMatchObject({ daysSummed: 1 });
    await expectTrue();
  });

  it('sums the day that a player starts on by now, and the day that the player started on before', async () => {
    const [, player] = players as [TestPlayer, TestPlayer];
    const late = event('Late', player.createdAt - 3 * DAY_MS, {}, { clientBuild: '0.9' });
    await applyEvents(world.pool, toRecords(player, [late], clock));
    expect(await sum()).toMatchObject({ daysSummed: 2 });
    await expectTrue();
  });

  it('takes a refund off the day of its purchase', async () => {
    const { rows } = await world.pool.query<{ playerId: string; transactionId: string; day: string }>(
      `select player_id as "playerId", transaction_id as "transactionId", (purchased_at at time zone 'UTC')::date::text as day
       from transactions where game_id = $1 and refunded_at is null and purchased_at is not null order by purchased_at limit 1`,
      [gameId],
    );
    const [bought] = rows as [(typeof rows)[0]];
    const player = players.find(({ playerId }) => playerId === bought.playerId) as TestPlayer;
    const purchasesOf = async () => {
      const { purchases } = await listKept(world.pool, gameId, 'sku');
      return purchases
        .filter(({ day }) => day === bought.day)
        .reduce((n, row) => n + Number(row.purchases), 0);
    };
    const before = await purchasesOf();
    const refund = event('Refund', clock, { transactionId: bought.transactionId });
    await applyEvents(world.pool, toRecords(player, [refund], clock));
    await sum();
    expect(await purchasesOf()).toBe(before - 1);
    await expectTrue();
  });

  it('goes on after a kill where it was, and comes to the same numbers', async () => {
    await world.pool.query('delete from game_breakdown_days where game_id = $1', [gameId]);
    await world.pool.query('delete from game_breakdowns where game_id = $1', [gameId]);
    let chunks = 0;
    const killed = sumOn(world.pool, { nowMs: later() }, (connection) =>
      watch(connection, {
        after: async (text, query) => {
          if (isChunk(text) && ++chunks === 3) await query('select pg_terminate_backend(pg_backend_pid())');
        },
      }),
    );
    await expect(killed).rejects.toThrow();
    const work = await world.pool.query(
      'select last_player_id::int as "lastPlayerId", totals is not null as "isUnderWay" from breakdown_runs where game_id = $1',
      [gameId],
    );
    // The third chunk of seven players was lost with its transaction.
    const ids = players.map(({ playerId }) => Number(playerId)).sort((a, b) => a - b);
    expect(work.rows).toEqual([{ lastPlayerId: ids[13], isUnderWay: true }]);
    expect((await listKept(world.pool, gameId, 'country')).players).toEqual([]);
    for (let days = 1; days > 0; ) days = (await sum()).daysSummed;
    await expectTrue();
  });

  it('stops between two chunks when its time is over', async () => {
    await addPlayer(gameId);
    const stop = new AbortController();
    const options = { nowMs: later(), signal: stop.signal };
    const stopped = await sumOn(world.pool, options, (connection) =>
      watch(connection, { before: (text) => isChunk(text) && stop.abort() }),
    );
    expect(stopped).toMatchObject({ isDone: false, daysSummed: 0 });
    expect(await sum()).toMatchObject({ isDone: true, daysSummed: 1 });
    await expectTrue();
  });

  it('sums the other games where one cannot be summed, and says that it failed', async () => {
    await addPlayer(gameId);
    await addPlayer(otherGameId);
    const failed = sumOn(world.pool, { nowMs: later() }, (connection) =>
      watch(connection, {
        before: (text, query) => text.startsWith('delete from breakdown_sums') && breakOnce(query),
      }),
    );
    let broken = 0;
    const breakOnce = async (query: (text: string) => Promise<unknown>) => {
      if (++broken === 1) await query('select nothing from nowhere');
    };
    await expect(failed).rejects.toThrow('nowhere');
    const { rows } = await world.pool.query(
      'select count(*)::int as n from breakdown_runs where totals is null and ended_at = to_timestamp($1 / 1000.0)',
      [clock],
    );
    expect(rows).toEqual([{ n: 1 }]);
    expect(await sum()).toMatchObject({ isDone: true, daysSummed: 1 });
    await expectTrue(gameId);
    await expectTrue(otherGameId);
  });

  it('tells of a day on which nobody has come yet, and who has not come back on days that are over', async () => {
    const summedOn = async () => {
      const { rows } = await world.pool.query(
        `select (summed_at at time zone 'UTC')::date::text as day from game_breakdown_days where game_id = $1 and day = $2`,
        [gameId, TODAY],
      );
      return rows[0]?.day;
    };
    expect(await summedOn()).toBe(TODAY);
    clock = NOW + 2 * DAY_MS;
    for (let days = 1; days > 0; ) days = (await sum()).daysSummed;
    const [last] = (await activePlayers()).slice(-1);
    expect([last]).toEqual(await countActivePlayers(world.pool, gameId, dayOf(clock), dayOf(clock)));
    expect(last?.weekly).toBeGreaterThan(0);
    // Tomorrow of that day is over: nobody came.
    expect(await summedOn()).toBe(dayOf(clock));
    await expectTrue();
  });

  it('leaves a game alone for twenty times as long as its last run took', async () => {
    await world.pool.query('update breakdown_runs set spent_ms = $2 where game_id = $1', [
      gameId,
      HOUR_MS / 10,
    ]);
    const [player] = players as [TestPlayer];
    await applyEvents(world.pool, toRecords(player, [event('Now', clock)], clock));
    expect(await sumOn(world.pool, { nowMs: later(HOUR_MS) })).toMatchObject({ daysSummed: 0 });
    expect(await sumOn(world.pool, { nowMs: later(HOUR_MS + 1) })).toMatchObject({ daysSummed: 1 });
  });
});

describe('values that clients invent', () => {
  it('are kept apart up to a number, and all others are one row', async () => {
    const hostileGame = await world.addGame('hostile');
    const crowd = await world.addPlayers(
      hostileGame,
      Array.from({ length: 1_200 }, () => NOW),
    );
    const events = crowd.flatMap((player, n) =>
      // The first ten play the real build.
      toRecords(player, [event('Play', NOW, {}, { clientBuild: n < 10 ? '2.0' : `junk ${n}` })], NOW),
    );
    await applyEvents(world.pool, events);
    let most = 0;
    await sumOn(world.pool, { nowMs: later(HOUR_MS), playersPerChunk: 100 }, (connection) =>
      watch(connection, {
        before: async (text, query) => {
          if (!text.startsWith('delete from game_breakdowns')) return;
          const { rows } = await query(
            "select count(*)::int as n from breakdown_sums where game_id = $1 and dimension = 'build'",
            [hostileGame],
          );
          most = Math.max(most, Number(rows[0]?.n));
        },
      }),
    );
    expect(most).toBe(1_001);
    const { rows } = await world.pool.query(
      `select is_remainder as "isRemainder", value, active_players::int as active from game_breakdowns
       where game_id = $1 and dimension = 'build' and day = $2 order by active_players desc, is_remainder, value`,
      [hostileGame, TODAY],
    );
    expect(rows).toHaveLength(51);
    expect(rows[0]).toEqual({ isRemainder: true, value: '', active: 1_200 - 10 - 49 });
    expect(rows[1]).toEqual({ isRemainder: false, value: '2.0', active: 10 });
    const { rows: left } = await world.pool.query('select from breakdown_sums');
    expect(left).toEqual([]);
  });

  it('are cut where they are longer than an index can hold', async () => {
    const gameOfLongIds = await world.addGame('long-ids');
    const [player] = await world.addPlayers(gameOfLongIds, [NOW]);
    if (player === undefined) throw new Error('no player');
    // What cannot be compressed.
    const skuId = Array.from({ length: 6_000 }, (_, n) =>
      String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000)),
    ).join('');
    const bought = { transactionId: 't1', skuId, price: 1, currency: 'USD' };
    await applyEvents(world.pool, toRecords(player, [event('Purchase', NOW, bought)], NOW));
    await sumOn(world.pool, { nowMs: later(HOUR_MS) });
    const { rows } = await world.pool.query(
      "select value, purchases::int from game_breakdowns where game_id = $1 and dimension = 'sku' and not is_remainder",
      [gameOfLongIds],
    );
    expect(rows).toEqual([{ value: skuId.slice(0, 128), purchases: 1 }]);
  });
});

describe('retention', () => {
  it('deletes the breakdown of days whose events are past it, and sums them no more', async () => {
    await updateRetentionDays(world.pool, otherGameId, 10);
    const [before] = (await listKept(world.pool, otherGameId, 'country')).players;
    const oldest = dayOf(clock - 10 * DAY_MS);
    expect(before?.day && String(before.day) < oldest).toBe(true);
    const { rowsDeleted } = await sumOn(world.pool, { nowMs: later(HOUR_MS) });
    expect(rowsDeleted).toBeGreaterThan(0);
    const [first] = (await listKept(world.pool, otherGameId, 'country')).players;
    expect(first?.day && String(first.day) >= oldest).toBe(true);
    expect(await sumOn(world.pool, { nowMs: later(HOUR_MS) })).toMatchObject({
      daysSummed: 0,
      rowsDeleted: 0,
    });
    // The numbers of the game as a whole stay, as all roll-ups do.
    expect((await activePlayers(otherGameId))[0].day < oldest).toBe(true);
  });
});
