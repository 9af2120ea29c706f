/** Runs a few pieces of work concurrently; the others wait. */
export type KeySemaphore = {
  /** Undefined if too many wait already. Rejects with the signal's reason if that comes while the work waits. */
  take<T>(work: () => Promise<T>): Promise<T> | undefined;
};

export type SemaphoreLimits = Readonly<{
  maxConcurrent: number;
  /** The most for one key: however much it asks for, the others get the rest. */
  maxConcurrentPerKey: number;
  maxWaitingPerKey: number;
}>;

export type FairSemaphore = {
  /** The share of one key. A caller who gives up says so with the signal. */
  of(key: number | string, signal?: AbortSignal): KeySemaphore;
};

type KeyState = { running: number; waiting: (() => void)[] };

/**
 * A semaphore that keys share fairly. A place that becomes free goes to the waiting key that has had none for the longest time,
 * so no key waits for everything that another one has asked for.
 */
export function createFairSemaphore({
  maxConcurrent,
  maxConcurrentPerKey,
  maxWaitingPerKey,
}: SemaphoreLimits): FairSemaphore {
  /** Those that run or wait, the one whose turn it is first. */
  const keys = new Map<number | string, KeyState>();
  let running = 0;

  const canRun = (state: KeyState) => running < maxConcurrent && state.running < maxConcurrentPerKey;

  const begin = (state: KeyState) => {
    running++;
    state.running++;
  };

  const wakeNext = () => {
    for (const state of keys.values()) {
      const wake = canRun(state) ? state.waiting.shift() : undefined;
      if (wake === undefined) continue;
      begin(state);
      wake();
      return;
    }
  };

  const forgetIdle = (key: number | string, state: KeyState) => {
    const isIdle = state.running === 0 && state.waiting.length === 0;
    if (isIdle && keys.get(key) === state) keys.delete(key);
  };

  const end = (key: number | string, state: KeyState) => {
    running--;
    state.running--;
    // Now all others come before it.
    keys.delete(key);
    keys.set(key, state);
    wakeNext();
    forgetIdle(key, state);
  };

  const run = async <T>(
    key: number | string,
    state: KeyState,
    work: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    if (canRun(state)) begin(state);
    // Whoever is woken has its place already: nobody can slip in between.
    else await waitIn(state, signal).finally(() => forgetIdle(key, state));
    try {
      return await work();
    } finally {
      end(key, state);
    }
  };

  return {
    of: (key, signal) => ({
      take: (work) => {
        const state = keys.get(key) ?? { running: 0, waiting: [] };
        if (!canRun(state) && state.waiting.length >= maxWaitingPerKey) return undefined;
        if (!keys.has(key)) keys.set(key, state);
        return run(key, state, work, signal);
      },
    }),
  };
}

function waitIn({ waiting }: KeyState, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.splice(waiting.indexOf(wake), 1);
      reject(signal?.reason);
    };
    const wake = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    waiting.push(wake);
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true });
  });
}
