import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../src/decide/document/document.js';
import { validateOnce } from '../../../src/liveops/configs/checked-documents.js';
import type { SliceQueue } from '../../../src/platform/lib/slice-queue.js';
import { runSteps } from '../../../src/platform/lib/steps.js';
import { configWith, sku } from '../../decide/support/fixtures.js';

/** Validates documents of a game, and counts how often that took work. */
function validateIn(gameId: number) {
  const counted = { runs: 0 };
  const work: SliceQueue = {
    run: async (_key, steps) => {
      counted.runs++;
      return runSteps(steps);
    },
  };
  const isRight = async (document: ConfigDocument) => (await validateOnce(gameId, document, work)).ok;
  return { counted, isRight };
}

const right = () => configWith({ catalogue: [sku('gems')] });
const wrong = () => configWith({ catalogue: [sku('gems', { defaultCurrency: 'EUR' })] });

describe('a document that is published again', () => {
  it('is validated once', async () => {
    const { counted, isRight } = validateIn(-1);
    expect(await isRight(right())).toBe(true);
    expect(await isRight(right())).toBe(true);
    expect(counted.runs).toBe(1);
    expect(await validateIn(-2).isRight(right())).toBe(true);
  });

  it('is validated again when anything has changed, and as long as it is wrong', async () => {
    const { counted, isRight } = validateIn(-3);
    expect(await isRight(right())).toBe(true);
    expect(await isRight(wrong())).toBe(false);
    expect(await isRight(wrong())).toBe(false);
    expect(await isRight(configWith({ catalogue: [sku('pass')] }))).toBe(true);
    expect(await isRight(right())).toBe(true);
    expect(counted.runs).toBe(5);
  });
});
