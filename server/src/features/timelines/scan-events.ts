import type { Client } from '../../db/pool.js';
import { DAY_MS } from '../../lib/day.js';
import {
  type BlockHead,
  type BlockRun,
  listBlockHeads,
  listRunEvents,
  listWindowBlocks,
  type ScannedEvent,
  type TypeFilter,
  type WindowBlock,
} from './block-queries.js';
import { runOfBlocks, runOfWindow } from './block-run.js';

export type EventScan = Readonly<{
  playerId: string;
  /** From this millisecond of receipt on back. */
  toMs: number;
  /** Nothing of the player is older. */
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
/** Most players who are looked at have played lately; for others each read reaches four times as far back. */
const FIRST_LOOK_MS = 4 * DAY_MS;
const GROWTH = 4;

/** The newest events of a player, in the order of receipt. Reads that player's blocks only, and no more of them than it needs. */
export async function scanEvents(client: Client, scan: EventScan): Promise<ScannedEvents> {
  const { playerId, floorMs, types, wanted } = scan;
  const events: ScannedEvent[] = [];
  let toMs = scan.toMs;
  let lookMs = FIRST_LOOK_MS;
  let portion = Math.min(wanted, MAX_SCANNED);
  let scanned = 0;
  let blocks = 0;
  /** By their first millisecond: a run takes a part of a window, and the next run another one. */
  const windows = new Map<number, WindowBlock[]>();
  while (toMs >= floorMs && events.length < wanted) {
    if (scanned >= MAX_SCANNED || blocks >= MAX_BLOCKS) return { events, completeSinceMs: toMs + 1 };
    // From the start of a day: a compacted block may reach from before any other time to after it, but not beyond its day.
    const fromMs = Math.max(floorMs, Math.floor((toMs - lookMs) / DAY_MS) * DAY_MS);
    const heads = await listBlockHeads(
      client,
      playerId,
      { fromMs, toMs },
      Math.min(portion, MAX_BLOCKS - blocks),
    );
    const [newest] = heads;
    if (newest === undefined) {
      toMs = fromMs - 1;
      lookMs *= GROWTH;
      continue;
    }
    const run = await nextRun(client, playerId, { heads, newest, toMs, portion, windows });
    events.push(...(await listRunEvents(client, playerId, run, types, wanted - events.length)));
    scanned += run.count;
    blocks += heads.length;
    toMs = run.span.fromMs - 1;
    portion = Math.min(portion * GROWTH, MAX_SCANNED);
  }
  return { events, completeSinceMs: null };
}

type Next = Readonly<{
  heads: readonly BlockHead[];
  newest: BlockHead;
  toMs: number;
  portion: number;
  windows: Map<number, WindowBlock[]>;
}>;

async function nextRun(
  client: Client,
  playerId: string,
  { heads, newest, toMs, portion, windows }: Next,
): Promise<BlockRun> {
  const { windowStartMs, windowEndMs } = newest;
  if (windowStartMs === null || windowEndMs === null) return runOfBlocks(heads, toMs, portion);
  const window = { fromMs: windowStartMs, toMs: windowEndMs - 1 };
  const blocks = windows.get(windowStartMs) ?? (await listWindowBlocks(client, playerId, window));
  windows.set(windowStartMs, blocks);
  return runOfWindow(blocks, windowStartMs, Math.min(toMs, window.toMs), portion);
}
