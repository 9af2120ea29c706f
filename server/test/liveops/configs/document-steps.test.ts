import { describe, expect, it } from 'vitest';
import { compilationSteps, compileDocument } from '../../../src/decide/compile/compile-document.js';
import { decide } from '../../../src/decide/decide/decide.js';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { readingSteps } from '../../../src/decide/document/document-text.js';
import { validateDocument, validationSteps } from '../../../src/decide/validate/validate-document.js';
import { differenceSteps, documentDifference } from '../../../src/liveops/configs/document-difference.js';
import { priceRaiseSteps } from '../../../src/liveops/configs/price-raises.js';
import { runSteps, type Steps } from '../../../src/platform/lib/steps.js';
import { configWith, facts, NOW, offer, segment, sku } from '../../decide/support/fixtures.js';
import { createSteppedQueue } from '../../support/stepped-queue.js';

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** `size` segments, SKUs and offers. */
const documentOf = (size: number, offerPrice = '9') =>
  configWith({
    segments: times(size, (n) => segment(`segment-${n}`, `eventCount.total >= ${n}`)),
    catalogue: times(size, (n) => sku(`sku-${n}`, { prices: { USD: { actualPrice: '10', offerPrice } } })),
    offers: times(size, (n) =>
      offer(`offer-${n}`, { when: `segment("segment-${n}")`, skus: [`sku-${n}`], sharePercent: 50 }),
    ),
  });
const compile = (document: ConfigDocument) => compilationSteps(document, { version: 1, publishedAt: NOW });

async function inSlices<T>(steps: Steps<T>): Promise<{ result: T; slices: number }> {
  const { queue, runSlice } = createSteppedQueue(1);
  const running = queue.run<T>('game', steps);
  let slices = 1;
  while (await runSlice()) slices++;
  return { result: await running, slices };
}

describe('work on documents in slices', () => {
  it.each<[string, (size: number) => Steps<unknown>, number]>([
    ['validation', (size) => validationSteps(documentOf(size)), 3],
    ['reading', (size) => readingSteps(JSON.stringify(documentOf(size))), 3],
    ['compilation', (size) => compile(documentOf(size)), 3],
    ['the difference', (size) => differenceSteps(documentOf(size), documentOf(size, '8')), 3],
    [
      'the search for price raises',
      (size) => priceRaiseSteps(documentOf(size, '8'), documentOf(size), NOW),
      3,
    ],
  ])('%s has more slices for a larger document', async (_what, stepsOf, stepsPerEntry) => {
    const few = (await inSlices(stepsOf(5))).slices;
    const many = (await inSlices(stepsOf(50))).slices;
    // The clock of the queue goes on by a millisecond with every step, and a slice lasts two.
    expect(many - few).toBeGreaterThanOrEqual((45 * stepsPerEntry) / 2 - 2);
  });

  it('gives the same results as without slices', async () => {
    const [before, after] = [documentOf(20, '8'), documentOf(20)];
    expect((await inSlices(validationSteps(after))).result).toEqual(validateDocument(after));
    const wrong = configWith({ segments: times(20, (n) => segment(`segment-${n}`, 'no_such > 1')) });
    expect((await inSlices(validationSteps(wrong))).result).toEqual(validateDocument(wrong));
    expect((await inSlices(differenceSteps(before, after))).result).toEqual(
      documentDifference(before, after),
    );
    const raises = (await inSlices(priceRaiseSteps(before, after, NOW))).result;
    expect(raises).toHaveLength(20);
    expect(raises).toEqual(runSteps(priceRaiseSteps(before, after, NOW)));
    const sliced = (await inSlices(compile(after))).result;
    const whole = compileDocument(after, { version: 1, publishedAt: NOW });
    const player = facts({ eventCount: 7 });
    expect(decide(sliced, player, NOW)).toEqual(decide(whole, player, NOW));
    expect(sliced.storeSize).toBe(40);
  });
});
