import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BlockHead, nextRun } from '../../../src/insight/timelines/block-run.js';
import { cutTimeline, type TimelinePosition } from '../../../src/insight/timelines/timeline.js';

type Timed = { ms: number; item: number };
const timeline = fc
  .array(fc.integer({ min: 0, max: 12 }), { maxLength: 60 })
  .map((times): Timed[] => times.sort((a, b) => b - a).map((ms, item) => ({ ms, item })));

/** What the sources give from a position on: everything, but nothing before `sinceMs`. */
function listFrom(all: readonly Timed[], from: TimelinePosition, sinceMs: number): Timed[] {
  return all.filter(({ ms }) => ms <= from.ms && ms >= sinceMs);
}

describe('the pages of a timeline', () => {
  it('show every item once, in order, however many are of one millisecond', () => {
    fc.assert(
      fc.property(timeline, fc.integer({ min: 1, max: 9 }), (all, limit) => {
        const shown: number[] = [];
        let from: TimelinePosition | null = { ms: 100, shown: 0 };
        for (let pages = 0; from !== null; pages++) {
          expect(pages).toBeLessThanOrEqual(all.length);
          const page: ReturnType<typeof cutTimeline<number>> = cutTimeline(
            listFrom(all, from, 0),
            { from, limit },
            null,
          );
          if (page.next !== null) expect(page.items).toHaveLength(limit);
          shown.push(...page.items);
          from = page.next;
        }
        expect(shown).toEqual(all.map(({ item }) => item));
      }),
    );
  });

  it('show every item once also where a page looks at a part of the time only', () => {
    fc.assert(
      fc.property(
        timeline,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        (all, limit, width) => {
          const shown: number[] = [];
          let from: TimelinePosition | null = { ms: 12, shown: 0 };
          for (let pages = 0; from !== null; pages++) {
            expect(pages).toBeLessThan(100);
            const sinceMs: number | null = from.ms - width < 0 ? null : from.ms - width + 1;
            const items = listFrom(all, from, sinceMs ?? 0);
            const page: ReturnType<typeof cutTimeline<number>> = cutTimeline(items, { from, limit }, sinceMs);
            shown.push(...page.items);
            from = page.next;
          }
          expect(shown).toEqual(all.map(({ item }) => item));
        },
      ),
    );
  });

  it('go on when items that were shown are gone', () => {
    const from = { ms: 5, shown: 3 };
    const left = [
      { ms: 5, item: 2 },
      { ms: 4, item: 3 },
      { ms: 3, item: 4 },
    ];
    expect(cutTimeline(left, { from, limit: 1 }, null)).toEqual({ items: [3], next: { ms: 4, shown: 1 } });
  });
});

const block = fc
  .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 9 }))
  .map(([firstMs, length, count]) => ({ firstMs, lastMs: firstMs + length, count }));
const blocks = fc
  .array(block, { maxLength: 20 })
  .map((all): BlockHead[] =>
    all.map((each, index) => ({ id: String(index), receivedMs: each.lastMs + index, ...each })),
  );

describe('a run of blocks', () => {
  it('unpacks every block with an event in its span, and no other', () => {
    fc.assert(
      fc.property(blocks, fc.nat(80), fc.integer({ min: 1, max: 40 }), (all, toMs, wanted) => {
        const { span, received, blockIds, count } = nextRun(all, 0, toMs, wanted);
        const touched = all.filter(({ firstMs, lastMs }) => firstMs <= span.toMs && lastMs >= span.fromMs);
        expect([...blockIds].sort()).toEqual(touched.map(({ id }) => id).sort());
        for (const { receivedMs } of touched) {
          expect(receivedMs).toBeGreaterThanOrEqual(received.fromMs);
          expect(receivedMs).toBeLessThanOrEqual(received.toMs);
        }
        expect(count).toBe(touched.reduce((sum, each) => sum + each.count, 0));
      }),
    );
  });

  it('holds enough events, or reaches back to where the blocks are known', () => {
    fc.assert(
      fc.property(blocks, fc.nat(80), fc.integer({ min: 1, max: 40 }), (all, toMs, wanted) => {
        const { span } = nextRun(all, 0, toMs, wanted);
        const within = all.filter(({ firstMs, lastMs }) => firstMs >= span.fromMs && lastMs <= toMs);
        const certain = within.reduce((sum, { count }) => sum + count, 0);
        if (certain < wanted) expect(span.fromMs).toBe(0);
      }),
    );
  });

  it('does not reach further back than it needs to', () => {
    const inRow = Array.from({ length: 200 }, (_, n) => ({
      id: String(n),
      firstMs: n * 10,
      lastMs: n * 10 + 9,
      receivedMs: n * 10 + 9,
      count: 500,
    }));
    expect(nextRun(inRow, 0, 1_500, 51).blockIds).toEqual(['150', '149']);
  });
});
