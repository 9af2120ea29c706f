import type { OwnConnection } from '../../db/own-connection.js';
import type { ActivityCell, NonPayerTotals, PayerCell } from '../../personalisation/predict/training-data.js';

/**
 * What training reads. PostgreSQL groups players into cells of equal statistics, so no row of a player leaves it. The
 * statistics as of a past day come from `player_days`, which is looked up for the players of the sample only: what a training
 * reads does not grow with a game beyond that. `player-statistics.ts` works out the same from a player's row;
 * `predictions-end-to-end.test.ts` compares the two.
 */

/** Uses at most one core, and enough memory to group a sample without temporary files. */
export async function beginTrainingSession(connection: OwnConnection): Promise<void> {
  await connection.query("set statement_timeout = '10min'");
  await connection.query('set max_parallel_workers_per_gather = 0');
  await connection.query('set jit = off');
  await connection.query("set work_mem = '64MB'");
  // The training thread may be stopped in the middle of a statement, which must end then.
  await connection.query("set client_connection_check_interval = '5s'");
}

/** The players that a training reads. Of a large game, a share of players that is the same in every run. */
export type Sample = Readonly<{ players: number; allPlayers: number; payers: number; allPayers: number }>;

const CREATE_SAMPLE = `create temp table trained_players as
  select p.id as player_id, least(p.first_day, (p.created_at at time zone 'UTC')::date) as first_day,
    (p.first_purchase_at at time zone 'UTC')::date as first_purchase_day
  from players p
  where p.game_id = $1 and abs(hashint8(p.id)::bigint) % greatest($2::bigint, 1) < $3`;

const CREATE_PAYER_SAMPLE = `create temp table trained_payers as
  select p.id as player_id, (p.first_purchase_at at time zone 'UTC')::date as first_purchase_day
  from players p
  where p.game_id = $1 and p.first_purchase_at is not null
    and abs(hashint8(p.id)::bigint) % greatest($2::bigint, 1) < $3`;

export async function createSample(
  connection: OwnConnection,
  gameId: number,
  maxPlayers: number,
): Promise<Sample> {
  const all = await countPlayers(connection, gameId);
  await connection.query('drop table if exists trained_players, trained_payers');
  const players = await connection.query(CREATE_SAMPLE, [gameId, all.players, maxPlayers]);
  const payers = await connection.query(CREATE_PAYER_SAMPLE, [gameId, all.payers, maxPlayers]);
  await connection.query('analyze trained_players, trained_payers');
  return {
    players: players.rowCount ?? 0,
    allPlayers: all.players,
    payers: payers.rowCount ?? 0,
    allPayers: all.payers,
  };
}

async function countPlayers(
  connection: OwnConnection,
  gameId: number,
): Promise<{ players: number; payers: number }> {
  const { rows } = await connection.query<{ players: number; payers: number }>(
    `select count(*)::float8 as players, count(first_purchase_at)::float8 as payers from players where game_id = $1`,
    [gameId],
  );
  return rows[0] ?? { players: 0, payers: 0 };
}

/** The currency that most payers have paid in; if several are equal, the first by name. */
export async function findMainCurrency(connection: OwnConnection): Promise<string | null> {
  const { rows } = await connection.query<{ currency: string }>(
    `select s.key as currency
     from trained_payers t
     join players p on p.id = t.player_id
     cross join lateral jsonb_each_text(p.spend) s
     where s.value::numeric > 0
     group by s.key
     order by count(*) desc, s.key collate "C"
     limit 1`,
  );
  return rows[0]?.currency ?? null;
}

/** The thresholds of `levelOf`, which a test compares. */
const LEVELS = "'{1,2,4,8,16,32,64,128,256,512}'::bigint[]";

/** The days of each player are looked up by index, whatever the statistics of the table say. */
const ACTIVITY_CELLS = `
  select $1::date - b.start_day, s.x, greatest(0, s.last_day - b.start_day), s.active7, s.active28,
    width_bucket(s.sessions7, ${LEVELS}), width_bucket(s.minutes7, ${LEVELS}), width_bucket(s.ads7, ${LEVELS}),
    width_bucket(s.views7, ${LEVELS}), width_bucket(s.purchases28, ${LEVELS}),
    coalesce(b.first_purchase_day <= $1, false),
    count(*)::int, count(*) filter (where s.returned7)::int, count(*) filter (where s.spent7)::int
  from (
    select player_id, first_purchase_day, greatest(first_day, $1::date - 180) as start_day
    from trained_players where first_day <= $1
  ) b
  cross join lateral (
    select
      count(*) filter (where d.events > 0 and d.day > b.start_day and d.day <= $1)::int as x,
      max(d.day) filter (where d.events > 0 and d.day <= $1) as last_day,
      count(*) filter (where d.events > 0 and d.day > $1::date - 7 and d.day <= $1)::int as active7,
      count(*) filter (where d.events > 0 and d.day > $1::date - 28 and d.day <= $1)::int as active28,
      sum(d.sessions) filter (where d.day > $1::date - 7 and d.day <= $1) as sessions7,
      div(sum(d.play_ms) filter (where d.day > $1::date - 7 and d.day <= $1), 60000)::bigint as minutes7,
      sum(d.ad_impressions) filter (where d.day > $1::date - 7 and d.day <= $1) as ads7,
      sum(d.store_views) filter (where d.day > $1::date - 7 and d.day <= $1) as views7,
      sum(d.purchases) filter (where d.day > $1::date - 28 and d.day <= $1) as purchases28,
      bool_or(d.events > 0 and d.day > $1) as returned7,
      bool_or(d.purchases > 0 and d.day > $1) as spent7
    from player_days d
    where d.player_id = b.player_id and d.day > $1::date - 180 and d.day <= $1::date + 7
  ) s
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11`;

