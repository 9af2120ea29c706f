import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.js';
import type { Clock } from '../../platform/lib/clock.js';
import { type LiveBlock, type LiveRow, listLiveEvents, listNewestBlocks } from './live-queries.js';

/** What one poll of the newest blocks of a game has found. */
export type LiveNews = Readonly<{
  /** In the order of receipt. */
  rows: readonly LiveRow[];
  /** The number of events in the new blocks. */
  events: number;
  /** There were more blocks than the poll reads. */
  isMore: boolean;
  seconds: number;
}>;

export type LiveListener = (news: LiveNews) => void;

/** Where a listener was when its connection broke. */
export type LivePlace = Readonly<{ receivedMs: number; blockId: string; place: number }>;

export type LiveTails = {
  /** Calls the listener for everything that arrives in the game from now on, until it unsubscribes. */
  listen(gameId: number, listener: LiveListener): Promise<() => void>;
  /** What has arrived since a position that the client remembers, as far as it is not too much. */
  since(gameId: number, place: LivePlace): Promise<LiveNews>;
  stop(): void;
};

/** An event is shown within a second. */
const POLL_MS = 500;
/**
 * A block becomes visible with the commit of its transaction, so some appear after later ones. Blocks of the last seconds are
 * read again, and those already seen are skipped.
 */
const OVERLAP_MS = 10_000;
/** Four thousand requests a second. Beyond that the tail shows a sample, and says so. */
const MAX_BLOCKS = 2_000;
/** More than a person can read. */
const MAX_SHOWN = 100;
/** After a broken connection. */
const MAX_CAUGHT_UP = 500;

type Options = { pool: Pool; clock: Clock; logger: Logger };

/**
 * Follows the newest events of games for listeners. While a game has listeners, its newest blocks are polled by index: intake does
 * no work for it. All listeners of a game share one poll.
 *
 *   idle ──first listener──► polling ──last listener leaves──► idle
 */
export function createLiveTails({ pool, clock, logger }: Options): LiveTails {
  const tails = new Map<number, Tail>();

  return {
    async listen(gameId, listener) {
      const tail = tails.get(gameId) ?? new Tail({ pool, clock, logger }, gameId);
      tails.set(gameId, tail);
      tail.listeners.add(listener);
      const leave = () => {
        tail.listeners.delete(listener);
        if (tail.listeners.size > 0) return;
        tail.stop();
        if (tails.get(gameId) === tail) tails.delete(gameId);
      };
      try {
        // Blocks that exist already are not news.
        await tail.begun;
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
    since: (gameId, place) => listSince(pool, gameId, place),
    stop() {
      for (const tail of tails.values()) tail.stop();
      tails.clear();
    },
  };
}

class Tail {
  readonly listeners = new Set<LiveListener>();
  readonly begun: Promise<void>;
  readonly #options: Options;
  readonly #gameId: number;
  /** Blocks that were seen, by their ids, with their time of receipt. */
  readonly #seen = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #lastPoll = performance.now();
  /** By the clock of the service. */
  #lookedMs: number;

  constructor(options: Options, gameId: number) {
    this.#options = options;
    this.#gameId = gameId;
    this.#lookedMs = options.clock.now();
    this.begun = this.#look().then(() => this.#schedule());
    // The callers that wait for this promise get the error.
    this.begun.catch(() => {});
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#poll(), POLL_MS).unref();
  }

  async #poll(): Promise<void> {
    const { pool, logger } = this.#options;
    try {
      const { fresh, isMore } = await this.#look();
      const rows = await listShown(pool, this.#gameId, fresh, MAX_SHOWN);
      const seconds = (performance.now() - this.#lastPoll) / 1_000;
      this.#lastPoll = performance.now();
      const news = { rows, events: countEvents(fresh), isMore, seconds };
      for (const listener of this.listeners) listener(news);
    } catch (error) {
      // The next poll may reach the database again.
      logger.warn({ err: error, gameId: this.#gameId }, 'the live tail could not look for new events');
    } finally {
      this.#schedule();
    }
  }

  /** The blocks that were not seen yet, newest first. */
  async #look(): Promise<{ fresh: LiveBlock[]; isMore: boolean }> {
    const { pool, clock } = this.#options;
    // From the last look on: the process may have been busy, or the database away, for longer than the overlap.
    const nowMs = clock.now();
    const sinceMs = Math.min(nowMs, this.#lookedMs) - OVERLAP_MS;
    const blocks = await listNewestBlocks(pool, this.#gameId, sinceMs, MAX_BLOCKS);
    this.#lookedMs = nowMs;
    const fresh = blocks.filter(({ id }) => !this.#seen.has(id));
    for (const [id, receivedMs] of this.#seen) if (receivedMs < sinceMs) this.#seen.delete(id);
    for (const { id, receivedMs } of fresh) this.#seen.set(id, receivedMs);
    return { fresh, isMore: fresh.length === MAX_BLOCKS };
  }
}

async function listSince(pool: Pool, gameId: number, place: LivePlace): Promise<LiveNews> {
  const blocks = await listNewestBlocks(pool, gameId, place.receivedMs, MAX_CAUGHT_UP);
  const newer = blocks.filter(
    ({ receivedMs, id }) => receivedMs > place.receivedMs || BigInt(id) >= BigInt(place.blockId),
  );
  const found = await listShown(pool, gameId, newer, MAX_CAUGHT_UP);
  const rows = found.filter(({ blockId, place: n }) => blockId !== place.blockId || n > place.place);
  const isMore = blocks.length === MAX_CAUGHT_UP || found.length === MAX_CAUGHT_UP;
  return { rows, events: rows.length, isMore, seconds: 0 };
}

/** The newest events of some blocks. */
async function listShown(
  pool: Pool,
  gameId: number,
  blocks: readonly LiveBlock[],
  limit: number,
): Promise<LiveRow[]> {
  let events = 0;
  const shown = blocks.filter(({ count }) => {
    const isNeeded = events < limit;
    events += count;
    return isNeeded;
  });
  return shown.length === 0 ? [] : listLiveEvents(pool, gameId, shown, limit);
}

function countEvents(blocks: readonly LiveBlock[]): number {
  return blocks.reduce((sum, { count }) => sum + count, 0);
}
