import type { Module } from '../../studio/module-type.js';

/** Routes for the studio's own servers, with server keys. */
export const servers: Module = {
  name: 'servers',
  worker: async () => (await import('./worker.js')).openServers,
};
