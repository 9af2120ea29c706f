import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyEvents, type EventOutcome } from '../../../src/core/events/apply/apply-events.js';
import {
  ensureEventPartitions,
  listEventPartitions,
} from '../../../src/core/events/storage/event-partitions.js';
import { recountGame } from '../../../src/insight/analytics/recount.js';
import { type RetentionOptions, runRetention } from '../../../src/operations/lifecycle/retention.js';
import { updateRetentionDays } from '../../../src/platform/admin-api/tenants.js';
import { NOW } from '../../support/closed-day.js';
import { ensureDays } from '../../support/event-days.js';
import {
  adImpressionAt,
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestEvent,
  type TestPlayer,
  toRecords,
} from '../../support/game-world.js';
import { testActor } from '../../support/harness.js';
import { isWaitedFor } from '../../support/locks.js';

const ago = (days: number) => NOW - days * DAY_MS;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const tableOf = (days: number) => `event_blocks_${dayOf(ago(days)).replaceAll('-', '')}`;

describe('retention', () => {
  let world: GameWorld;
  let games = 0;
  beforeAll(async () => {
    world = await createGameWorld();
  });
  afterAll(() => world.close());
  // A run covers all games, and some games have events of future days.
  beforeEach(async () => {
    await world.pool.query('update games set retention_days = null');
    await ensureEventPartitions(world.pool, NOW);
  });

  /** A new game with a player who was created before all of its events. */
  const newGame = async (): Promise<TestPlayer> => {
    const [player] = await world.addPlayers(await world.addGame(`game-${++games}`), [ago(300)]);
    return player as TestPlayer;
  };
  const attach = (days: number) => ensureDays(world.pool, [dayOf(ago(days))]);
  /** Events received a second after they happened, or at `receivedAt`. */
  const send = async (player: TestPlayer, events: TestEvent[], receivedAt?: number) => {
    const outcomes: EventOutcome[] = [];
    for (const event of events) {
      const at = receivedAt ?? Date.parse(event.timestamp as string) + 1_000;
      outcomes.push(...(await applyEvents(world.pool, toRecords(player, [event], at))));
    }
    return outcomes;
  };
  const run = ({ nowMs = NOW, ...options }: Partial<RetentionOptions> & { nowMs?: number } = {}) =>
    runRetention(world.pool, { actor: testActor(nowMs), ...options });
  const countIn = async (table: string, gameId: number): Promise<number> => {
    const { rows } = await world.pool.query<{ n: number }>(
      'select coalesce(sum(event_count), 0)::int as n from event_blocks where game_id = $1 and tableoid = to_regclass($2)',
      [gameId, table],
    );
    return rows[0]?.n ?? 0;
  };
  const partitions = async () => (await listEventPartitions(world.pool)).map(({ name }) => name);
  /** Everything that the events of the game were counted in. */
  const counted = async ({ gameId }: TestPlayer) => {
    const { rows } = await world.pool.query(
      `select (select jsonb_agg(to_jsonb(p) order by id) from players p where game_id = $1) as players,
         (select jsonb_agg(to_jsonb(d) order by d.player_id, d.day) from player_days d join players p on p.id = d.player_id
            where p.game_id = $1) as days,
         (select jsonb_agg(to_jsonb(g) order by day, shard) from game_days g where game_id = $1) as game_days,
         (select jsonb_agg(to_jsonb(c) order by cohort_day, active_day, shard) from game_cohorts c where game_id = $1) as cohorts,
         (select jsonb_agg(to_jsonb(t) order by transaction_id) from transactions t where game_id = $1) as transactions`,
      [gameId],
    );
    return rows[0];
  };

  it('does nothing for games that keep their events', async () => {
    const player = await newGame();
    await send(player, [adImpressionAt(ago(200))]);
    expect(await run()).toEqual({ state: 'nothing', droppedPartitions: [], deletedEvents: 0 });
    expect(await countIn('event_blocks_default', player.gameId)).toBe(1);
  });

  it('deletes expired events, drops days without other events, and does not count events that are sent again', async () => {
    const [short, keeps] = [await newGame(), await newGame()];
    for (const days of [41, 42]) await attach(days);
    const old: TestEvent[] = [
      { ...adImpressionAt(ago(41), 1), eventId: 'named' },
      adImpressionAt(ago(41), 2),
      purchaseAt(ago(42), 'tx-old'),
      { ...adImpressionAt(ago(60), 3), eventId: 'named-in-default', metadata: { country: 'DE' } },
    ];
    await send(short, [...old, adImpressionAt(ago(29)), adImpressionAt(ago(1))]);
    await send(keeps, [adImpressionAt(ago(42)), { ...adImpressionAt(ago(42), 9), eventId: 'named' }]);
    await updateRetentionDays(world.pool, short.gameId, 30);
    const before = await counted(short);

    expect(await run()).toEqual({ state: 'done', droppedPartitions: [tableOf(41)], deletedEvents: 2 });
    expect(await partitions()).not.toContain(tableOf(41));
    expect(await countIn(tableOf(42), short.gameId)).toBe(0);
    expect(await countIn(tableOf(42), keeps.gameId)).toBe(2);
    const left = await world.pool.query('select from events where game_id = $1', [short.gameId]);
    expect(left.rowCount).toBe(2);

    // From another node, weeks later, with another clock: no event is new.
    for (const receivedAt of [NOW, ago(-3), ago(-80)]) {
      expect(await send(short, old, receivedAt)).toEqual(old.map(() => 'duplicate'));
    }
    expect(await counted(short)).toEqual(before);
    expect((await recountGame(world.pool, short.gameId)).differences).toEqual([]);
    expect(await run()).toMatchObject({ state: 'nothing' });
  });

  it('uses the time of receipt for events whose clock was wrong by years', async () => {
    const player = await newGame();
    await send(player, [adImpressionAt(Date.parse('2001-01-01T00:00:00Z'), 1)], ago(2));
    await send(player, [adImpressionAt(Date.parse('2001-01-01T00:00:00Z'), 2)], ago(20));
    await updateRetentionDays(world.pool, player.gameId, 10);
    expect(await run()).toMatchObject({ state: 'done', deletedEvents: 1 });
    expect((await recountGame(world.pool, player.gameId)).differences).toEqual([]);
    const later = await run({ nowMs: NOW + 9 * DAY_MS });
    expect(later.droppedPartitions).toContain(tableOf(2));
  });

  it('never moves the day back with a longer retention, and stops without one', async () => {
    const player = await newGame();
    await send(player, [adImpressionAt(ago(50)), adImpressionAt(ago(20))]);
    await updateRetentionDays(world.pool, player.gameId, 30);
    await run();
    await updateRetentionDays(world.pool, player.gameId, 90);
    await run();
    expect(await send(player, [adImpressionAt(ago(50))])).toEqual(['duplicate']);
    await updateRetentionDays(world.pool, player.gameId, null);
    expect(await run({ nowMs: NOW + 100 * DAY_MS })).toMatchObject({ state: 'nothing' });
    expect(await countIn('event_blocks_default', player.gameId)).toBe(1);
  });

  it('empties recent days, and drops them when they are old', async () => {
    const player = await newGame();
    await send(player, [adImpressionAt(ago(2))]);
    await updateRetentionDays(world.pool, player.gameId, 1);
    expect(await run()).toEqual({ state: 'done', droppedPartitions: [], deletedEvents: 1 });
    expect(await partitions()).toContain(tableOf(2));
    const later = await run({ nowMs: NOW + 3 * DAY_MS });
    expect(later.droppedPartitions).toContain(tableOf(2));
  });

  it('reports what it would delete in a dry run, and deletes nothing', async () => {
    const player = await newGame();
    await attach(45);
    await send(player, [adImpressionAt(ago(45), 1), adImpressionAt(ago(45), 2), adImpressionAt(ago(70))]);
    await updateRetentionDays(world.pool, player.gameId, 40);
    const told: string[] = [];
    const plan = await run({
      dryRun: true,
      onProgress: ({ partition, action, deletedEvents }) =>
        void told.push(`${action} ${partition} ${deletedEvents}`),
    });
    expect(told).toEqual(['delete event_blocks_default 1', `drop ${tableOf(45)} 2`]);
    expect(plan).toEqual({ state: 'done', droppedPartitions: [tableOf(45)], deletedEvents: 3 });
    expect(await countIn(tableOf(45), player.gameId)).toBe(2);
    expect(await send(player, [adImpressionAt(ago(45), 3)])).toEqual(['new']);
    expect(await run()).toEqual({ state: 'done', droppedPartitions: [tableOf(45)], deletedEvents: 1 });
  });

  describe('of many events', () => {
    let player: TestPlayer;
    const fill = async (days: number, rows: number) => {
      await attach(days);
      await world.pool.query(
        `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
         select $2, $1::timestamptz + n * interval '1 millisecond', $3, 1, $1, $1,
           jsonb_build_array(jsonb_build_array('Fill', to_char($1::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
             jsonb_build_object('filler', repeat('x', 100)), '{}'::jsonb))
         from generate_series(1, $4::int) n`,
        [new Date(ago(days)), player.playerId, player.gameId, rows],
      );
    };

    it('can be interrupted at any step, by a signal or by a lost connection, and continues', async () => {
      player = await newGame();
      const keeps = await newGame();
      await fill(50, 60_000);
      await send(keeps, [adImpressionAt(ago(50))]);
      await updateRetentionDays(world.pool, player.gameId, 40);

      const stop = new AbortController();
      const steps: number[] = [];
      const interrupted = await run({
        signal: stop.signal,
        onProgress({ partition, donePages, totalPages }) {
          if (partition !== tableOf(50)) return;
          steps.push(donePages / totalPages);
          stop.abort();
        },
      });
      expect(interrupted.state).toBe('interrupted');
      expect(steps).toHaveLength(1);
      const left = await countIn(tableOf(50), player.gameId);
      expect(left).toBe(60_000 - interrupted.deletedEvents);
      expect(left).toBeGreaterThan(20_000);

      const kill = async () => {
        await world.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and query ilike '%delete from "event_blocks_%' and pid <> pg_backend_pid()`,
        );
      };
      await expect(
        run({
          async onProgress({ partition, deletedEvents }) {
            if (partition === tableOf(50) && deletedEvents > 0) await kill();
          },
        }),
      ).rejects.toThrow();

      let again = await run();
      // The killed session may hold its lock for a moment.
      while (again.state === 'busy') again = await run();
      expect(again).toMatchObject({ state: 'done' });
      expect(await countIn(tableOf(50), player.gameId)).toBe(0);
      expect(await countIn(tableOf(50), keeps.gameId)).toBe(1);
    });

    it('runs one at a time', async () => {
      player = await newGame();
      await fill(51, 30_000);
      await updateRetentionDays(world.pool, player.gameId, 40);
      const results = await Promise.all([run(), run(), run()]);
      expect(results.map(({ state }) => state).filter((state) => state === 'done').length).toBeGreaterThan(0);
      expect(results.reduce((sum, { droppedPartitions }) => sum + droppedPartitions.length, 0)).toBe(1);
    });
  });

  describe('beside other transactions', () => {
    let other: pg.Client;
    beforeAll(async () => {
      other = new pg.Client({ connectionString: world.url });
      await other.connect();
    });
    afterAll(() => other.end());

    /** A run that reaches a table which the other transaction has locked. */
    const startRun = (table: string) => {
      let isOver = false;
      const running = run().finally(() => {
        isOver = true;
      });
      return {
        async isWaiting(meanwhile: () => Promise<unknown> = () => sleep(5)) {
          while (!isOver && !(await isWaitedFor(world.pool, table))) await meanwhile();
        },
        /** A run gives up after seconds. On a busy machine the lock may be released later, so the next run does the work. */
        async result() {
          let result = await running;
          while (result.state === 'waiting') result = await run();
          return result;
        },
      };
    };

    it('waits briefly for a day that a session reads, does not block intake meanwhile, and drops the day then', async () => {
      const player = await newGame();
      await attach(52);
      await send(player, [adImpressionAt(ago(52))]);
      await updateRetentionDays(world.pool, player.gameId, 40);
      await other.query('begin');
      await other.query(`select from ${other.escapeIdentifier(tableOf(52))}`);
      const running = startRun(tableOf(52));
      let n = 1_000;
      // None of these would return if it waited for the day, too.
      await running.isWaiting(() => send(player, [adImpressionAt(ago(1), ++n)]));
      for (let more = 0; more < 3; more++) await send(player, [adImpressionAt(ago(1), ++n)]);
      expect(await partitions()).toContain(tableOf(52));
      await other.query('commit');
      expect(await running.result()).toMatchObject({ state: 'done', droppedPartitions: [tableOf(52)] });
    });

    it('keeps a late event of another game that arrives just before the drop', async () => {
      const [player, keeps] = [await newGame(), await newGame()];
      await attach(53);
      await send(player, [adImpressionAt(ago(53))]);
      await updateRetentionDays(world.pool, player.gameId, 40);
      await other.query('begin');
      await other.query(`lock table ${other.escapeIdentifier(tableOf(53))} in row exclusive mode`);
      const running = startRun(tableOf(53));
      await running.isWaiting();
      await other.query(
        `insert into event_blocks (player_id, received_at, game_id, event_count, first_at, last_at, events)
         values ($2, $1, $3, 1, $1, $1, '[]')`,
        [new Date(ago(53)), keeps.playerId, keeps.gameId],
      );
      await running.isWaiting();
      await other.query('commit');
      expect(await running.result()).toMatchObject({
        state: 'done',
        droppedPartitions: [],
        deletedEvents: 1,
      });
      expect(await countIn(tableOf(53), keeps.gameId)).toBe(1);
    });

    it('counts nothing twice while old events are sent again and again', async () => {
      const player = await newGame();
      for (const days of [54, 55]) await attach(days);
      const old = Array.from({ length: 300 }, (_, n) => adImpressionAt(ago(54 + (n % 3)), n));
      await send(player, old);
      await attach(56);
      await updateRetentionDays(world.pool, player.gameId, 40);
      const before = await counted(player);
      let sending = true;
      const resend = async () => {
        while (sending) expect(await send(player, old.slice(0, 100), NOW)).not.toContain('new');
      };
      const senders = [resend(), resend()];
      expect(await run()).toMatchObject({ state: 'done', droppedPartitions: [tableOf(55), tableOf(54)] });
      sending = false;
      await Promise.all(senders);
      expect(await counted(player)).toEqual(before);
    });
  });
});

function purchaseAt(ms: number, transactionId: string): TestEvent {
  const payload = { transactionId, skuId: 'gems', price: '4.99', currency: 'USD' };
  return { eventType: 'Purchase', timestamp: new Date(ms).toISOString(), payload };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
