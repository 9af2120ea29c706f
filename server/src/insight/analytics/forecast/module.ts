import type { Module } from '../../../studio/module-type.js';

/** What the coming weeks will probably bring. */
export const forecast: Module = {
  name: 'forecast',
  operations: async () => (await import('./operations.js')).openForecast,
};
