import type { Settings } from '../settings/settings.js';

/** Fastify no longer takes a number of hops itself. */
export function trustProxy(setting: Settings['trustProxy']) {
  return typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting;
}
