import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPACTIONS, compactRollups } from '../../../src/insight/analytics/compact-rollups.js';
import {
  type DedicatedConnection,
  walkByIndex,
  withDedicatedConnection,
} from '../../../src/platform/db/dedicated-connection.js';
import type { Pool } from '../../../src/platform/db/pool.js';
import { createGameWorld, DAY_MS, type GameWorld } from '../../support/game-world.js';

const TODAY = '2026-11-15';
const NOW = Date.parse(`${TODAY}T12:00:00Z`);
const GAMES = 50;
const TABLES = ['game_days', 'game_event_types', 'game_cohorts'] as const;

describe('adding up the shards of past days', () => {
  let world: GameWorld;
  beforeAll(async () => {
    world = await createGameWorld();
    // Statistics of empty tables, which nobody corrects while the tables grow.
    for (const table of TABLES) {
      await world.pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
      await world.pool.query(`analyze ${table}`);
    }
    // Years of days that are added up already.
    await world.pool.query(
      `insert into game_days (game_id, day, shard, events)
       select g, date '2023-01-01' + d, -1, 1 from generate_series(1, $1) g, generate_series(0, 1000) d`,
      [GAMES],
    );
    await world.pool.query(
      `insert into game_event_types (game_id, day, event_type, shard, events)
       select g, date '2023-01-01' + d, 'T', -1, 1 from generate_series(1, $1) g, generate_series(0, 1000) d`,
      [GAMES],
    );
    await world.pool.query(
      `insert into game_cohorts (game_id, cohort_day, active_day, shard, players)
       select g, date '2023-01-01', date '2023-01-01' + d, -1, 1 from generate_series(1, $1) g, generate_series(0, 1000) d`,
      [GAMES],
    );
  });
  afterAll(() => world.close());

  /** A day of every game, in several chunks for each table. */
  const addShards = async (day: string) => {
    await world.pool.query(
      `insert into game_days (game_id, day, shard, events, revenue)
       select g, $2, s, 2, '{"USD": 0.25}' from generate_series(1, $1) g, generate_series(0, 95) s`,
      [GAMES, day],
    );
    await world.pool.query(
      `insert into game_event_types (game_id, day, event_type, shard, events)
       select g, $2, 'Type ' || t, s, 2 from generate_series(1, $1) g, generate_series(0, 31) s, generate_series(1, 3) t`,
      [GAMES, day],
    );
    await world.pool.query(
      `insert into game_cohorts (game_id, cohort_day, active_day, shard, players)
       select g, date '2026-01-01' + c, $2, s, 2
       from generate_series(1, $1) g, generate_series(0, 31) s, generate_series(1, 3) c`,
      [GAMES, day],
    );
  };
  const countShards = async () => {
    const { rows } = await world.pool.query<{ n: number }>(
      `select ((select count(*) from game_days where shard >= 0) + (select count(*) from game_event_types where shard >= 0)
         + (select count(*) from game_cohorts where shard >= 0))::int as n`,
    );
    return rows[0]?.n ?? 0;
  };

  it('reads nothing but shards, whatever the statistics say', async () => {
    await addShards('2026-11-10');
    const explain = async (connection: DedicatedConnection) => {
      // As maintenance has it.
      await walkByIndex(connection);
      for (const [n, { sql, firstKey }] of COMPACTIONS.entries()) {
        const table = TABLES[n] as string;
        const { rows } = await connection.query(`explain (format json) ${sql}`, [
          '2026-11-14',
          2_000,
          ...firstKey,
        ]);
        expect(scansOf(rows[0]['QUERY PLAN'][0].Plan)).toEqual([
          `${table} by ${table}_shards`,
          `${table} by ctid`,
        ]);
      }
    };
    await withDedicatedConnection(world.pool, explain);
  });

  it('leaves one row for each day, with the sums, and today and yesterday as they are', async () => {
    await addShards('2026-11-13');
    await addShards('2026-11-14');
    await addShards(TODAY);
    const shards = await countShards();
    expect(await compactRollups(world.pool, NOW)).toBe(shards / 2);
    expect(await countShards()).toBe(shards / 2);

    const days = await world.pool.query(
      `select day::text, count(*)::int as rows, min(events)::int as events, min((revenue ->> 'USD')::float8) as usd
       from game_days where day between '2026-11-10' and '2026-11-13' group by 1 order by 1`,
    );
    const sums = { rows: GAMES, events: 192, usd: 24 };
    expect(days.rows).toEqual([
      { day: '2026-11-10', ...sums },
      { day: '2026-11-13', ...sums },
    ]);
    const types = await world.pool.query(
      `select event_type, count(*)::int as rows, min(events)::int as events
       from game_event_types where day = '2026-11-13' group by 1 order by 1`,
    );
    expect(types.rows).toEqual([1, 2, 3].map((t) => ({ event_type: `Type ${t}`, rows: GAMES, events: 64 })));
    const cohorts = await world.pool.query(
      `select count(*)::int as rows, min(players)::int as players from game_cohorts where active_day = '2026-11-13'`,
    );
    expect(cohorts.rows).toEqual([{ rows: 3 * GAMES, players: 64 }]);
  });

  it('goes on where an interrupted run has stopped', async () => {
    const before = await countShards();
    const stop = new AbortController();
    // A pool that is interrupted after each statement, as a stop of the service may do.
    const interrupting = Object.create(world.pool) as Pool;
    interrupting.query = (async (sql: string, values: unknown[]) => {
      stop.abort();
      return world.pool.query(sql, values);
    }) as Pool['query'];
    const first = await compactRollups(interrupting, NOW + DAY_MS, stop.signal);
    expect(first).toBe(2_000);
    expect(await countShards()).toBe(before - first);
    expect(await compactRollups(world.pool, NOW + DAY_MS, stop.signal)).toBe(0);
    expect(await compactRollups(world.pool, NOW + DAY_MS)).toBe(before / 2 - first);
    expect(await compactRollups(world.pool, NOW + DAY_MS)).toBe(0);
  });

  it('passes over a shard that is being written, and takes it the next time', async () => {
    await world.pool.query(
      `insert into game_days (game_id, day, shard, events) values (1, '2026-11-11', 0, 1), (1, '2026-11-11', 1, 1)`,
    );
    const writer = await world.pool.connect();
    try {
      await writer.query('begin');
      await writer.query("update game_days set events = 5 where day = '2026-11-11' and shard = 0");
      expect(await compactRollups(world.pool, NOW)).toBe(1);
      await writer.query('commit');
    } finally {
      writer.release();
    }
    expect(await compactRollups(world.pool, NOW)).toBe(1);
    const { rows } = await world.pool.query(
      "select shard, events::int from game_days where day = '2026-11-11'",
    );
    expect(rows).toEqual([{ shard: -1, events: 6 }]);
  });
});

type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Index Name'?: string; Plans?: Plan[] };

/** How stored rows are found. */
function scansOf(plan: Plan): string[] {
  const inside = (plan.Plans ?? []).flatMap(scansOf);
  const table = plan['Relation Name'];
  if (table === undefined || !/Scan$/.test(plan['Node Type'])) return inside;
  const way = plan['Node Type'] === 'Tid Scan' ? 'ctid' : (plan['Index Name'] ?? 'reading all of it');
  return [`${table} by ${way}`, ...inside];
}
