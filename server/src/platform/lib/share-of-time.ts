import { setTimeout as sleep } from 'node:timers/promises';

/** Work that waited for a lock was no load on the machine, and must not be followed by minutes of rest. */
const MAX_REST_MS = 5_000;

/** To be called after each piece of the work. */
export type Rest = () => Promise<void>;

/** Keeps work to a share of the time, so that whatever else the machine does has the remainder. Throws when the signal comes. */
export function keepToShare(share: number, signal?: AbortSignal): Rest {
  let since = performance.now();
  return async () => {
    signal?.throwIfAborted();
    const ms = restMs(share, performance.now() - since);
    if (ms > 0) await sleep(ms, undefined, signal && { signal });
    since = performance.now();
  };
}

/** How long to rest after work of so many milliseconds. */
export function restMs(share: number, workedMs: number): number {
  return Math.min(MAX_REST_MS, workedMs * (1 / share - 1));
}
