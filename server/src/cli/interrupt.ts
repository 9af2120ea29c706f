/**
 * Lets a long command be interrupted in order: the first Ctrl-C (or SIGTERM) asks it to stop at the next step, the second
 * ends it at once. Anything that runs under this can also be killed without harm.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) process.exit(INTERRUPTED);
    stopping.abort();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

/** What shells report for a program that ended by Ctrl-C. */
export const INTERRUPTED = 130;
