import type { DedicatedConnection } from '../../../platform/db/dedicated-connection.js';
import { type Pool, query } from '../../../platform/db/pool.js';
import type { FailedEvent, FailureCode } from './failed-event.js';

/** The rejected events of one request. The token says whose they are, since the database may be unavailable. */
export type FailedBatch = {
  userId: string;
  receivedAtMs: number;
  clientBuild: string | null;
  /** A server key with `purchases:write` sent them. */
  isServer?: boolean | undefined;
  failures: readonly FailedEvent[];
};

export type InboxLimits = {
  /** Open entries of a game, and the bytes of their raw text. */
  maxEntries: number;
  maxBytes: number;
  /** All entries of a player. */
  maxEntriesOfPlayer: number;
};

/** Those neither stored nor dropped were in the inbox already. */
export type InboxCounts = { code: FailureCode; sent: number; stored: number; dropped: number };

/**
 * Puts failed events into the inbox, each once, as far as there is room: the first ones stay. Groups on several nodes do not
 * see each other, so the limits may be exceeded by the events in flight. Returns what became of them, by code.
 */
export async function insertFailedEvents(
  pool: Pool,
  batches: readonly FailedBatch[],
  limits: InboxLimits,
): Promise<InboxCounts[]> {
  return query<InboxCounts>(pool, INSERT_FAILED_EVENTS, [
    failuresJson(batches),
    limits.maxEntries,
    limits.maxBytes,
    limits.maxEntriesOfPlayer,
  ]);
}

function failuresJson(batches: readonly FailedBatch[]): string {
  return JSON.stringify(
    batches.flatMap(({ userId, receivedAtMs, clientBuild, isServer = false, failures }) => {
      const receivedAt = new Date(receivedAtMs).toISOString();
      return failures.map((failure) => ({ ...failure, userId, receivedAt, clientBuild, isServer }));
    }),
  );
}

// Inserted in the order of the unique index, so that crossing groups never deadlock. Look-ups are scalar subqueries or
// `lateral (… offset 0)`: each is one look into the index, whatever the planner thinks of the table's size.
const INSERT_FAILED_EVENTS = {
  name: 'insert_failed_events',
  text: `
    with sent as materialized (
      select distinct on (player_id, fingerprint) p.game_id, p.id as player_id, e.*
      from rows from (
        json_to_recordset($1::json) as (
          "userId" uuid, "receivedAt" timestamptz, "clientBuild" text, fingerprint uuid, ordinal smallint, code text,
          message text, path text, "eventType" text, "transactionId" text, raw text, "isCut" boolean, "isServer" boolean
        )
      ) with ordinality as e(user_id, received_at, client_build, fingerprint, ordinal, code, message, path, event_type,
        transaction_id, raw, is_cut, is_server, place)
      join lateral (
        select id, game_id from players where user_id = e.user_id and erase_requested_at is null offset 0
      ) p on true
      order by player_id, fingerprint, place
    ), fresh as materialized (
      select s.*,
        row_number() over of_game as game_entries,
        sum(octet_length(raw)) over of_game as game_bytes,
        row_number() over (partition by player_id order by place) as player_entries
      from sent s
      where (select k.id from failed_events k where k.player_id = s.player_id and k.fingerprint = s.fingerprint) is null
      window of_game as (partition by game_id order by place)
    ), players_before as materialized (
      select player_id,
        (select count(*) from (select from failed_events k where k.player_id = f.player_id limit $4) known) as entries
      from (select distinct player_id from fresh) f
    ), fitting as (
      select f.*
      from fresh f
      join players_before p using (player_id)
      left join lateral (select * from failed_event_totals g where g.game_id = f.game_id offset 0) g on true
      where coalesce(g.entries, 0) + game_entries <= $2::bigint
        and coalesce(g.bytes, 0) + game_bytes <= $3::bigint
        and p.entries + player_entries <= $4::bigint
    ), stored as (
      insert into failed_events (game_id, player_id, fingerprint, ordinal, code, message, path, event_type, transaction_id, raw,
        is_cut, is_server, client_build, received_at)
      select game_id, player_id, fingerprint, ordinal, code, message, path, event_type, transaction_id, raw, is_cut,
        is_server, client_build, received_at
      from fitting
      order by player_id, fingerprint
      on conflict do nothing
      returning game_id, code, octet_length(raw) as bytes
    ), counted as (
      insert into failed_event_totals as g (game_id, entries, bytes)
      select game_id, count(*), sum(bytes) from stored group by game_id order by game_id
      on conflict (game_id) do update
      set entries = g.entries + excluded.entries, bytes = g.bytes + excluded.bytes
    )
    select code, count(*)::int as sent,
      (select count(*)::int from stored k where k.code = s.code) as stored,
      (select count(*)::int from fresh f where f.code = s.code)
        - (select count(*)::int from fitting f where f.code = s.code) as dropped
    from sent s
    group by code`,
};

/** Deletes up to so many of the entries received before, and returns how many. Those being replayed wait for the next time. */
export async function deleteOldFailedEvents(
  db: Pool | DedicatedConnection,
  before: Date,
  limit: number,
): Promise<number> {
  const { rows } = await db.query<{ deleted: number }>(
    `with gone as (
       delete from failed_events
       where id = any (array(
         select id from failed_events where received_at < $1 order by received_at limit $2 for update skip locked
       ))
       returning game_id, replayed_at, octet_length(raw) as bytes
     ), counted as (
       update failed_event_totals g set entries = g.entries - o.entries, bytes = g.bytes - o.bytes
       from (
         select game_id, count(*) as entries, sum(bytes) as bytes from gone where replayed_at is null group by game_id
       ) o
       where g.game_id = o.game_id
     )
     select count(*)::int as deleted from gone`,
    [before, limit],
  );
  return rows[0]?.deleted ?? 0;
}
