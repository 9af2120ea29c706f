export type Poller = {
  start(): void;
  /** Looks at once rather than at the next turn. */
  nudge(): void;
  /** Ends the signal of the work, and waits for the work. */
  stop(): Promise<void>;
};

type Options = Readonly<{
  everyMs: number;
  /** Does all that there is to do now. Never runs twice at once. */
  work: (signal: AbortSignal) => Promise<void>;
  /** The next turn tries again. Not called for work that was stopped. */
  onError: (error: unknown) => void;
}>;

/** Looks for work in the background, now and then. */
export function createPoller({ everyMs, work, onError }: Options): Poller {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;

  const look = (): void => {
    if (working !== undefined || stopping.signal.aborted) return;
    working = work(stopping.signal)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) onError(error);
      })
      .finally(() => {
        working = undefined;
      });
  };

  return {
    start() {
      timer = setInterval(look, everyMs).unref();
      look();
    },
    nudge() {
      if (timer !== undefined) look();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await working;
    },
  };
}
