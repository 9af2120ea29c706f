import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyEvents } from '../../../../src/core/events/apply/apply-events.js';
import { findTenantId } from '../../../../src/platform/admin-api/tenants.js';
import { utcDay } from '../../../../src/platform/lib/day.js';
import { changeRates, type RatesChange } from '../../../../src/studio/money/rate-changes.js';
import {
  createGameWorld,
  DAY_MS,
  type GameWorld,
  type TestPlayer,
  toRecords,
} from '../../../support/game-world.js';
import { event, HOUR_MS, NOW, playGame, sumOn, watch } from '../breakdowns/breakdown-world.js';

let world: GameWorld;
let gameId: number;
let players: TestPlayer[];
let clock = NOW;
const later = (ms = HOUR_MS / 4) => {
  clock += ms;
  return clock;
};
const sum = () => sumOn(world.pool, { nowMs: later() });

beforeAll(async () => {
  world = await createGameWorld();
  gameId = await world.addGame('game');
  players = await playGame(world, gameId, { players: 40, seed: 11 });
  await playGame(world, await world.addGame('other'), { players: 9, seed: 12 });
});
afterAll(() => world.close());

type Row = Record<string, string | number | boolean>;

const inOrder = (rows: Row[]) =>
  rows
    .map((row) => JSON.stringify(row))
    .sort()
    .map((text) => JSON.parse(text) as Row);

/** From the stored events alone: starts, first sources, countries of the first day, purchases without those that were refunded. */
const FROM_EVENTS = `
  with stored as (
    select player_id, event_type, payload, metadata,
      case when clock_suspect or received_at < occurred_at then received_at else occurred_at end as at
    from events where game_id = $1
  ), installs as (
    select p.id as player_id, least((p.created_at at time zone 'UTC')::date,
      (select min((s.at at time zone 'UTC')::date) from stored s where s.player_id = p.id)) as started
    from players p where p.game_id = $1
  ), described as (
    select i.*,
      coalesce((select s.metadata ->> 'source' from stored s where s.player_id = i.player_id and s.metadata ? 'source'
        order by s.at, (s.metadata ->> 'source') collate "C" limit 1), '') as source,
      coalesce((select s.metadata ->> 'country' from stored s
        where s.player_id = i.player_id and s.metadata ? 'country' and (s.at at time zone 'UTC')::date <= i.started
        order by s.at desc, (s.metadata ->> 'country') collate "C" desc limit 1), '') as country
    from installs i where i.started < $2::date
  ), bought as (
    select s.player_id, (s.at at time zone 'UTC')::date as day, s.payload ->> 'currency' as currency, (s.payload ->> 'price')::numeric as price
    from stored s
    where s.event_type = 'Purchase' and (s.at at time zone 'UTC')::date < $2::date and not exists (
      select from stored r where r.player_id = s.player_id and r.event_type = 'Refund'
        and r.payload ->> 'transactionId' = s.payload ->> 'transactionId'
    )
  ), placed as (
    select d.*, t.period, date_trunc(t.period, d.started::timestamp)::date as cohort, v.dimension, v.value
    from described d cross join unnest('{week,month}'::text[]) t(period)
    cross join lateral (values ('country', d.country), ('source', d.source)) v(dimension, value)
  )`;

const expectTrue = async (rateDays: string[] = []) => {
  const today = new Date(clock).toISOString().slice(0, 10);
  const kept = await world.pool.query<Row>(
    `select dimension, period, cohort::text, value, players::int from game_install_cohorts where game_id = $1 and not is_remainder`,
    [gameId],
  );
  const counted = await world.pool.query<Row>(
    `${FROM_EVENTS} select dimension, period, cohort::text, value, count(*)::int as players from placed group by 1, 2, 3, 4`,
    [gameId, today],
  );
  expect(inOrder(kept.rows)).toEqual(inOrder(counted.rows));
  const paid = await world.pool.query<Row>(
    `select dimension, period, cohort::text, value, age::int, currency, nullif(rate_day, '-infinity')::text as rate_day,
       trim_scale(revenue)::text as revenue
     from game_install_revenue where game_id = $1 and not is_remainder`,
    [gameId],
  );
  const spent = await world.pool.query<Row>(
    `${FROM_EVENTS}
     select p.dimension, p.period, p.cohort::text, p.value, b.day - p.started as age, b.currency,
       (select max(r)::text from unnest($3::date[]) r where r <= b.day) as rate_day, trim_scale(sum(b.price))::text as revenue
     from placed p join bought b using (player_id)
     group by 1, 2, 3, 4, 5, 6, 7`,
    [gameId, today, rateDays],
  );
  expect(inOrder(paid.rows)).toEqual(inOrder(spent.rows));
  return { cohorts: kept.rows.length, cells: paid.rows.length };
};

