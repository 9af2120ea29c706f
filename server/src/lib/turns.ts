/** Lets a few pieces of work run at once, and the others wait. */
export type Turns = {
  /** Undefined if too many wait already. Rejects with the signal's reason if that comes while the work waits. */
  take<T>(work: () => Promise<T>): Promise<T> | undefined;
};

export type TurnLimits = Readonly<{
  atOnce: number;
  /** Of one party: however much it asks for, the others get the rest. */
  atOncePerParty: number;
  maxWaitingPerParty: number;
}>;

export type SharedTurns = {
  /** The turns of one party, for somebody who waits until the signal says that they do not any more. */
  of(party: number | string, signal?: AbortSignal): Turns;
};

type Party = { running: number; waiting: (() => void)[] };

/**
 * Turns of parties that know nothing of each other. A place that becomes free goes to the party that waits and has had none
 * for the longest time, so nobody has to wait for all that another one asked for before.
 */
export function createTurns({ atOnce, atOncePerParty, maxWaitingPerParty }: TurnLimits): SharedTurns {
  /** Those that run or wait, the one whose turn it is first. */
  const parties = new Map<number | string, Party>();
  let running = 0;

  const canRun = (party: Party) => running < atOnce && party.running < atOncePerParty;

  const begin = (party: Party) => {
    running++;
    party.running++;
  };

  const wakeNext = () => {
    for (const party of parties.values()) {
      const wake = canRun(party) ? party.waiting.shift() : undefined;
      if (wake === undefined) continue;
      begin(party);
      wake();
      return;
    }
  };

  const forgetIdle = (name: number | string, party: Party) => {
    const isIdle = party.running === 0 && party.waiting.length === 0;
    if (isIdle && parties.get(name) === party) parties.delete(name);
  };

  const end = (name: number | string, party: Party) => {
    running--;
    party.running--;
    // Now all others come before it.
    parties.delete(name);
    parties.set(name, party);
    wakeNext();
    forgetIdle(name, party);
  };

  const run = async <T>(
    name: number | string,
    party: Party,
    work: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    if (canRun(party)) begin(party);
    // Whoever is woken has its place already: nobody can slip in between.
    else await waitIn(party, signal).finally(() => forgetIdle(name, party));
    try {
      return await work();
    } finally {
      end(name, party);
    }
  };

  return {
    of: (name, signal) => ({
      take: (work) => {
        const party = parties.get(name) ?? { running: 0, waiting: [] };
        if (!canRun(party) && party.waiting.length >= maxWaitingPerParty) return undefined;
        if (!parties.has(name)) parties.set(name, party);
        return run(name, party, work, signal);
      },
    }),
  };
}

function waitIn({ waiting }: Party, signal: AbortSignal | undefined): Promise<void> {
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
