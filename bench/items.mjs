import { CLIENTS } from './items/clients.mjs';
import { EVENTS } from './items/events.mjs';
import { LOGINS } from './items/logins.mjs';
import { READS } from './items/reads.mjs';

/**
 * What is measured. Each has a name, a `unit` that its rates count, `targets` (the floors or other items it is compared with,
 * and the ratio to reach, where there is one), what to `prepare`, and a `load` for wrk. A quick run leaves out items
 * with `isLongRun`, and warms up only with items with `warmsUp`. Items with `isSequenced` are measured with `--sequenced` only.
 */
export const ITEMS = [...READS, ...LOGINS, ...EVENTS];
export { CLIENTS };

export function itemsNamed(...names) {
  return names.map((name) => {
    const found = findItem(name);
    if (found === undefined) throw new Error(`there is nothing called ${name} to measure`);
    return found;
  });
}

export function findItem(name) {
  return [...ITEMS, ...CLIENTS].find((item) => item.name === name);
}