/** The players of the sample at the end of a day, and their activity in the 7 days after it. */
export async function listActivityCells(connection: OwnConnection, day: string): Promise<ActivityCell[]> {
  const { rows } = await connection.query<unknown[]>({
    rowMode: 'array',
    text: ACTIVITY_CELLS,
    values: [day],
  });
  return rows.map((row) => {
    const at = (index: number) => (row[index] as number | null) ?? 0;
    return {
      n: at(0),
      x: at(1),
      tx: at(2),
      active7: at(3),
      active28: at(4),
      sessions7: at(5),
      playMinutes7: at(6),
      adImpressions7: at(7),
      storeViews7: at(8),
      purchases28: at(9),
      isPayer: row[10] === true,
      players: at(11),
      returned7: at(12),
      spent7: at(13),
    };
  });
}

/** The revenue of a day in the currency of the model. */
const AMOUNT = `coalesce((d.revenue ->> $2)::numeric, 0)`;

/** `repeat`: null if the value of a purchase day is unknown, like `meanValue` in `player-statistics.ts`. */
const PAYER_CELLS = `
  select s.x, s.tx, s.t, s.repeat::float8 as repeat, count(*)::int as players,
    count(*) filter (where s.spent7)::int as spent7,
    sum(s.purchase_days28)::float8 as "purchaseDays28", sum(s.purchases28)::float8 as "purchases28",
    sum(s.revenue28)::float8 as "revenue28", sum(s.revenue90)::float8 as "revenue90"
  from trained_payers b
  cross join lateral (
    select count(*) filter (where d.day <= $1)::int - 1 as x,
      max(d.day) filter (where d.day <= $1) - b.first_purchase_day as tx,
      $1::date - b.first_purchase_day as t,
      case when count(*) filter (where d.day <= $1) > 1 and $2::text is not null
        and not bool_or(d.day <= $1 and d.day > b.first_purchase_day and d.has_others)
        then sum(d.amount) filter (where d.day <= $1 and d.day > b.first_purchase_day)
      end as repeat,
      bool_or(d.day > $1 and d.day <= $1::date + 7) as spent7,
      count(*) filter (where d.day > $1 and d.day <= $1::date + 28) as purchase_days28,
      coalesce(sum(d.purchases) filter (where d.day > $1 and d.day <= $1::date + 28), 0) as purchases28,
      coalesce(sum(d.amount) filter (where d.day > $1 and d.day <= $1::date + 28), 0) as revenue28,
      coalesce(sum(d.amount) filter (where d.day > $1 and d.day <= $1::date + 90), 0) as revenue90
    from (
      select d.day, d.purchases, ${AMOUNT} as amount,
        exists (select from jsonb_each_text(d.revenue) r where r.key <> $2 and r.value::numeric <> 0) as has_others
      from player_days d
      where d.player_id = b.player_id and d.purchases > 0 and d.day <= $1::date + 90
    ) d
  ) s
  -- A refund since the sample was taken may have left a payer without a purchase.
  where b.first_purchase_day <= $1 and s.x >= 0
  group by s.x, s.tx, s.t, s.repeat`;

type PayerRow = Omit<PayerCell, 'meanValue'> & { repeat: number | null };

/** The payers of the sample at the end of a day, and their later purchases. */
export async function listPayerCells(
  connection: OwnConnection,
  day: string,
  currency: string | null,
): Promise<PayerCell[]> {
  const { rows } = await connection.query<PayerRow>(PAYER_CELLS, [day, currency]);
  return rows.map(({ repeat, ...cell }) => ({
    ...cell,
    meanValue: repeat === null ? null : Math.max(0, repeat) / cell.x,
  }));
}

/** The players of the sample without a purchase by the end of a day, and their later purchases. */
export async function findNonPayerTotals(
  connection: OwnConnection,
  day: string,
  currency: string | null,
): Promise<NonPayerTotals> {
  const { rows } = await connection.query<NonPayerTotals>(
    `select count(*)::float8 as players,
       count(*) filter (where b.first_purchase_day <= $1::date + 28)::float8 as "converted28",
       count(*) filter (where b.first_purchase_day <= $1::date + 90)::float8 as "converted90",
       coalesce(sum(s.purchases28), 0)::float8 as "purchases28",
       coalesce(sum(s.revenue28), 0)::float8 as "revenue28",
       coalesce(sum(s.revenue90), 0)::float8 as "revenue90"
     from trained_players b
     left join lateral (
       select sum(d.purchases) filter (where d.day <= $1::date + 28) as purchases28,
         sum(${AMOUNT}) filter (where d.day <= $1::date + 28) as revenue28,
         sum(${AMOUNT}) as revenue90
       from player_days d
       where b.first_purchase_day is not null and d.player_id = b.player_id and d.purchases > 0
         and d.day > $1 and d.day <= $1::date + 90
     ) s on true
     where b.first_day <= $1 and (b.first_purchase_day is null or b.first_purchase_day > $1)`,
    [day, currency],
  );
  return rows[0] as NonPayerTotals;
}
