import type { DedicatedConnection } from '../../db/dedicated-connection.js';
import type { ExaminedPlayer } from './examined-player.js';

/** From the start of a day to the start of another, as epoch milliseconds. */
export type DaySpan = Readonly<{ fromMs: number; toMs: number }>;

export type Sample = Readonly<{ players: number; playerIds: readonly string[] }>;

/**
 * The players who were here since the first day, and some of them: every n-th in the order of ids, so that the sample is spread over old and
 * new players, and is the same in every run.
 */
export async function listSample(
  connection: DedicatedConnection,
  gameId: number,
  { fromMs, toMs }: DaySpan,
  size: number,
): Promise<Sample> {
  const { rows } = await connection.query<{ id: string; players: number }>(
    `select id, players::float8 as players
     from (
       select id, row_number() over (order by id) as place, count(*) over () as players
       from players
       where game_id = $1 and last_event_at >= $2 and created_at < $3 and erase_requested_at is null
     ) n
     where place * least($4::bigint, players) / players > (place - 1) * least($4::bigint, players) / players
     order by id`,
    [gameId, new Date(fromMs), new Date(toMs), size],
  );
  return { players: rows[0]?.players ?? 0, playerIds: rows.map(({ id }) => id) };
}

export async function listExaminedPlayers(
  connection: DedicatedConnection,
  playerIds: readonly string[],
): Promise<ExaminedPlayer[]> {
  const { rows } = await connection.query<ExaminedPlayer>(
    `select id as "playerId", game_id as "gameId", user_id as "userId", created_at as "createdAt", age_group as "ageGroup",
       age_group_at as "ageGroupAt"
     from players where id = any($1::bigint[]) order by id`,
    [playerIds],
  );
  return rows;
}

export type ActiveDay = { playerId: string; day: string };

/** The days on which the players did something. */
export async function listActiveDays(
  connection: DedicatedConnection,
  playerIds: readonly string[],
  { fromMs, toMs }: DaySpan,
): Promise<ActiveDay[]> {
  const { rows } = await connection.query<ActiveDay>(
    `select player_id as "playerId", day::text as day from player_days
     where player_id = any($1::bigint[]) and day >= ($2::timestamptz at time zone 'UTC')::date
       and day < ($3::timestamptz at time zone 'UTC')::date and events > 0`,
    [playerIds, new Date(fromMs), new Date(toMs)],
  );
  return rows;
}

/** `price`: what was paid, also if a part of it was paid back. */
export type Purchase = {
  playerId: string;
  purchasedAt: number;
  skuId: string;
  price: string;
  currency: string;
};

/** What the players bought, without what was refunded as a whole. */
export async function listPurchases(
  connection: DedicatedConnection,
  playerIds: readonly string[],
  { fromMs, toMs }: DaySpan,
): Promise<Purchase[]> {
  const { rows } = await connection.query<Purchase>(
    `select player_id as "playerId", purchased_at as "purchasedAt", sku_id as "skuId", coalesce(paid_price, price)::text as price,
       currency
     from transactions
     where player_id = any($1::bigint[]) and purchased_at is not null and refunded_at is null and purchased_at >= $2
       and purchased_at < $3 and sku_id is not null and price is not null and currency is not null
     order by purchased_at, transaction_id`,
    [playerIds, new Date(fromMs), new Date(toMs)],
  );
  return rows;
}
