import { expect, it } from 'vitest';
import { withinTime } from '../../src/lib/within-time.js';

const NEVER = new Promise<string>(() => {});

it('gives what the work gives, and its failure', async () => {
  expect(await withinTime(Promise.resolve('done'), 60_000)).toBe('done');
  await expect(withinTime(Promise.reject(new Error('broken')), 60_000)).rejects.toThrow('broken');
});

it('gives up on work that takes longer', async () => {
  expect(await withinTime(NEVER, 1)).toBeUndefined();
});
