/** The time as the service sees it, in epoch milliseconds; tests set their own. */
export type Clock = { now(): number };

/** Runs on from a moment: for work that takes a while, and is told when it began. */
export function clockFrom(startMs: number): Clock {
  const started = performance.now();
  return { now: () => Math.floor(startMs + performance.now() - started) };
}

export const systemClock: Clock = { now: () => Date.now() };
