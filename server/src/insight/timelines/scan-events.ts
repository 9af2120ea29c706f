import { FAR_BEHIND_MS } from '../../core/events/intake/check-events.js';
import type { Client } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';
import {
  listBlockHeads,
  listRunEvents,
  type MsSpan,
  type ScannedEvent,
  type StoredHead,
  type TypeFilter,
} from './block-queries.js';
import { type BlockHead, nextRun } from './block-run.js';

export type EventScan = Readonly<{
  playerId: string;
  /** From this millisecond on back. */
  toMs: number;
  /** Nothing of the player was received before. */
  floorMs: number;
  types: TypeFilter;
  /** How many events are enough. */
  wanted: number;
}>;

export type ScannedEvents = Readonly<{
  /** Newest first. */
  events: ScannedEvent[];
  /** Older events were not read; null: there are none, or enough were found. */
  completeSinceMs: number | null;
}>;

/** With a filter that matches nothing, a page reads this many events, about 30 ms of work, and the next page continues. */
const MAX_SCANNED = 5_000;
/** Each block may lie on a page of its own, so of one-event blocks a page reads fewer. */
const MAX_BLOCKS = 2_000;
const FIRST_BLOCKS = 200;
/** Most players who are looked at have played lately; for others each read reaches four times as far back. */
const FIRST_LOOK_MS = 4 * DAY_MS;
const GROWTH = 4;

/**
 * The newest events of a player, in the order of the times at which they count. Blocks are stored by receipt. An event is never
 * received before the time at which it counts, and at most a quarter of a year after it: so an event of a time lies in a block that
 * was received then or in the quarter of a year after it. Reads that player's blocks only, and unpacks no more of them than it needs.
 */
export async function scanEvents(client: Client, scan: EventScan): Promise<ScannedEvents> {
  const { playerId, floorMs, types, wanted } = scan;
  const events: ScannedEvent[] = [];
  const heads = new BlockHeads(client, scan);
  let toMs = scan.toMs;
  let portion = Math.min(wanted, MAX_SCANNED);
  let scanned = 0;
  while (toMs >= floorMs - FAR_BEHIND_MS && events.length < wanted) {
    if (scanned >= MAX_SCANNED || heads.read >= MAX_BLOCKS) return { events, completeSinceMs: toMs + 1 };
    if (heads.completeMs > toMs) {
      await heads.readOn();
      continue;
    }
    const run = nextRun(heads.all, heads.completeMs, toMs, portion);
    if (run.count > 0)
      events.push(...(await listRunEvents(client, playerId, run, types, wanted - events.length)));
    scanned += run.count;
    toMs = run.span.fromMs - 1;
    portion = Math.min(portion * GROWTH, MAX_SCANNED);
  }
  return { events, completeSinceMs: null };
}

/** The blocks with events up to a time, read bit by bit from the newest receipt back. */
class BlockHeads {
  /** Every block with an event from this millisecond on has been read. */
  completeMs = Number.POSITIVE_INFINITY;
  /** How many were read, without those that were received late. */
  read = 0;
  readonly #known = new Map<string, BlockHead>();
  readonly #client: Client;
  readonly #scan: EventScan;
  /** Blocks that were received after this are known. */
  #readToMs: number;
  #lookMs = FIRST_LOOK_MS;
  #limit = FIRST_BLOCKS;

  constructor(client: Client, scan: EventScan) {
    this.#client = client;
    this.#scan = scan;
    this.#readToMs = scan.toMs;
  }

  get all(): BlockHead[] {
    return [...this.#known.values()];
  }

  async readOn(): Promise<void> {
    if (this.completeMs === Number.POSITIVE_INFINITY) await this.#readLate();
    const { floorMs } = this.#scan;
    // From the start of a day: a compacted block may reach from before any other time to after it, but not beyond its day.
    const fromMs = Math.max(floorMs, Math.floor((this.#readToMs - this.#lookMs) / DAY_MS) * DAY_MS);
    const heads = await this.#list({ fromMs, toMs: this.#readToMs }, this.#limit);
    this.read += heads.length;
    const last = heads.at(-1);
    if (last === undefined || heads.length < this.#limit) {
      this.completeMs = fromMs > floorMs ? fromMs : floorMs - FAR_BEHIND_MS;
      this.#readToMs = fromMs - 1;
      this.#lookMs *= GROWTH;
    } else {
      // Others of the same millisecond, or of the same window, may follow.
      this.completeMs = last.windowEndMs ?? last.receivedMs + 1;
      this.#readToMs = last.receivedMs;
    }
    this.#limit = Math.min(this.#limit * GROWTH, MAX_BLOCKS);
  }

  /** What was received after `toMs` and happened before, as when a client was offline. The newest of them, if there are too many. */
  async #readLate(): Promise<void> {
    const { toMs } = this.#scan;
    await this.#list({ fromMs: toMs + 1, toMs: toMs + FAR_BEHIND_MS }, MAX_BLOCKS);
  }

  async #list(received: MsSpan, limit: number): Promise<StoredHead[]> {
    const { playerId, toMs } = this.#scan;
    const heads = await listBlockHeads(this.#client, playerId, received, toMs, limit);
    for (const { id, receivedMs, lastReceivedMs, ownMs, count } of heads) {
      // An event with a suspect clock counts at its receipt, so what lies further back counts later.
      const firstMs = Math.max(ownMs, receivedMs - FAR_BEHIND_MS);
      this.#known.set(id, { id, firstMs, lastMs: lastReceivedMs, receivedMs, count });
    }
    return heads;
  }
}
