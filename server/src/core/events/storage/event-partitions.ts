import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DedicatedConnection,
  isLockTimeout,
  withDedicatedConnection,
} from '../../../platform/db/dedicated-connection.js';
import type { Pool } from '../../../platform/db/pool.js';
import { DAY_MS, utcDay } from '../../../platform/lib/day.js';
import { generationOf, nextGeneration } from './identity-generations.js';

/** Events that waited in a queue were received before they are stored. */
const PARTITIONS_BEHIND_DAYS = 2;
const PARTITIONS_AHEAD_DAYS = 14;
/** Each waits half a second at most for a lock. Partitions are made weeks ahead, so the next hour is soon enough. */
const ATTEMPTS = 5;
const PAUSE_MS = 200;
/** A client that sends an event again after this long has kept it for more than a year. */
const IDENTITY_MEMORY_DAYS = 400;

type Partition = { parent: string; child: string; key: string; first: string; end: string };

/**
 * Makes the missing partitions around today: one per day for blocks, one per quarter for identities. Each is made in a
 * transaction of its own, while events go on being stored. See `attach_partition` for what is locked. Returns how many were
 * made.
 */
export async function ensureEventPartitions(pool: Pool, nowMs: number): Promise<number> {
  return attachMissing(pool, [
    ...dailyPartitions(nowMs),
    identityPartition(nowMs),
    identityPartition(nowMs, 1),
  ]);
}

/** Makes the missing partitions of days on which imported events were received. */
export async function ensureDays(pool: Pool, days: readonly string[]): Promise<void> {
  await attachMissing(pool, days.map(dailyPartition));
}

async function attachMissing(pool: Pool, wanted: readonly Partition[]): Promise<number> {
  let made = 0;
  for (const partition of await listMissing(pool, wanted)) {
    if (await attachPartition(pool, partition)) made++;
  }
  return made;
}

function dailyPartitions(nowMs: number): Partition[] {
  const partitions: Partition[] = [];
  for (let day = -PARTITIONS_BEHIND_DAYS; day <= PARTITIONS_AHEAD_DAYS; day++) {
    partitions.push(dailyPartition(utcDay(nowMs + day * DAY_MS)));
  }
  return partitions;
}

function dailyPartition(day: string): Partition {
  return {
    parent: 'event_blocks',
    child: dayTable(day),
    key: 'received_at',
    first: startOf(day),
    end: startOf(dayAfter(day)),
  };
}

/** The partition of the blocks received on a day. */
export function dayTable(day: string): string {
  return `event_blocks_${day.replaceAll('-', '')}`;
}

function identityPartition(nowMs: number, ahead = 0): Partition {
  const first = ahead === 0 ? generationOf(nowMs) : nextGeneration(nowMs);
  return {
    parent: 'event_identities',
    child: `event_identities_${first.replaceAll('-', '')}`,
    key: 'generation',
    first,
    end: nextGeneration(Date.parse(first)),
  };
}

export function startOf(day: string): string {
  return `${day}T00:00:00Z`;
}

async function attachPartition(pool: Pool, { parent, child, key, first, end }: Partition): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Several nodes take turns: if two made the same partition at once, one of them would fail.
      const { rows } = await pool.query<{ isAttached: boolean }>(
        `with turn as materialized (select pg_advisory_xact_lock(hashtext('savepoint event partitions')))
         select attach_partition($1, $2, $3, $4, $5) as "isAttached" from turn`,
        [parent, child, key, first, end],
      );
      return rows[0]?.isAttached === true;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS * attempt);
    }
  }
}

async function listMissing(pool: Pool, wanted: readonly Partition[]): Promise<Partition[]> {
  const { rows } = await pool.query<{ child: string }>(
    'select child from unnest($1::text[]) child where to_regclass(child) is null',
    [wanted.map(({ child }) => child)],
  );
  const missing = new Set(rows.map(({ child }) => child));
  return wanted.filter(({ child }) => missing.has(child));
}

/** Drops the identities of events received long ago: whole generations, however large they are. */
export async function dropOldIdentities(pool: Pool, nowMs: number): Promise<string[]> {
  return withDedicatedConnection(pool, async (connection) => {
    const { rows } = await connection.query<{ name: string }>(
      `select c.relname as name
       from pg_inherits i
       join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'event_identities'::regclass and c.relname ~ '^event_identities_[0-9]{8}$'
         and to_date(right(c.relname, 8), 'YYYYMMDD') + interval '3 months' < $1::date
       order by 1`,
      [utcDay(nowMs - IDENTITY_MEMORY_DAYS * DAY_MS)],
    );
    // Intake queues behind this lock. If it is not granted soon, the next hourly run tries again.
    await connection.query("set lock_timeout = '500ms'");
    for (const { name } of rows) await connection.query('select drop_partition($1)', [name]);
    return rows.map(({ name }) => name);
  });
}

/** A daily partition; the default one has no day. */
export type EventPartition = { name: string; day: string };

/** The oldest first. */
export async function listEventPartitions(db: Pool | DedicatedConnection): Promise<EventPartition[]> {
  const { rows } = await db.query<EventPartition>(
    `select c.relname as name, to_date(right(c.relname, 8), 'YYYYMMDD')::text as day
     from pg_inherits i
     join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'event_blocks'::regclass and c.relname ~ '^event_blocks_[0-9]{8}$'
     order by c.relname`,
  );
  return rows;
}

/** Blocks of days before this one hardly come in any more, and their partitions are not made again. */
export function closedBefore(nowMs: number): string {
  return utcDay(nowMs - PARTITIONS_BEHIND_DAYS * DAY_MS);
}

export function dayAfter(day: string): string {
  return utcDay(Date.parse(day) + DAY_MS);
}
