import { OVERRIDE_COLUMNS, type OverrideRow } from '../../liveops/players/override-queries.js';
import { PIN_COLUMNS, type PinRow } from '../../liveops/players/pin-queries.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';

/** What a timeline needs to know of its player. */
export type TimelinePlayer = {
  playerId: string;
  gameId: number;
  createdAt: number;
  hasOverrides: boolean;
  eventsDeletedBefore: string | null;
};

export async function findTimelinePlayer(
  pool: Pool,
  gameId: number,
  userId: string,
): Promise<TimelinePlayer | undefined> {
  const rows = await query<TimelinePlayer>(
    pool,
    {
      name: 'find_timeline_player',
      text: `select p.id as "playerId", p.game_id as "gameId", p.created_at as "createdAt",
               p.overrides_at is not null as "hasOverrides",
               (select events_deleted_before::text from games g where g.id = p.game_id) as "eventsDeletedBefore"
             from players p where p.user_id = $2 and p.game_id = $1`,
    },
    [gameId, userId],
  );
  return rows[0];
}

/** With its end, and the id that orders those of one instant. */
export type OverrideHistory = OverrideRow & { id: string };
export type PinHistory = PinRow & { id: string };

/** The newest first. */
export async function listOverrideHistory(
  client: Client,
  playerId: string,
  limit: number,
): Promise<OverrideHistory[]> {
  return query<OverrideHistory>(
    client,
    {
      name: 'list_override_history',
      text: `select id, ${OVERRIDE_COLUMNS}
             from flag_overrides where player_id = $1
             order by set_at desc, id desc
             limit $2`,
    },
    [playerId, limit],
  );
}

/** The newest first. */
export async function listPinHistory(client: Client, playerId: string, limit: number): Promise<PinHistory[]> {
  return query<PinHistory>(
    client,
    {
      name: 'list_pin_history',
      text: `select id, ${PIN_COLUMNS}
             from player_pins where player_id = $1
             order by set_at desc, id desc
             limit $2`,
    },
    [playerId, limit],
  );
}

/** Since when a transaction does not count: it was refunded, or another player proved it. */
export type TransactionEnd = Readonly<{ refundedAt: number | null; movedAt: number | null }>;

/** The transactions of a player that do not count any more, by their ids. */
export async function findTransactionEnds(
  client: Client,
  playerId: string,
  transactionIds: readonly string[],
): Promise<Map<string, TransactionEnd>> {
  const rows = await query<TransactionEnd & { transactionId: string }>(
    client,
    {
      name: 'find_transaction_ends',
      text: `select transaction_id as "transactionId",
               case when moved_at >= claimed_at then null else refunded_at end as "refundedAt",
               case when moved_at >= claimed_at then moved_at end as "movedAt"
             from transactions where player_id = $1 and transaction_id = any($2::text[]) and refunded_at is not null`,
    },
    [playerId, transactionIds],
  );
  return new Map(rows.map(({ transactionId, ...end }) => [transactionId, end]));
}

/** A refused event of a player. */
export type FailedOfPlayer = {
  id: string;
  receivedAt: number;
  eventType: string | null;
  transactionId: string | null;
  reason: string;
  message: string;
  replayedAt: number | null;
};

/** The newest first, from the end of a millisecond back; of one type, unless that is null. */
export async function listFailedOfPlayer(
  client: Client,
  playerId: string,
  { toMs, eventType, limit }: Readonly<{ toMs: number; eventType: string | null; limit: number }>,
): Promise<FailedOfPlayer[]> {
  return query<FailedOfPlayer>(
    client,
    {
      name: 'list_failed_of_player',
      text: `select id, received_at as "receivedAt", event_type as "eventType", transaction_id as "transactionId", code as reason, message,
               replayed_at as "replayedAt"
             from failed_events
             where player_id = $1 and received_at < $2 and ($3::text is null or event_type = $3)
             order by received_at desc, id desc
             limit $4`,
    },
    [playerId, new Date(toMs + 1), eventType, limit],
  );
}
