import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../src/features/events/apply-events.js';
import {
  ensureEventPartitions,
  listEventPartitions,
} from '../../src/features/maintenance/event-partitions.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../support/game-world.js';

const NOW = Date.now();
const day = (offset: number) => new Date(NOW + offset * DAY_MS).toISOString().slice(0, 10);
const tableOf = (offset: number) => `events_${day(offset).replaceAll('-', '')}`;

describe('daily partitions', () => {
  let world: GameWorld;
  let player: TestPlayer;
  beforeAll(async () => {
    world = await createGameWorld();
    [player] = (await world.addPlayers(await world.addGame('game'), [NOW])) as [TestPlayer];
  });
  afterAll(() => world.close());

  const storedIn = async (ms: number, n: number) => {
    const [record] = toRecords(player, [adImpressionAt(ms, n)], NOW);
    const { rows } = await world.pool.query<{ table: string }>(
      'select tableoid::regclass::text as "table" from events where identity = $1',
      [record?.identity],
    );
    return rows.map(({ table }) => table);
  };
  const send = (ms: number, n: number) =>
    applyEvents(world.pool, toRecords(player, [adImpressionAt(ms, n)], NOW));

  it('reach from a week back to two weeks ahead, and have the keys of events', async () => {
    const days = (await listEventPartitions(world.pool)).map((partition) => partition.day);
    expect(days).toEqual(Array.from({ length: 22 }, (_, n) => day(n - 7)));
    const { rows } = await world.pool.query(
      `select count(*)::int as n from pg_index i join pg_inherits h on h.inhrelid = i.indexrelid
       where i.indisprimary and h.inhparent = 'events_pkey'::regclass`,
    );
    expect(rows).toEqual([{ n: 23 }]);
  });

  it('are made for the days that come', async () => {
    await ensureEventPartitions(world.pool, NOW + 2 * DAY_MS);
    expect((await listEventPartitions(world.pool)).at(-1)?.day).toBe(day(16));
    await send(NOW, 1);
    expect(await storedIn(NOW, 1)).toEqual([tableOf(0)]);
  });

  it('are made once when several nodes make them at the same time', async () => {
    await Promise.all(Array.from({ length: 4 }, () => ensureEventPartitions(world.pool, NOW + 4 * DAY_MS)));
    expect((await listEventPartitions(world.pool)).at(-1)?.day).toBe(day(18));
  });

  it('leave a day in the default partition whose events are there already, and still tell copies', async () => {
    const future = NOW + 30 * DAY_MS;
    expect(await send(future, 2)).toEqual([true]);
    await ensureEventPartitions(world.pool, NOW + 20 * DAY_MS);
    expect((await listEventPartitions(world.pool)).map((partition) => partition.day)).not.toContain(day(30));
    expect((await listEventPartitions(world.pool)).at(-1)?.day).toBe(day(34));
    expect(await send(future, 2)).toEqual([false]);
    expect(await send(NOW - 400 * DAY_MS, 3)).toEqual([true]);
    expect(await send(NOW - 400 * DAY_MS, 3)).toEqual([false]);
    expect(await storedIn(NOW - 400 * DAY_MS, 3)).toEqual(['events_default']);
  });

  it('are made beside a transaction that has stored events and stays open', async () => {
    const other = new pg.Client({ connectionString: world.url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query(
        `insert into events select now(), $1, now(), gen_random_uuid(), $2, false, 'T', '{}', '{}', null, null`,
        [player.playerId, player.gameId],
      );
      const started = Date.now();
      await ensureEventPartitions(world.pool, NOW + 21 * DAY_MS);
      expect(Date.now() - started).toBeLessThan(2_000);
      expect((await listEventPartitions(world.pool)).at(-1)?.day).toBe(day(35));
    } finally {
      await other.end();
    }
  });

  it('wait half a second only for whoever holds the default partition, and are made later; intake goes on', async () => {
    const other = new pg.Client({ connectionString: world.url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select from events_default limit 1');
      const making = ensureEventPartitions(world.pool, NOW + 22 * DAY_MS);
      const started = Date.now();
      for (let n = 0; n < 20; n++) expect(await send(NOW, 100 + n)).toEqual([true]);
      expect(Date.now() - started).toBeLessThan(1_000);
      await new Promise((resolve) => setTimeout(resolve, 700));
      await other.query('commit');
      await making;
      expect((await listEventPartitions(world.pool)).at(-1)?.day).toBe(day(36));
    } finally {
      await other.end();
    }
  });
});
