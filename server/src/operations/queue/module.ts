import type { Module } from '../../studio/module-type.js';

/** A NATS JetStream stream between the API workers and the database. */
export const queue: Module = {
  name: 'queue',
  intake: async () => (await import('./queued-path.js')).openQueuedPath,
};
