import { expect, it } from 'vitest';
import { keepToShare, restMs } from '../../../src/platform/lib/share-of-time.js';

it('rests until the work was the share of the time', () => {
  expect(restMs(1 / 4, 10)).toBe(30);
  expect(restMs(1 / 2, 10)).toBe(10);
  expect(restMs(1, 10)).toBe(0);
});

it('rests for seconds at most, however long the work waited', () => {
  expect(restMs(1 / 4, 50_000)).toBe(5_000);
});

it('ends the work when the signal has come', async () => {
  await expect(keepToShare(1 / 4, AbortSignal.abort())()).rejects.toThrow(/abort/i);
});
