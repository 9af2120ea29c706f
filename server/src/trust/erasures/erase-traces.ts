import type { DedicatedConnection } from '../../platform/db/dedicated-connection.js';
import { erasedName } from '../../platform/security/erasure-hashes.js';
import { deleteExpiredExports } from '../../studio/jobs/export-expiry.js';
import type { ErasedPlayer } from './begin-queries.js';
import { USER_IDS } from './rename-ids.js';

/** What names a player outside of the tables of players. Each function can be repeated. */

/** Devices that were attached to another player forget the player that they had before. */
export async function forgetFormerPlayer(
  connection: DedicatedConnection,
  playerIds: readonly string[],
): Promise<void> {
  await connection.query(
    'update devices set own_player_id = null where own_player_id = any($1::bigint[]) and own_player_id is not null',
    [playerIds],
  );
}

/** Testers of a game are named in its settings for stores. */
export async function forgetTesters(
  connection: DedicatedConnection,
  players: readonly ErasedPlayer[],
): Promise<void> {
  await connection.query(
    `update game_stores
     set settings = jsonb_set(settings, '{testers}', (settings -> 'testers') - $2::text[])
     where game_id = any($1::int[]) and settings -> 'testers' ?| $2::text[]`,
    [gamesOf(players), players.map(({ userId }) => userId)],
  );
}

/** Files of exports that may contain an event or a change of a player are deleted, and exports that are running are ended. */
export async function expireExports(
  connection: DedicatedConnection,
  players: readonly ErasedPlayer[],
  nowMs: number,
): Promise<void> {
  const { rowCount } = await connection.query(
    `with expired as (
       update export_jobs j set state = 'cancelled', worker = null, finished_at = coalesce(finished_at, $2), expires_at = $2
       where expires_at > $2 and exists (${CONTAINED_IN})
       returning id, game_id, span_from, span_to
     )
     update erasures e set counts = jsonb_add(counts, jsonb_build_object('exports_expired', (
       select count(*) from expired j
       where j.game_id = e.game_id and e.first_block_at < j.span_to::timestamptz
         and e.last_block_at + interval '1 day' > j.span_from::timestamptz
     )))
     where id = any($1::uuid[]) and exists (select from expired)`,
    [players.map(({ erasureId }) => erasureId), new Date(nowMs)],
  );
  if (rowCount !== 0) await deleteExpiredExports(connection, nowMs);
}

/** A larger block holds events that were received up to a day after its own time. */
const CONTAINED_IN = `select from erasures e
         where e.id = any($1::uuid[]) and e.game_id = j.game_id and e.first_block_at < j.span_to::timestamptz
           and e.last_block_at + interval '1 day' > j.span_from::timestamptz`;

/** Results of finished jobs name a few players as examples. They are deleted after a day in any case. */
export async function deleteJobsNaming(
  connection: DedicatedConnection,
  players: readonly ErasedPlayer[],
): Promise<void> {
  await connection.query(
    `delete from jobs j
     where j.game_id = any($1::int[]) and j.state <> 'running'
       and exists (select from unnest($2::text[]) u where position(u in concat(j.subject, j.result, j.failure)) > 0)`,
    [gamesOf(players), players.map(({ userId }) => userId)],
  );
}

/** Games with a job that was running when the players were deleted: its result may still name one of them. */
export async function listGamesWithOldJobs(
  connection: DedicatedConnection,
  players: readonly ErasedPlayer[],
): Promise<number[]> {
  const { rows } = await connection.query<{ gameId: number }>(
    `select distinct j.game_id as "gameId"
     from jobs j join erasures e on e.game_id = j.game_id
     where e.id = any($1::uuid[]) and j.state = 'running' and j.heartbeat_at > now() - interval '30 seconds'
       and j.created_at <= e.started_at`,
    [players.map(({ erasureId }) => erasureId)],
  );
  return rows.map(({ gameId }) => gameId);
}

/** Dead letters that could not be stored under their player: see operations/queue/dead-letters.ts. */
export async function deleteUnattributed(
  connection: DedicatedConnection,
  players: readonly ErasedPlayer[],
): Promise<void> {
  await connection.query(
    `delete from failed_events
     where player_id = 0 and exists (select from unnest($1::text[]) u where position(u in concat(message, raw)) > 0)`,
    [players.map(({ userId }) => userId)],
  );
}

/** Entries about a player keep who did what and when; notes and reasons are about the player, and go. */
export async function renameInAuditLog(
  connection: DedicatedConnection,
  players: readonly ErasedPlayer[],
): Promise<void> {
  const userIds = players.map(({ userId }) => userId);
  const names = players.map(({ playerHash }) => erasedName(playerHash));
  await connection.query(
    `with named as materialized (
       select * from unnest($1::text[], $2::text[], $3::uuid[]) as n(user_id, name, erasure_id)
     ), renamed as (
       update audit_log a
       set target = regexp_replace(overlay(a.target placing n.name from 8 for 36), ' session .*', ''), before = null,
         after = case when a.action like 'player.%' then a.after end
       from named n
       where a.target like 'player %' and substr(a.target, 8, 36) = any($1::text[]) and substr(a.target, 8, 36) = n.user_id
       returning n.erasure_id
     )
     update erasures e set counts = jsonb_add(e.counts, jsonb_build_object('audit_log', r.n))
     from (select erasure_id, count(*) as n from renamed group by 1) r
     where e.id = any($3::uuid[]) and e.id = r.erasure_id`,
    [userIds, names, players.map(({ erasureId }) => erasureId)],
  );
  const { rows } = await connection.query<{ id: string; before: string | null; after: string | null }>(
    `select id, before::text as before, after::text as after from audit_log
     where game_id = any($1::int[]) and game_id is not null and action in ('override.import', 'purchase.move')
       and exists (select from unnest($2::text[]) u where position(u in concat(before, after)) > 0)`,
    [gamesOf(players), userIds],
  );
  const nameOf = new Map(players.map(({ userId, playerHash }) => [userId, erasedName(playerHash)]));
  const rename = (text: string | null) => text?.replace(USER_IDS, (id) => nameOf.get(id) ?? id) ?? null;
  for (const { id, before, after } of rows) {
    await connection.query(
      `update audit_log set before = $2, after = $3,
         target = case action when 'purchase.move' then 'transaction of an erased player' else target end
       where id = $1`,
      [id, rename(before), rename(after)],
    );
  }
}

function gamesOf(players: readonly ErasedPlayer[]): number[] {
  return [...new Set(players.map(({ gameId }) => gameId))];
}
