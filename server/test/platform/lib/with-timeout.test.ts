import { expect, it } from 'vitest';
import { withTimeout } from '../../../src/platform/lib/with-timeout.js';

const NEVER = new Promise<string>(() => {});

it('gives what the work gives, and its failure', async () => {
  expect(await withTimeout(Promise.resolve('done'), 60_000)).toBe('done');
  await expect(withTimeout(Promise.reject(new Error('broken')), 60_000)).rejects.toThrow('broken');
});

it('gives up on work that takes longer', async () => {
  expect(await withTimeout(NEVER, 1)).toBeUndefined();
});
