import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { Batcher } from '../../../src/platform/lib/batcher.js';
import { turn } from '../../support/turns.js';

test('a group runs in the context of whoever began it, and not of the group before it', async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const batcher = new Batcher<string, string>({
    run: async (items) => {
      seen.push(`${items.join('')} in ${request.getStore()}`);
      await turn();
      return items;
    },
    maxItems: 2,
    maxInFlight: 1,
    maxWaiting: 10,
    linger: { ms: 1, after: 2 },
  });
  const submit = (item: string, from: string) => request.run(from, () => batcher.submit(item));
  const first = submit('a', 'request 1');
  await turn();
  // While the first group runs: two groups that its end starts, the last one after the linger.
  const others = [submit('b', 'request 2'), submit('c', 'request 3'), batcher.submit('d')];
  await Promise.all([first, ...others]);
  expect(seen).toEqual(['a in request 1', 'bc in request 2', 'd in undefined']);
});
