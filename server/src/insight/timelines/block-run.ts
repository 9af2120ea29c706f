import type { BlockRun } from './block-queries.js';

/** A block, and a span that holds the times of all its events. */
export type BlockHead = Readonly<{
  id: string;
  firstMs: number;
  lastMs: number;
  receivedMs: number;
  count: number;
}>;

/**
 * The newest blocks up to `toMs`, enough for `wanted` events. Blocks overlap: those of several installations, compacted ones, and
 * those of clients that were offline. So the span begins with the first event of a block such that the blocks that lie wholly in
 * the span hold enough, and every block that reaches into the span is unpacked. All blocks from `completeMs` on are in `all`.
 */
export function nextRun(
  all: readonly BlockHead[],
  completeMs: number,
  toMs: number,
  wanted: number,
): BlockRun {
  const blocks = all.filter(({ firstMs }) => firstMs <= toMs).sort((a, b) => b.firstMs - a.firstMs);
  let fromMs = completeMs;
  let within = 0;
  for (const { firstMs, lastMs, count } of blocks) {
    if (firstMs < completeMs) break;
    if (lastMs <= toMs) within += count;
    if (within < wanted) continue;
    fromMs = firstMs;
    break;
  }
  const touched = blocks.filter(({ lastMs }) => lastMs >= fromMs);
  const times = touched.map(({ receivedMs }) => receivedMs);
  return {
    span: { fromMs, toMs },
    received: { fromMs: Math.min(...times), toMs: Math.max(...times) },
    blockIds: touched.map(({ id }) => id),
    count: touched.reduce((sum, { count }) => sum + count, 0),
  };
}
