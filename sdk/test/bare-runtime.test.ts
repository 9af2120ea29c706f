import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import type * as Client from '../src/index.js';
import { bundleClient } from './support/bundle.js';
import { createServiceModel } from './support/service-model.js';

/**
 * What React Native provides, and nothing else: no document, no IndexedDB, no crypto, no TextEncoder, no process. This shows that
 * the client needs nothing of a browser or of Node. It does not show that it runs on a phone.
 */
const REACT_NATIVE = { AbortController, queueMicrotask, setTimeout, clearTimeout, navigator: {} };

it('works where there is neither a page nor Node, with a storage like AsyncStorage', async () => {
  const code = await bundleClient('iife');
  const service = createServiceModel();
  const values = new Map<string, string>();
  const asyncStorage: Client.KeyValue = {
    getItem: async (key) => values.get(key) ?? null,
    setItem: async (key, value) => values.set(key, value),
    removeItem: async (key) => values.delete(key),
  };
  const errors: string[] = [];
  const start = () => {
    const context = createContext({ ...REACT_NATIVE, fetch: service.fetch });
    runInContext(code, context);
    const { Savepoint, keyValueStorage } = context.savepointClient as typeof Client;
    return new Savepoint({
      baseUrl: 'http://service.test',
      sign: service.sign,
      storage: keyValueStorage(asyncStorage),
      batch: { seconds: 1_000 },
      onError: ({ code: what }) => errors.push(what),
    });
  };

  const first = start();
  const { userId } = await first.login();
  expect((await first.player.status()).isPayer.value).toBe(true);
  first.track('Step', { n: 0 });
  await first.flush();
  first.track('Step', { n: 1 });
  await first.saved();

  const second = start();
  second.track('Step', { n: 2 });
  await second.flush();
  expect((await second.login()).userId).toBe(userId);
  expect([...service.byInstall().values()].map((events) => events.map(({ payload }) => payload.n))).toEqual([
    [0, 1, 2],
  ]);
  expect(errors).toEqual([]);
  await Promise.all([first.close(), second.close()]);
});
