import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { thinOut } from '../audiences/player-samples.js';
import { drawPlayers } from '../audiences/sample-queries.js';
import type { ExaminedPlayer } from './examined-player.js';

/** From the start of a day to the start of another, as epoch milliseconds. */
export type DaySpan = Readonly<{ fromMs: number; toMs: number }>;

export type Sample = Readonly<{
  /** Players who were here since the first day. An estimate if not all players of the game were drawn. */
  players: number;
  playerIds: readonly string[];
  /** Whether these are all players who were here. */
  isComplete: boolean;
}>;

/** Players whose rows are read to find those who were here. A game with fewer players is counted exactly. */
const MIN_DRAWN = 10_000;
/** For each player to examine: so that there are enough of them in a game of which a tenth is here. */
const DRAWN_PER_EXAMINED = 10;

/**
 * Some players who were here since the first day: every n-th in the order of ids, so that the sample is spread over old and new players,
 * and is the same in every run. First players are drawn by their ids alone: the rows of all players of a large game are too many to read.
 */
export async function listSample(
  connection: DedicatedConnection,
  gameId: number,
  { fromMs, toMs }: DaySpan,
  { size, minDrawn = MIN_DRAWN }: { size: number; minDrawn?: number },
): Promise<Sample> {
  const drawn = await drawPlayers(connection, gameId, Math.max(minDrawn, size * DRAWN_PER_EXAMINED));
  const { rows } = await connection.query<{ id: string }>(
    `select id from players
     where id = any($1::bigint[]) and last_event_at >= $2 and created_at < $3 and erase_requested_at is null
     order by id`,
    [drawn.ids, new Date(fromMs), new Date(toMs)],
  );
  const share = drawn.ids.length === 0 ? 0 : rows.length / drawn.ids.length;
  const here = { players: Math.round(share * drawn.players), ids: rows.map(({ id }) => id) };
  const { players, ids: playerIds } = thinOut(here, size);
  const isComplete = drawn.ids.length === drawn.players && playerIds.length === rows.length;
  return { players, playerIds, isComplete };
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
