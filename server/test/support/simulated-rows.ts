import type { Pool } from '../../src/platform/db/pool.js';
import type { SimulatedPlayer } from '../decide/predict/simulated-game.js';

/** The first id of players that are written directly; the service gives none as high. */
const FIRST_ID = 1_000_000_000;
const IDS_OF_A_GAME = 1_000_000;
/** A statement takes a fraction of a second, also on a busy machine. */
const PORTION = 200;

/**
 * Writes players and their days as the fold of events would leave them, for tests that need many days or many players. `shift` is added to all
 * days. The devices are called `simulated-0`, `simulated-1` and so on.
 */
export async function insertSimulatedPlayers(
  pool: Pool,
  gameId: number,
  players: readonly SimulatedPlayer[],
  shift: number,
): Promise<void> {
  for (let from = 0; from < players.length; from += PORTION) {
    const rows = players.slice(from, from + PORTION).map((player, index) => ({
      id: FIRST_ID + gameId * IDS_OF_A_GAME + from + index,
      device: `simulated-${from + index}`,
      firstDay: player.firstDay + shift,
      active: player.activeDays.map((day) => day + shift),
      purchases: [...player.purchases].map(([day, amount]) => ({ day: day + shift, amount })),
    }));
    await pool.query(INSERT_PLAYERS, [gameId, JSON.stringify(rows)]);
    await pool.query(INSERT_DAYS, [JSON.stringify(rows)]);
  }
  await pool.query('analyze players, player_days');
}

const INSERT_PLAYERS = `
  with simulated as (
    select s.*, date '1970-01-01' + s."firstDay" as first_day, a.days as active_days, p.*
    from jsonb_to_recordset($2::jsonb) as s(id bigint, device text, "firstDay" int, active int[], purchases jsonb)
    cross join lateral (
      select range_agg(daterange(date '1970-01-01' + day, date '1970-01-01' + day + 1)) as days,
        max(day) as last_day
      from unnest(s.active) day
    ) a
    cross join lateral (
      select count(*)::int as purchase_count, min(day) as first_purchase, max(day) as last_purchase,
        coalesce(sum(amount), 0) as spend,
        coalesce(sum(amount) filter (where day > (select min(day) from jsonb_to_recordset(s.purchases) as q(day int))), 0)
          as repeat_spend,
        coalesce(range_agg(daterange(date '1970-01-01' + day, date '1970-01-01' + day + 1)), '{}') as purchase_days
      from jsonb_to_recordset(s.purchases) as q(day int, amount numeric)
    ) p
  ), known as (
    insert into devices (game_id, device_id, player_id, created_at)
    select $1, device, id, first_day from simulated
  )
  insert into players (id, game_id, user_id, created_at, first_event_at, last_event_at, event_count, active_days, first_day,
    purchase_count, first_purchase_at, last_purchase_at, spend, repeat_spend, purchase_days)
  select id, $1, gen_random_uuid(), first_day, first_day, first_day, 1, active_days, first_day, purchase_count,
    date '1970-01-01' + first_purchase, date '1970-01-01' + last_purchase,
    case when purchase_count > 0 then jsonb_build_object('USD', spend) else '{}' end,
    case when purchase_count > 0 then jsonb_build_object('USD', repeat_spend) else '{}' end, purchase_days
  from simulated`;

const INSERT_DAYS = `
  insert into player_days (player_id, day, events, sessions, play_ms, purchases, revenue)
  select s.id, date '1970-01-01' + d.day, d.events, d.events, 600000 * d.events, d.purchases,
    case when d.purchases > 0 then jsonb_build_object('USD', d.amount) else '{}' end
  from jsonb_to_recordset($1::jsonb) as s(id bigint, active int[], purchases jsonb)
  cross join lateral (
    select day, sum(events) as events, sum(purchases) as purchases, sum(amount) as amount
    from (
      select day, 1 as events, 0 as purchases, 0::numeric as amount from unnest(s.active) day
      union all
      select day, 1, 1, amount from jsonb_to_recordset(s.purchases) as q(day int, amount numeric)
    ) each
    group by day
  ) d`;
