import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { endSessions } from '../../platform/db/open-connections.js';

/** What shells report for a program that ended by Ctrl-C. */
export const INTERRUPTED = 130;

/** A command was ended by Ctrl-C or SIGTERM. The message tells the operator what became of the work. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export type InterruptTimes = Readonly<{
  /** npm hands a signal on that the terminal has sent to the command already: signals this close together are one. */
  sameSignalMs: number;
  /**
   * How long the command may take to finish in order, once its sessions in PostgreSQL have ended. Stopping an embedded server that
   * the command has started for itself takes 15 seconds at most.
   */
  graceMs: number;
}>;

const TIMES: InterruptTimes = { sameSignalMs: 500, graceMs: 20_000 };
/** Not SIGHUP: under `nohup` a command outlives its terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Lets a command be interrupted in order.
 *
 *   running ── signal ──► stopping: its sessions in PostgreSQL are ended, `work` is told ── work is over, or the grace time ──► Interrupted
 *                            └── second signal ──► exit at once
 *
 * @param afterwards what became of the work, for the operator; `work` can throw an `Interrupted` that says more
 * @throws Interrupted unless the work was done before it could be stopped
 */
export async function interruptible<T>(
  afterwards: string,
  work: (signal: AbortSignal) => Promise<T>,
  { sameSignalMs, graceMs }: InterruptTimes = TIMES,
): Promise<T> {
  const stopping = new AbortController();
  const over = new AbortController();
  const { signal } = stopping;
  let interruptedAt = 0;
  let problem: Promise<string | undefined> | undefined;

  const stop = (): void => {
    if (signal.aborted) {
      if (performance.now() - interruptedAt >= sameSignalMs) process.exit(INTERRUPTED);
      return;
    }
    interruptedAt = performance.now();
    // Before the work hears of it, and closes connections whose sessions would go on.
    problem = endSessions().then(() => undefined, describeProblem);
    stopping.abort(new Interrupted(`Interrupted. ${afterwards}`));
  };
  const overdue = async (): Promise<never> => {
    await once(signal, 'abort', { signal: over.signal });
    await problem;
    await sleep(graceMs, undefined, { signal: over.signal });
    throw signal.reason;
  };

  for (const name of SIGNALS) process.on(name, stop);
  try {
    return await Promise.race([work(signal), overdue()]);
  } catch (error) {
    if (!signal.aborted) throw error;
    const { message } = error instanceof Interrupted ? error : (signal.reason as Interrupted);
    throw new Interrupted([message, await problem].filter(Boolean).join(' '));
  } finally {
    over.abort();
    for (const name of SIGNALS) process.off(name, stop);
  }
}

function describeProblem({ message }: Error): string {
  return `PostgreSQL could not be told to end the command's work, which may still be running there: ${message}.`;
}
