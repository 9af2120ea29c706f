import type { PlayerDays } from '../../decide/predict/activity-cells.js';
import type { NonPayerTotals, PayerCell } from '../../decide/predict/training-data.js';
import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';

/**
 * What training reads: the days of the players of a sample, portion by portion, each player once for all origins. Players are counted by
 * their statistics as they arrive (`activity-cells.ts`), so no row of a player is held. The purchases of the sample are kept in
 * temporary tables, because amounts are exact numbers and PostgreSQL groups the payers by them. What a training reads does not
 * grow with a game beyond its sample. `player-statistics.ts` works out the same statistics from a player's row;
 * `predictions-end-to-end.test.ts` compares the two.
 */

/** Uses at most one core, and enough memory to group a sample without temporary files. */
export async function beginTrainingSession(connection: DedicatedConnection): Promise<void> {
  await connection.query("set statement_timeout = '10min'");
  await connection.query('set max_parallel_workers_per_gather = 0');
  await connection.query("set work_mem = '64MB'");
  // The training thread may be stopped in the middle of a statement, which must end then.
  await connection.query("set client_connection_check_interval = '5s'");
}

/** The players that a training reads. Of a large game, a share of players that is the same in every run. */
export type Sample = Readonly<{ players: number; allPlayers: number; payers: number; allPayers: number }>;

const CREATE_SAMPLE = `create temp table trained_players as
  select p.id as player_id, start_day(p.created_at, p.first_day) as first_day,
    (p.first_purchase_at at time zone 'UTC')::date as first_purchase_day
  from players p
  where p.game_id = $1 and abs(hashint8(p.id)::bigint) % greatest($2::bigint, 1) < $3`;

const CREATE_PAYER_SAMPLE = `create temp table trained_payers as
  select p.id as player_id, (p.first_purchase_at at time zone 'UTC')::date as first_purchase_day
  from players p
  where p.game_id = $1 and p.first_purchase_at is not null
    and abs(hashint8(p.id)::bigint) % greatest($2::bigint, 1) < $3`;

export async function createSample(
  connection: DedicatedConnection,
  gameId: number,
  maxPlayers: number,
): Promise<Sample> {
  const all = await countPlayers(connection, gameId);
  await connection.query('drop table if exists trained_players, trained_payers');
  const players = await connection.query(CREATE_SAMPLE, [gameId, all.players, maxPlayers]);
  await connection.query('create index on trained_players (player_id)');
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
  connection: DedicatedConnection,
  gameId: number,
): Promise<{ players: number; payers: number }> {
  const { rows } = await connection.query<{ players: number; payers: number }>(
    `select count(*)::float8 as players, count(first_purchase_at)::float8 as payers from players where game_id = $1`,
    [gameId],
  );
  return rows[0] ?? { players: 0, payers: 0 };
}

/** The currency that most payers have paid in; if several are equal, the first by name. */
export async function findMainCurrency(connection: DedicatedConnection): Promise<string | null> {
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

const PORTION = 2_000;

/** The days of each player are looked up by index, whatever the statistics of the table say (`walkByIndex`). */
const PLAYER_DAYS = `
  select b.player_id, b.first_day - date '1970-01-01', b.first_purchase_day - date '1970-01-01', e.*, s.*
  from (
    select player_id, first_day, first_purchase_day from trained_players
    where player_id > $1 and first_day <= $4 order by player_id limit ${PORTION}
  ) b
  cross join lateral (
    select count(*)::int, max(d.day) - date '1970-01-01'
    from player_days d
    where d.player_id = b.player_id and d.day <= $2 and d.purchases > 0 and b.first_purchase_day <= $2
  ) e
  cross join lateral (
    select array_agg(d.day - date '1970-01-01')::text, array_agg((d.events > 0)::int)::text, array_agg(d.sessions)::text,
      array_agg(d.play_ms)::text, array_agg(d.ad_impressions)::text, array_agg(d.store_views)::text, array_agg(d.purchases)::text
    from player_days d
    where d.player_id = b.player_id and d.day > $2 and d.day <= $3
  ) s
  order by b.player_id`;

type PlayerDaysRow = [
  playerId: string,
  firstDay: number,
  firstPurchaseDay: number | null,
  earlierPurchaseDays: number,
  lastEarlierPurchaseDay: number | null,
  ...columns: (string | null)[],
];

/** The days from `after`, which is left out, to `until`, of the players of the sample who were there on `present`. */
export type DaysRange = Readonly<{ after: string; until: string; present: string }>;

/** A portion of the players, and where the next one begins; undefined if there is none. */
export type PlayersPortion = Readonly<{ players: PlayerDays[]; next: string | undefined }>;

export async function listPlayerDays(
  connection: DedicatedConnection,
  from: string,
  { after, until, present }: DaysRange,
): Promise<PlayersPortion> {
  const { rows } = await connection.query<PlayerDaysRow>({
    rowMode: 'array',
    text: PLAYER_DAYS,
    values: [from, after, until, present],
  });
  return {
    players: rows.map(([, firstDay, firstPurchaseDay, earlierDays, lastEarlierDay, ...columns]) => {
      const column = (at: number) => numbersIn(columns[at] ?? '');
      return {
        firstDay,
        firstPurchaseDay,
        earlierPurchases: { days: earlierDays, lastDay: lastEarlierDay },
        days: column(0),
        active: column(1),
        sessions: column(2),
        playMs: column(3),
        adImpressions: column(4),
        storeViews: column(5),
        purchases: column(6),
      };
    }),
    next: rows.length === PORTION ? rows.at(-1)?.[0] : undefined,
  };
}

const ZERO = 48;
const NINE = 57;

/** The whole numbers of an array as PostgreSQL writes it: "{3,14,15}". Several times faster than the parser of `pg`, for millions of them. */
function numbersIn(text: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) number = 10 * number + code - ZERO;
    else {
      numbers.push(number);
      number = 0;
    }
  }
  return numbers;
}

