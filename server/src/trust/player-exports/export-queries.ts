import { type Client, type Pool, query } from '../../platform/db/pool.js';
import type { ExportSection } from './export-sections.js';

/** A player whose data is to be exported. */
export type ExportedPlayer = {
  playerId: string;
  gameId: number;
  userId: string;
  tenant: string;
  game: string;
  createdAt: number;
  eventsDeletedBefore: string | null;
  /** The player's row as JSON text. */
  json: string;
};

export async function findExportedPlayer(
  client: Client,
  gameId: number,
  userId: string,
): Promise<ExportedPlayer | undefined> {
  const rows = await query<ExportedPlayer>(
    client,
    {
      name: 'find_exported_player',
      text: `select p.id as "playerId", p.game_id as "gameId", p.user_id as "userId", p.created_at as "createdAt",
               t.slug as tenant, g.slug as game, g.events_deleted_before::text as "eventsDeletedBefore",
               json_build_object('playerId', p.user_id, 'createdAt', api_time(p.created_at), 'ageGroup', p.age_group,
                 'firstEventAt', api_time(p.first_event_at), 'lastEventAt', api_time(p.last_event_at),
                 'firstDay', p.first_day, 'activeDays', day_spans(p.active_days),
                 'eventCount', p.event_count, 'eventCounts', p.event_counts,
                 'purchaseCount', p.purchase_count, 'firstPurchaseAt', api_time(p.first_purchase_at),
                 'lastPurchaseAt', api_time(p.last_purchase_at), 'purchaseDays', day_spans(p.purchase_days),
                 'spend', p.spend, 'repeatSpend', p.repeat_spend,
                 'profile', (select coalesce(json_object_agg(key, json_build_object('value', value ->> 'v',
                   'at', api_time(to_timestamp((value ->> 't')::float8 / 1000)))), '{}') from jsonb_each(p.profile ||
                     jsonb_strip_nulls(jsonb_build_object('timeZone', p.time_zone)))))::text as json
             from players p
             join lateral (select * from games g where g.id = p.game_id offset 0) g on true
             join tenants t on t.id = g.tenant_id
             where p.user_id = $2 and p.game_id = $1`,
    },
    [gameId, userId],
  );
  return rows[0];
}

export type ExportedRow = { key: string[]; json: string };

export function listSectionRows(
  client: Client,
  { rows }: ExportSection,
  playerId: string,
  after: readonly string[],
  limit: number,
): Promise<ExportedRow[]> {
  return query<ExportedRow>(client, rows, [playerId, after, limit]);
}

/** The place of a block among those of its player. */
export type BlockKey = Readonly<{ receivedAt: string; blockId: string }>;

type ExportedEvent = BlockKey & Readonly<{ json: string }>;

/**
 * The events of the next blocks of a player, in the order of their receipt: whole blocks with about `maxEvents` events. With an end
 * PostgreSQL opens only the days up to it.
 */
export async function listExportedEvents(
  client: Client,
  playerId: string,
  after: BlockKey,
  receivedBeforeMs: number,
  maxEvents: number,
): Promise<ExportedEvent[]> {
  return query<ExportedEvent>(
    client,
    {
      name: 'list_exported_events',
      text: `select b.received_at::text as "receivedAt", b.id as "blockId", json_build_object('eventType', e.event_type,
               'timestamp', coalesce(e.timestamp_text, api_time(e.occurred_at)),
               'receivedAt', api_time(coalesce(e.received_at, b.received_at)), 'clockSuspect', e.clock_suspect,
               'eventId', e.event_id, 'installId', b.install_id, 'seq', e.seq, 'payload', e.payload, 'metadata', e.metadata)::text as json
             from (
               select *, sum(event_count) over (order by received_at, id) - event_count as events_before
               from (
                 select received_at, id, install_id, event_count, events from event_blocks
                 where player_id = $1 and received_at >= $2::timestamptz and received_at < $4::timestamptz
                   and (received_at, id) > ($2::timestamptz, $3::bigint)
                 order by received_at, id
                 limit $5
               ) next_blocks
             ) b
             cross join lateral event_rows(b.events) e
             where b.events_before < $5
             order by b.received_at, b.id, e.place`,
    },
    [playerId, after.receivedAt, after.blockId, new Date(receivedBeforeMs), maxEvents],
  );
}

const HOUR_MS = 3_600_000;

/** Notes that a player takes an export. Returns 0, or in how many milliseconds the player may: one an hour, on whichever node. */
export async function claimExport(pool: Pool, playerId: string, nowMs: number): Promise<number> {
  const claimed = await query(
    pool,
    {
      name: 'claim_player_export',
      text: `insert into player_exports as e (player_id, started_at)
             select id, $2 from players where id = $1 and erase_requested_at is null for key share
             on conflict (player_id) do update set started_at = excluded.started_at where e.started_at <= $3
             returning player_id`,
    },
    [playerId, new Date(nowMs), new Date(nowMs - HOUR_MS)],
  );
  if (claimed.length > 0) return 0;
  const rows = await query<{ startedAt: number }>(
    pool,
    {
      name: 'find_player_export',
      text: 'select started_at as "startedAt" from player_exports where player_id = $1',
    },
    [playerId],
  );
  const endsAt = (rows[0]?.startedAt ?? nowMs) + HOUR_MS;
  return Math.max(1, Math.min(endsAt - nowMs, HOUR_MS));
}

/** Takes a claim back: the service could not give the player what was asked for. */
export async function releaseExport(pool: Pool, playerId: string): Promise<void> {
  await query(
    pool,
    { name: 'release_player_export', text: 'delete from player_exports where player_id = $1' },
    [playerId],
  );
}
