import { setTimeout as sleep } from 'node:timers/promises';
import {
  closedBefore,
  dayAfter,
  type EventPartition,
  listEventPartitions,
} from '../../core/events/storage/event-partitions.js';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import {
  type DedicatedConnection,
  tryAdvisoryLock,
  withDedicatedConnection,
} from '../../platform/db/dedicated-connection.js';
import type { Pool } from '../../platform/db/pool.js';
import { countPages, findTableOid } from '../../platform/db/table-pages.js';
import { utcDay } from '../../platform/lib/day.js';
import {
  countExpired,
  deleteOnPages,
  dropPartition,
  type Expired,
  type ExpiringGame,
  hasOthers,
  listExpiringGames,
  markDeletedBefore,
  updateCleanedBefore,
} from './retention-queries.js';

const DEFAULT_PARTITION = 'event_blocks_default';
/** 4 MB, about ten thousand events. A step takes a fraction of a second, and a run can be interrupted after each. */
const PAGES_A_STEP = 512;
const DROP_ATTEMPTS = 10;
/** Before a drop that was not possible is tried again, and after each one: intake, which waited for the drop, catches up meanwhile. */
const DROP_PAUSE_MS = 300;

export type RetentionProgress = {
  partition: string;
  action: 'delete' | 'drop';
  /** In this partition. */
  deletedEvents: number;
  donePages: number;
  totalPages: number;
};

export type RetentionOptions = {
  /** The actor in the audit log. `nowMs` decides which day it is. */
  actor: Actor;
  /** Only reports what would be deleted. */
  dryRun?: boolean;
  /** Ends the run at the next step. Deleted events stay deleted, and the next run continues. */
  signal?: AbortSignal;
  onGames?: (games: readonly ExpiringGame[]) => void;
  onProgress?: (progress: RetentionProgress) => Promise<void> | void;
};

export type RetentionResult = {
  /** `busy`: another run is at work. `waiting`: another session held a lock, and the next run continues. */
  state: 'done' | 'nothing' | 'interrupted' | 'busy' | 'waiting';
  droppedPartitions: string[];
  deletedEvents: number;
};

type Run = RetentionOptions & { connection: DedicatedConnection; result: RetentionResult; today: string };

/**
 * Deletes the events that are older than the retention of their game, by time of receipt. Players, days and roll-ups stay, and so
 * do identities and sequence numbers: an event that was deleted and is sent again is still recognised.
 *
 *   mark the day ──► default partition ──► daily partitions, oldest first ──► cleaned
 *
 * The day is marked first, so that readers of events know from which day on they are complete. Every step commits on its own, so
 * a run can be killed at any time.
 */
export async function runRetention(pool: Pool, options: RetentionOptions): Promise<RetentionResult> {
  const result: RetentionResult = { state: 'nothing', droppedPartitions: [], deletedEvents: 0 };
  const today = utcDay(options.actor.nowMs);
  const games = await listExpiringGames(pool, today);
  if (games.length === 0) return result;
  try {
    await withDedicatedConnection(pool, async (connection) => {
      const run = { ...options, connection, result, today };
      if (options.dryRun) result.state = await describe(run, games);
      else if (!(await tryAdvisoryLock(connection, 'savepoint retention'))) result.state = 'busy';
      else result.state = await deleteExpired(run);
    });
  } catch (error) {
    // An interrupted command loses its connection in the middle of a step.
    if (!options.signal?.aborted) throw error;
    result.state = 'interrupted';
  }
  return result;
}

async function deleteExpired(run: Run): Promise<RetentionResult['state']> {
  const { connection, today, onGames, signal, actor } = run;
  // Read again: a run that has just ended may have left nothing to do.
  const games = await listExpiringGames(connection, today);
  onGames?.(games);
  await markDeletedBefore(connection, games, actor);
  await deleteRows(run, DEFAULT_PARTITION, expiredOf(games));
  for (const partition of await listEventPartitions(connection)) {
    if (signal?.aborted) return 'interrupted';
    const expired = games.filter((game) => isExpired(partition, game));
    const cleaned = await cleanPartition(run, partition, expired);
    if (cleaned === 'waiting') return cleaned;
    if (cleaned === 'clean' && expired.length > 0) {
      await updateCleanedBefore(connection, idsOf(expired), dayAfter(partition.day));
    }
  }
  if (signal?.aborted) return 'interrupted';
  for (const game of games) await updateCleanedBefore(connection, [game.gameId], game.before);
  return 'done';
}

