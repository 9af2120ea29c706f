import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import {
  type DedicatedConnection,
  inTransaction,
  isLockTimeout,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';

/** A game with a retention that has events to delete. Days are UTC, as `2026-11-15`. */
export type ExpiringGame = {
  gameId: number;
  tenant: string;
  game: string;
  retentionDays: number;
  /** Events received before this day are to be deleted. */
  before: string;
  /** All events received before this day have been deleted; null: nothing was deleted yet. */
  cleanedBefore: string | null;
};

export async function listExpiringGames(
  db: Pool | DedicatedConnection,
  today: string,
): Promise<ExpiringGame[]> {
  const { rows } = await db.query<ExpiringGame>(
    `select g.id as "gameId", t.slug as tenant, g.slug as game, g.retention_days as "retentionDays",
       ($1::date - g.retention_days)::text as before, g.events_cleaned_before::text as "cleanedBefore"
     from games g
     join tenants t on t.id = g.tenant_id
     where $1::date - g.retention_days > coalesce(g.events_cleaned_before, '-infinity')
     order by t.slug, g.slug`,
    [today],
  );
  return rows;
}

/**
 * Notes that the events of a game are complete only from the day `before` on. The day never moves back, not even with a longer
 * retention.
 */
export async function markDeletedBefore(
  connection: DedicatedConnection,
  games: readonly ExpiringGame[],
  actor: Actor,
): Promise<void> {
  await inTransaction(connection, async () => {
    for (const game of games) {
      const marked = await updateDeletedBefore(connection, game);
      if (marked === undefined) continue;
      await insertAuditEntry(connection, actor, {
        tenantId: null,
        gameId: game.gameId,
        action: 'retention.delete',
        target: `events before ${game.before}`,
        before: { deletedBefore: marked.former },
        after: { deletedBefore: game.before, retentionDays: game.retentionDays },
      });
    }
  });
}

/** The former day; undefined if it is not earlier. */
async function updateDeletedBefore(
  connection: DedicatedConnection,
  { gameId, before }: ExpiringGame,
): Promise<{ former: string | null } | undefined> {
  const { rows } = await connection.query<{ former: string | null }>(
    `update games g
     set events_deleted_before = $2::date
     from (select events_deleted_before::text as former from games where id = $1) old
     where g.id = $1 and (g.events_deleted_before is null or g.events_deleted_before < $2::date)
     returning old.former`,
    [gameId, before],
  );
  return rows[0];
}

/** The day only moves forward: a run that is behind another changes nothing. */
export async function updateCleanedBefore(
  connection: DedicatedConnection,
  gameIds: readonly number[],
  day: string,
): Promise<void> {
  await connection.query(
    `update games set events_cleaned_before = greatest(events_cleaned_before, $2::date) where id = any($1::int[])`,
    [gameIds, day],
  );
}

/** The events to delete: for each game, the events received before a day. */
export type Expired = { gameIds: readonly number[]; before: readonly string[] };

const IS_EXPIRED = `exists (
  select from unnest($1::int[], $2::date[]) as d(game_id, before)
  where d.game_id = b.game_id and b.received_at < d.before::timestamp at time zone 'UTC'
)`;

export async function countExpired(
  connection: DedicatedConnection,
  table: string,
  expired: Expired,
): Promise<number> {
  const { rows } = await connection.query<{ n: string }>(
    `select coalesce(sum(b.event_count), 0) as n from ${connection.escapeIdentifier(table)} b where ${IS_EXPIRED}`,
    [expired.gameIds, expired.before],
  );
  return Number(rows[0]?.n ?? 0);
}

export async function hasOthers(
  connection: DedicatedConnection,
  table: string,
  gameIds: readonly number[],
): Promise<boolean> {
  const { rows } = await connection.query<{ others: boolean }>(
    `select exists (
       select from ${connection.escapeIdentifier(table)} where game_id <> all ($1::int[])
     ) as others`,
    [gameIds],
  );
  return rows[0]?.others === true;
}

/**
 * Deletes the expired blocks on some pages of a table, and returns how many events they held. It goes by pages rather than by key,
 * so that each page is read once, in the order on disk, and the progress is known exactly.
 */
export async function deleteOnPages(
  connection: DedicatedConnection,
  table: string,
  expired: Expired,
  fromPage: number,
  endPage: number,
): Promise<number> {
  const { rows } = await connection.query<{ n: number }>(
    `with gone as (
       delete from ${connection.escapeIdentifier(table)} b
       where b.ctid >= format('(%s,0)', $3::bigint)::tid and b.ctid < format('(%s,0)', $4::bigint)::tid and ${IS_EXPIRED}
       returning b.event_count
     )
     select coalesce(sum(event_count), 0)::int as n from gone`,
    [expired.gameIds, expired.before, fromPage, endPage],
  );
  return rows[0]?.n ?? 0;
}

/**
 * Drops a partition in which only these games have events. An event of another game that waited in a queue may arrive at any
 * time, so the last check is made under a lock that blocks inserts. Then the drop waits for sessions that still read the
 * partition, and locks event_blocks for a moment. Intake waits for that lock, so no step may take long. An insert into this
 * partition would deadlock with the drop. The lock time-out of the drop is shorter than the deadlock_timeout of PostgreSQL, so
 * the drop is the one that fails.
 */
export async function dropPartition(
  connection: DedicatedConnection,
  table: string,
  gameIds: readonly number[],
): Promise<'dropped' | 'others' | 'locked'> {
  const name = connection.escapeIdentifier(table);
  try {
    return await inTransaction(connection, async () => {
      await connection.query("set local lock_timeout = '200ms'");
      await connection.query(`lock table ${name} in share mode`);
      if (await hasOthers(connection, table, gameIds)) return 'others';
      await connection.query(`lock table ${name} in access exclusive mode`);
      await connection.query('select drop_partition($1)', [table]);
      return 'dropped';
    });
  } catch (error) {
    if (isLockTimeout(error)) return 'locked';
    throw error;
  }
}
