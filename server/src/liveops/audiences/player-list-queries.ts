import { FIRST_DAY_COLUMN } from '../../core/players/facts-queries.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';

/** A player in a list. */
export type PlayerListRow = {
  id: string;
  playerId: string;
  createdAt: number;
  /** Of the first event, as a number since 1970. */
  firstDay: number | null;
  lastEventAt: number | null;
  country: string | null;
  platform: string | null;
  purchaseCount: number;
  spend: Record<string, number>;
};

const LISTED_PLAYER = `p.id, p.user_id as "playerId", p.created_at as "createdAt", p.last_event_at as "lastEventAt",
  ${FIRST_DAY_COLUMN} as "firstDay", p.profile -> 'country' ->> 'v' as country, p.profile -> 'osName' ->> 'v' as platform,
  p.purchase_count as "purchaseCount", p.spend`;

/**
 * The players of a game before an id, newest first. The statement uses `between` and sorts by all columns of the index: with `=`,
 * PostgreSQL may go through the newest players of all games.
 */
export async function listNewestPlayerIds(
  client: Pool | Client,
  gameId: number,
  beforeId: string,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    client,
    {
      name: 'list_newest_player_ids',
      text: `select id from players
             where game_id between $1 and $1 and id < $2
             order by game_id desc, id desc
             limit $3`,
    },
    [gameId, beforeId, limit],
  );
  return rows.map(({ id }) => id);
}

export async function findListedPlayers(
  db: Pool | Client,
  gameId: number,
  ids: readonly string[],
): Promise<PlayerListRow[]> {
  return query<PlayerListRow>(
    db,
    {
      name: 'find_listed_players',
      text: `select ${LISTED_PLAYER} from players p where p.id = any($2::bigint[]) and p.game_id = $1`,
    },
    [gameId, ids],
  );
}

export async function findPlayersByUserId(
  db: Pool | Client,
  gameId: number,
  userIds: readonly string[],
): Promise<PlayerListRow[]> {
  return query<PlayerListRow>(
    db,
    {
      name: 'find_players_by_user_id',
      text: `select ${LISTED_PLAYER} from players p where p.user_id = any($2::uuid[]) and p.game_id = $1`,
    },
    [gameId, userIds],
  );
}

/** A payer, and the amount in the player's main currency as an exact decimal. */
export type TopPayer = { id: string; amount: string };

/**
 * The payers of a game whose main currency this is, after an amount and an id, from the largest amount down. See `main_currency` in
 * the schema.
 */
export async function listTopPayers(
  client: Client,
  gameId: number,
  currency: string,
  before: Readonly<{ amount: string | null; id: string }>,
  limit: number,
): Promise<TopPayer[]> {
  return query<TopPayer>(
    client,
    {
      name: 'list_top_payers',
      text: `select id, main_amount(spend)::text as amount from players
             where game_id = $1 and purchase_count > 0 and main_currency(spend) = $2
               and (main_amount(spend), id) < (coalesce($3::numeric, 'Infinity'), $4::bigint)
             order by main_amount(spend) desc, id desc
             limit $5`,
    },
    [gameId, currency, before.amount, before.id, limit],
  );
}

/** More than games sell in. */
const MAX_CURRENCIES = 50;

/** The currencies in which a game was paid since a UTC day, those of most days first, from the roll-ups. */
export async function listPaidCurrencies(pool: Pool, gameId: number, sinceMs: number): Promise<string[]> {
  const rows = await query<{ currency: string }>(
    pool,
    {
      name: 'list_paid_currencies',
      text: `select r.key as currency
             from game_days d cross join lateral jsonb_each(d.revenue) r
             where d.game_id = $1 and d.day >= ($2::timestamptz at time zone 'UTC')::date
             group by r.key
             order by count(distinct d.day) desc, r.key
             limit ${MAX_CURRENCIES}`,
    },
    [gameId, new Date(sinceMs)],
  );
  return rows.map(({ currency }) => currency);
}

/** The newest block of a player. */
export type LastSeen = { playerId: string; receivedMs: number; id: string };
type ReadBlock = LastSeen & { isNewest: boolean };

export type SeenSpan = Readonly<{
  /** The last block of the page before. */
  before: Readonly<{ ms: number; id: string }>;
  fromMs: number;
  /** Of blocks. */
  limit: number;
}>;

/**
 * Of the newest blocks of a game in a span of receipt, those after which nothing more of their player was received. A player whose last
 * event is of a later day was seen later; for the others the newest block is looked up.
 */
export async function listLastSeen(
  client: Client,
  gameId: number,
  { before, fromMs, limit }: SeenSpan,
): Promise<Readonly<{ seen: LastSeen[]; last: LastSeen | undefined; isFull: boolean }>> {
  const rows = await query<ReadBlock>(
    client,
    {
      name: 'list_last_seen',
      text: `select b.player_id as "playerId", floor(extract(epoch from b.received_at) * 1000)::float8 as "receivedMs", b.id,
               p.last_event_at < date_trunc('day', b.received_at, 'UTC') + interval '1 day' and not exists (
                 select from event_blocks l
                 where l.player_id = b.player_id and l.received_at >= b.received_at
                   and (l.received_at, l.id) > (b.received_at, b.id)
               ) as "isNewest"
             from (
               select player_id, received_at, id from event_blocks
               where game_id between $1 and $1 and received_at >= $2 and received_at <= $3 and (received_at, id) < ($3, $4::bigint)
               order by game_id desc, received_at desc, id desc
               limit $5
             ) b
             cross join lateral (select last_event_at from players where id = b.player_id offset 0) p
             order by b.received_at desc, b.id desc`,
    },
    [gameId, new Date(fromMs), new Date(before.ms), before.id, limit],
  );
  return { seen: rows.filter(({ isNewest }) => isNewest), last: rows.at(-1), isFull: rows.length === limit };
}
