import type { BlockHead, BlockRun, WindowBlock } from './block-queries.js';

/**
 * The newest blocks of a player up to `toMs`, enough for `wanted` events. Outside of windows the events of a block were received
 * together, so blocks follow each other. Whole milliseconds: the next run begins below the last one.
 */
export function runOfBlocks(heads: readonly BlockHead[], toMs: number, wanted: number): BlockRun {
  let fromMs = toMs;
  let count = 0;
  for (const head of heads) {
    if (head.windowStartMs !== null || count >= wanted) break;
    fromMs = head.receivedMs;
    count += head.count;
  }
  const span = { fromMs, toMs };
  return { span, blocks: span, blockIds: null, count };
}

/**
 * The same within a window, whose blocks overlap: those of several installations, say. The span begins with the first event of a
 * block such that the blocks that lie wholly in the span hold enough; every block that reaches into it is unpacked.
 */
export function runOfWindow(
  all: readonly WindowBlock[],
  windowStartMs: number,
  toMs: number,
  wanted: number,
): BlockRun {
  const blocks = all.filter(({ firstMs }) => firstMs <= toMs).sort((a, b) => b.firstMs - a.firstMs);
  let fromMs = windowStartMs;
  let within = 0;
  for (const { firstMs, lastMs, count } of blocks) {
    if (lastMs <= toMs) within += count;
    if (within < wanted) continue;
    fromMs = firstMs;
    break;
  }
  const touched = blocks.filter(({ lastMs }) => lastMs >= fromMs);
  return {
    span: { fromMs, toMs },
    blocks: { fromMs: windowStartMs, toMs },
    blockIds: touched.map(({ id }) => id),
    count: touched.reduce((sum, { count }) => sum + count, 0),
  };
}