function isExpired({ day }: EventPartition, { before, cleanedBefore }: ExpiringGame): boolean {
  return day < before && (cleanedBefore === null || cleanedBefore <= day);
}

/** A partition of a recent day is emptied, but not dropped: it would be created again. */
function isOld({ day }: EventPartition, today: string): boolean {
  return day < closedBefore(Date.parse(today));
}

/** `clean` if no event of the expired games is left. */
async function cleanPartition(
  run: Run,
  partition: EventPartition,
  expired: readonly ExpiringGame[],
): Promise<'clean' | 'waiting' | 'interrupted'> {
  const gameIds = idsOf(expired);
  // Without an expired game this checks whether the partition is empty: earlier runs may have deleted all its rows.
  if (isOld(partition, run.today) && !(await hasOthers(run.connection, partition.name, gameIds))) {
    const outcome = await dropWhole(run, partition.name, gameIds);
    if (outcome !== 'others') return outcome;
  }
  if (expired.length === 0) return 'clean';
  await deleteRows(run, partition.name, expiredOf(expired));
  return run.signal?.aborted ? 'interrupted' : 'clean';
}

async function deleteRows(run: Run, table: string, expired: Expired): Promise<void> {
  let deletedEvents = 0;
  for (;;) {
    const oid = await findTableOid(run.connection, table);
    await stepThrough(run, table, async (fromPage, endPage, totalPages) => {
      const deleted = await deleteOnPages(run.connection, table, expired, fromPage, endPage);
      deletedEvents += deleted;
      run.result.deletedEvents += deleted;
      const donePages = Math.min(endPage, totalPages);
      await run.onProgress?.({ partition: table, action: 'delete', deletedEvents, donePages, totalPages });
    });
    // Compaction may have replaced the table. Its blocks are on other pages then, so all pages are read again.
    if (run.signal?.aborted || (await findTableOid(run.connection, table)) === oid) return;
  }
}

async function dropWhole(
  run: Run,
  table: string,
  gameIds: readonly number[],
): Promise<'clean' | 'waiting' | 'interrupted' | 'others'> {
  for (let attempt = 0; attempt < DROP_ATTEMPTS; attempt++) {
    if (run.signal?.aborted) return 'interrupted';
    const outcome = await dropPartition(run.connection, table, gameIds);
    if (outcome === 'others') return 'others';
    if (outcome === 'dropped') {
      run.result.droppedPartitions.push(table);
      await run.onProgress?.({
        partition: table,
        action: 'drop',
        deletedEvents: 0,
        donePages: 1,
        totalPages: 1,
      });
    }
    await sleep(DROP_PAUSE_MS);
    if (outcome === 'dropped') return 'clean';
  }
  return 'waiting';
}

async function stepThrough(
  run: Run,
  table: string,
  step: (fromPage: number, endPage: number, totalPages: number) => Promise<void>,
): Promise<void> {
  const totalPages = await countPages(run.connection, table);
  for (let page = 0; page < totalPages && !run.signal?.aborted; page += PAGES_A_STEP) {
    await step(page, page + PAGES_A_STEP, totalPages);
  }
}

/** The dry run: the same decisions, with counts instead of deletions. */
async function describe(run: Run, games: readonly ExpiringGame[]): Promise<RetentionResult['state']> {
  const { connection, today, onGames, onProgress, result, signal } = run;
  onGames?.(games);
  const tell = async (table: string, action: 'delete' | 'drop', expired: readonly ExpiringGame[]) => {
    const deletedEvents = await countExpired(connection, table, expiredOf(expired));
    const totalPages = await countPages(connection, table);
    if (action === 'drop') result.droppedPartitions.push(table);
    result.deletedEvents += deletedEvents;
    if (action === 'drop' || deletedEvents > 0) {
      await onProgress?.({ partition: table, action, deletedEvents, donePages: totalPages, totalPages });
    }
  };
  await tell(DEFAULT_PARTITION, 'delete', games);
  for (const partition of await listEventPartitions(connection)) {
    if (signal?.aborted) return 'interrupted';
    const expired = games.filter((game) => isExpired(partition, game));
    const drops = isOld(partition, today) && !(await hasOthers(connection, partition.name, idsOf(expired)));
    if (drops || expired.length > 0) await tell(partition.name, drops ? 'drop' : 'delete', expired);
  }
  return 'done';
}

function idsOf(games: readonly ExpiringGame[]): number[] {
  return games.map(({ gameId }) => gameId);
}

function expiredOf(games: readonly ExpiringGame[]): Expired {
  return { gameIds: idsOf(games), before: games.map(({ before }) => before) };
}
