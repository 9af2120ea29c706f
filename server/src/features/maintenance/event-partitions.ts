import { setTimeout as sleep } from 'node:timers/promises';
import { isLockTimeout, type OwnConnection } from '../../db/own-connection.js';
import type { Pool } from '../../db/pool.js';

const DAY_MS = 86_400_000;
/** Offline players' events of the last days find a partition; older ones go to the default one. */
export const PARTITIONS_BEHIND_DAYS = 7;
const PARTITIONS_AHEAD_DAYS = 14;
/** Each waits half a second at most for a lock. Partitions are made weeks ahead: the next hour is soon enough, too. */
const ATTEMPTS = 5;
const PAUSE_MS = 200;

/**
 * Makes the daily partitions around today that are missing, each in a transaction of its own: events go on being
 * stored meanwhile. See `attach_event_partition` for what is locked, and why it is not more.
 * Returns how many were made.
 */
export async function ensureEventPartitions(pool: Pool, nowMs: number): Promise<number> {
  const missing = await listMissingDays(
    pool,
    utcDay(nowMs - PARTITIONS_BEHIND_DAYS * DAY_MS),
    utcDay(nowMs + PARTITIONS_AHEAD_DAYS * DAY_MS),
  );
  let made = 0;
  for (const day of missing) if (await attachPartition(pool, day)) made++;
  return made;
}

async function attachPartition(pool: Pool, day: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Several nodes take turns: a partition that two make at once would be an error for one of them.
      const { rows } = await pool.query<{ isAttached: boolean }>(
        `with turn as materialized (select pg_advisory_xact_lock(hashtext('savepoint event partitions')))
         select attach_event_partition($1) as "isAttached" from turn`,
        [day],
      );
      return rows[0]?.isAttached === true;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS * attempt);
    }
  }
}

async function listMissingDays(pool: Pool, firstDay: string, lastDay: string): Promise<string[]> {
  const { rows } = await pool.query<{ day: string }>(
    `select d::date::text as day
     from generate_series($1::timestamp, $2::timestamp, interval '1 day') d
     where to_regclass('events_' || to_char(d, 'YYYYMMDD')) is null
     order by d`,
    [firstDay, lastDay],
  );
  return rows.map(({ day }) => day);
}

/** A daily partition; the default one has no day. */
export type EventPartition = { name: string; day: string };

/** The oldest first. */
export async function listEventPartitions(db: Pool | OwnConnection): Promise<EventPartition[]> {
  const { rows } = await db.query<EventPartition>(
    `select c.relname as name, to_date(substr(c.relname, 8), 'YYYYMMDD')::text as day
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'events'::regclass and c.relname ~ '^events_[0-9]{8}$'
     order by c.relname`,
  );
  return rows;
}

/** `2026-11-15`: the UTC day of a moment. */
export function utcDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}
