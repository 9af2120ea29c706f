import type { Module } from '../../studio/module-type.js';

/** Apple's and Google's stores: settings, notices of refunds, purchases that Google has taken back. */
export const stores: Module = {
  name: 'stores',
  operations: async () => (await import('./operations.js')).openStores,
  worker: async () => (await import('./worker.js')).openNotifications,
  commands: {
    store: async () => (await import('../cli/store-commands.js')).storeCommands(),
  },
};
