import type { Settings } from '../settings/settings.js';

/** Fastify no longer takes a number of hops itself. */
export function trustProxy(setting: Settings['trustProxy']) {
  return typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting;
}

export function isBehindProxy(setting: Settings['trustProxy']): boolean {
  return setting !== false && setting !== 0;
}
