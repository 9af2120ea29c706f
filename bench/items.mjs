import { EVENTS } from './items/events.mjs';
import { LOGINS } from './items/logins.mjs';
import { READS } from './items/reads.mjs';

/**
 * What is measured. Each has a name, a `unit` that its rates count, `targets` (the floors it is compared with, and the ratio
 * we want to reach, where there is one), what to `prepare`, and a `load` for wrk. A quick run
 * leaves out what `isLongRun`, and warms up with what `warmsUp` only.
 */
export const ITEMS = [...READS, ...LOGINS, ...EVENTS];

export function itemsNamed(...names) {
  return names.map((name) => {
    const found = ITEMS.find((item) => item.name === name);
    if (found === undefined) throw new Error(`there is nothing called ${name} to measure`);
    return found;
  });
}