/** The purchase days of the players `b`, with the revenue in the currency of the model. */
const PURCHASE_DAYS = `
  cross join lateral (
    select d.day, d.purchases, coalesce((d.revenue ->> $1::text)::numeric, 0) as amount,
      exists (select from jsonb_each_text(d.revenue) r where r.key <> $1::text and r.value::numeric <> 0) as has_others
    from player_days d
    where d.player_id = b.player_id and d.purchases > 0
  ) d
  where b.first_purchase_day is not null`;
const CREATE_PLAYER_PURCHASES = `create temp table player_purchases as
  select b.player_id, b.first_purchase_day, d.* from trained_players b ${PURCHASE_DAYS}`;
const CREATE_PAYER_PURCHASES = `create temp table payer_purchases as
  select b.player_id, b.first_purchase_day, d.* from trained_payers b ${PURCHASE_DAYS}`;

/** Keeps the purchases of the samples for the statements below. */
export async function createPurchaseTables(
  connection: DedicatedConnection,
  currency: string | null,
): Promise<void> {
  await connection.query('drop table if exists player_purchases, payer_purchases');
  await connection.query(CREATE_PLAYER_PURCHASES, [currency]);
  await connection.query(CREATE_PAYER_PURCHASES, [currency]);
  await connection.query('analyze player_purchases, payer_purchases');
}

/** `repeat`: null if the value of a purchase day is unknown, like `meanValue` in `player-statistics.ts`. */
const PAYER_CELLS = `
  select s.x, s.tx, s.t, s.repeat::float8 as repeat, count(*)::int as players,
    count(*) filter (where s.spent7)::int as spent7,
    sum(s.purchase_days28)::float8 as "purchaseDays28", sum(s.purchases28)::float8 as "purchases28",
    sum(s.revenue7)::float8 as "revenue7", sum(s.revenue28)::float8 as "revenue28", sum(s.revenue90)::float8 as "revenue90"
  from (
    select count(*) filter (where day <= $1)::int - 1 as x,
      max(day) filter (where day <= $1) - first_purchase_day as tx,
      $1::date - first_purchase_day as t,
      case when count(*) filter (where day <= $1) > 1 and $2
        and not bool_or(day <= $1 and day > first_purchase_day and has_others)
        then sum(amount) filter (where day <= $1 and day > first_purchase_day)
      end as repeat,
      bool_or(day > $1 and day <= $1::date + 7) as spent7,
      count(*) filter (where day > $1 and day <= $1::date + 28) as purchase_days28,
      coalesce(sum(purchases) filter (where day > $1 and day <= $1::date + 28), 0) as purchases28,
      coalesce(sum(amount) filter (where day > $1 and day <= $1::date + 7), 0) as revenue7,
      coalesce(sum(amount) filter (where day > $1 and day <= $1::date + 28), 0) as revenue28,
      coalesce(sum(amount) filter (where day > $1 and day <= $1::date + 90), 0) as revenue90
    from payer_purchases
    where first_purchase_day <= $1 and day <= $1::date + 90
    group by player_id, first_purchase_day
  ) s
  -- A refund since the sample was taken may have left a payer without a purchase until then.
  where s.x >= 0
  group by s.x, s.tx, s.t, s.repeat`;

type PayerRow = Omit<PayerCell, 'meanValue'> & { repeat: number | null };

/** The payers of the sample at the end of a day, and their later purchases. Without a currency, values are unknown. */
export async function listPayerCells(
  connection: DedicatedConnection,
  day: string,
  hasCurrency: boolean,
): Promise<PayerCell[]> {
  const { rows } = await connection.query<PayerRow>(PAYER_CELLS, [day, hasCurrency]);
  return rows.map(({ repeat, ...cell }) => ({
    ...cell,
    meanValue: repeat === null ? null : Math.max(0, repeat) / cell.x,
  }));
}

/** The players of the sample without a purchase by the end of a day, and their later purchases. */
export async function findNonPayerTotals(
  connection: DedicatedConnection,
  day: string,
): Promise<NonPayerTotals> {
  const { rows } = await connection.query<NonPayerTotals>(
    `select count(*)::float8 as players,
       count(*) filter (where b.first_purchase_day <= $1::date + 28)::float8 as "converted28",
       count(*) filter (where b.first_purchase_day <= $1::date + 90)::float8 as "converted90",
       coalesce(sum(s.purchases28), 0)::float8 as "purchases28",
       coalesce(sum(s.revenue28), 0)::float8 as "revenue28",
       coalesce(sum(s.revenue90), 0)::float8 as "revenue90"
     from trained_players b
     left join (
       select player_id, sum(purchases) filter (where day <= $1::date + 28) as purchases28,
         sum(amount) filter (where day <= $1::date + 28) as revenue28,
         sum(amount) as revenue90
       from player_purchases
       where day > $1 and day <= $1::date + 90
       group by player_id
     ) s on s.player_id = b.player_id
     where b.first_day <= $1 and (b.first_purchase_day is null or b.first_purchase_day > $1)`,
    [day],
  );
  return rows[0] as NonPayerTotals;
}
