import type { Logger } from 'pino';
import type { Pool } from '../../../db/pool.js';
import type { Clock } from '../../../lib/clock.js';
import { type LiveBlock, type LiveRow, listLiveEvents, listNewestBlocks } from './live-queries.js';

/** What one look at the newest blocks of a game has found. */
export type LiveNews = Readonly<{
  /** In the order of receipt. */
  rows: readonly LiveRow[];
  /** All events of the blocks that are new. */
  events: number;
  /** There were more blocks than were looked at. */
  isMore: boolean;
  seconds: number;
}>;

export type LiveListener = (news: LiveNews) => void;

/** Where a listener was when its connection broke. */
export type LivePlace = Readonly<{ receivedMs: number; blockId: string; place: number }>;

export type LiveTails = {
  /** Hears of whatever arrives in a game after this, until it is given up. */
  listen(gameId: number, listener: LiveListener): Promise<() => void>;
  /** What has arrived since a place that somebody else knows, as far as it is not too much. */
  since(gameId: number, place: LivePlace): Promise<LiveNews>;
  stop(): void;
};

/** An event is shown within a second. */
const POLL_MS = 500;
/**
 * A block becomes visible with the commit of its transaction, so some show up behind later ones. Those of the last seconds are
 * looked at again, and what was seen is remembered.
 */
const OVERLAP_MS = 10_000;
/** Four thousand requests a second; beyond that it is a sample, and says so. */
const MAX_BLOCKS = 2_000;
/** More than anybody can read. */
const MAX_SHOWN = 100;
/** After a broken connection. */
const MAX_CAUGHT_UP = 500;

type Options = { pool: Pool; clock: Clock; logger: Logger };

/**
 * Follows the newest events of games for those who watch. It asks the database for the newest blocks, by index, while somebody
 * listens: intake does nothing for it. All listeners of a game share one question.
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
        // What is there already is no news.
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

  constructor(options: Options, gameId: number) {
    this.#options = options;
    this.#gameId = gameId;
    this.begun = this.#look().then(() => this.#schedule());
    // Whoever waits for it is told.
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
      // The next look may find the database again.
      logger.warn({ err: error, gameId: this.#gameId }, 'the live tail could not look for new events');
    } finally {
      this.#schedule();
    }
  }

  /** The blocks that nobody has seen, newest first. */
  async #look(): Promise<{ fresh: LiveBlock[]; isMore: boolean }> {
    const { pool, clock } = this.#options;
    const sinceMs = clock.now() - OVERLAP_MS;
    const blocks = await listNewestBlocks(pool, this.#gameId, sinceMs, MAX_BLOCKS);
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
