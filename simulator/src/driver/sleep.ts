/**
 * Many players sleep at a time, and Ctrl-C wakes them all. One listener does that for all sleepers of a signal: Node takes more
 * than ten for a leak.
 */
const sleepersBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/** Settles after that time, or when `signal` is aborted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const sleepers = sleepersOf(signal);
  await new Promise<void>((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      sleepers.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    sleepers.add(wake);
  });
}

function sleepersOf(signal: AbortSignal): Set<() => void> {
  const known = sleepersBySignal.get(signal);
  if (known !== undefined) return known;
  const sleepers = new Set<() => void>();
  sleepersBySignal.set(signal, sleepers);
  const wakeAll = () => {
    for (const wake of sleepers) wake();
  };
  signal.addEventListener('abort', wakeAll, { once: true });
  return sleepers;
}
