import type { Module } from '../../studio/module-type.js';

/** A store that makes receipts for tests of a game. */
export const fakeStore: Module = {
  name: 'fake_store',
  commands: {
    'fake-store': async () => (await import('../cli/fake-store-command.js')).fakeStoreCommand(),
  },
};
