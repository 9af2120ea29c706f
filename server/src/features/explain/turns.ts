/** Lets a few pieces of work run at once; the others wait their turn. */
export type Turns = {
  /** Undefined if too many wait already. */
  take<T>(work: () => Promise<T>): Promise<T> | undefined;
};

export function createTurns({ atOnce, maxWaiting }: { atOnce: number; maxWaiting: number }): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;

  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    // Whoever is woken takes over the place of the one who left: nobody can slip in between.
    if (running < atOnce) running++;
    else await new Promise<void>((wake) => waiting.push(wake));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };

  return {
    take: (work) => (running >= atOnce && waiting.length >= maxWaiting ? undefined : run(work)),
  };
}