describe('summing revenue per install', () => {
  it('gives what plain SQL over the stored events gives', async () => {
    await sum();
    const { cohorts, cells } = await expectTrue();
    expect(cohorts).toBeGreaterThan(40);
    expect(cells).toBeGreaterThan(150);
  });

  it('takes in an earlier source, an earlier start and a refund that come late', async () => {
    const [first, second] = players as [TestPlayer, TestPlayer];
    const early = event('Late', first.createdAt - 2 * DAY_MS, {}, { source: 'billboard', country: 'JP' });
    await applyEvents(world.pool, toRecords(first, [early], clock));
    const { rows } = await world.pool.query<{ source: string }>('select source from players where id = $1', [
      first.playerId,
    ]);
    expect(rows).toEqual([{ source: 'billboard' }]);
    const at = second.createdAt + HOUR_MS;
    const payload = { transactionId: 'late', skuId: 'gems', price: '0.10', currency: 'USD' };
    await applyEvents(world.pool, toRecords(second, [event('Purchase', at, payload)], clock));
    await sum();
    await expectTrue();
    await applyEvents(
      world.pool,
      toRecords(second, [event('Refund', at + HOUR_MS, { transactionId: 'late' })], clock),
    );
    await sum();
    await expectTrue();
  });

  it('sums again, apart for each rate, when exchange rates hold from other days', async () => {
    const tenantId = (await findTenantId(world.pool, 'studio')) ?? 0;
    const days = [20, 8].map((ago) => utcDay(NOW - ago * DAY_MS));
    const rates = days.map((from, index) => ({ currency: 'EUR', from, rate: '1.1', row: index + 1 }));
    const save = (change: Pick<RatesChange, 'currency' | 'rates'>) =>
      changeRates(world.pool, { tenantId }, { ...change, mode: 'replace' }, { name: 'a test', nowMs: clock });
    await save({ currency: 'USD', rates });
    await sum();
    await expectTrue(days);
    const { rows } = await world.pool.query(
      'select distinct rate_day::text as day from game_install_revenue where game_id = $1 order by 1',
      [gameId],
    );
    expect(rows).toEqual([{ day: '-infinity' }, ...days.map((day) => ({ day }))]);
    await save({ currency: null, rates: [] });
    await sum();
    await expectTrue();
  });

  it('counts nobody twice after a kill', async () => {
    await world.pool.query('delete from game_breakdown_days where game_id = $1', [gameId]);
    let chunks = 0;
    const killed = sumOn(world.pool, { nowMs: later() }, (connection) =>
      watch(connection, {
        after: async (text, query) => {
          const isChunk = text.startsWith('update breakdown_runs set last_player_id');
          if (isChunk && ++chunks === 3) await query('select pg_terminate_backend(pg_backend_pid())');
        },
      }),
    );
    await expect(killed).rejects.toThrow();
    await sum();
    await expectTrue();
    const { rows } = await world.pool.query(
      'select from install_cohort_sums union all select from install_revenue_sums',
    );
    expect(rows).toEqual([]);
  });

  it('leaves the source of players unknown who were there before sources were kept', async () => {
    const [player] = (await world.addPlayers(gameId, [clock - 3 * DAY_MS])) as [TestPlayer];
    await world.pool.query(`update players set source_at = '-infinity' where id = $1`, [player.playerId]);
    await applyEvents(world.pool, toRecords(player, [event('Play', clock, {}, { source: 'ads' })], clock));
    const { rows } = await world.pool.query('select source from players where id = $1', [player.playerId]);
    expect(rows).toEqual([{ source: null }]);
  });

  it('keeps the fifty largest values of a cohort, and all others as one', async () => {
    const crowd = await world.addGame('crowd');
    const starters = await world.addPlayers(
      crowd,
      Array.from({ length: 60 }, () => clock - 5 * DAY_MS),
    );
    for (const [n, player] of starters.entries()) {
      const at = clock - 5 * DAY_MS;
      const metadata = { source: `source ${String(n % 55).padStart(2, '0')}` };
      const purchase = { transactionId: `t${n}`, skuId: 'gems', price: '1', currency: 'USD' };
      const events = [event('Play', at, {}, metadata), event('Purchase', at, purchase)];
      await applyEvents(world.pool, toRecords(player, events, at));
    }
    await sum();
    const { rows } = await world.pool.query(
      `select is_remainder, count(*)::int as values, sum(players)::int as players,
         (select sum(revenue)::int from game_install_revenue r
          where r.game_id = $1 and r.dimension = 'source' and r.period = 'week' and r.is_remainder = c.is_remainder) as revenue
       from game_install_cohorts c where game_id = $1 and dimension = 'source' and period = 'week' group by 1 order by 1`,
      [crowd],
    );
    expect(rows).toEqual([
      { is_remainder: false, values: 50, players: 55, revenue: 55 },
      { is_remainder: true, values: 1, players: 5, revenue: 5 },
    ]);
  });
});
