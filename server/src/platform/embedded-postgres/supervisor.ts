import { setTimeout as sleep } from 'node:timers/promises';
import { type Postmaster, shutDown } from './postmaster.js';

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 15_000;
/** A server that lived this long did not die of the same cause as the one before. */
const STABLE_AFTER_MS = 60_000;

/**
 * Keeps the server running until stop().
 *
 *   running ── it ended ──► restarting ── up ──► running
 *      │                        │ failed: wait 0.25 s, 0.5 s … 15 s, again
 *      └───────── stop() ───────┴──► stopping ──► stopped      stop() wins over a restart
 */
export function supervise(options: {
  first: Postmaster;
  clusterDir: string;
  restart: (signal: AbortSignal) => Promise<Postmaster>;
  say: (line: string) => void;
}): { stop(): Promise<void> } {
  const { restart, say } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopRequested = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  let current = options.first;

  async function keepRunning(): Promise<void> {
    let delayMs = 0;
    while (!signal.aborted) {
      const upSince = performance.now();
      await Promise.race([current.exited, stopRequested]);
      if (signal.aborted) return;
      say(`PostgreSQL (pid ${current.pid}) ended unexpectedly; starting it again.`);
      if (performance.now() - upSince > STABLE_AFTER_MS) delayMs = 0;
      delayMs = await startAgain(delayMs);
    }
  }

  /** Gives the delay to begin with if this server does not last either. */
  async function startAgain(firstDelayMs: number): Promise<number> {
    for (let delayMs = firstDelayMs; ; delayMs = nextDelay(delayMs)) {
      try {
        await sleep(delayMs, undefined, { signal });
        current = await restart(signal);
        say(`PostgreSQL is running again (pid ${current.pid}).`);
        return nextDelay(delayMs);
      } catch (error) {
        if (signal.aborted) return 0;
        say(
          `PostgreSQL could not be started, trying again: ${error instanceof Error ? error.message : error}`,
        );
      }
    }
  }

  const watching = keepRunning();
  let stopped: Promise<void> | undefined;
  return {
    stop() {
      stopped ??= (async () => {
        stopping.abort();
        await watching;
        await shutDown(current, options.clusterDir);
      })();
      return stopped;
    },
  };
}

function nextDelay(delayMs: number): number {
  return Math.min(Math.max(delayMs * 2, FIRST_DELAY_MS), MAX_DELAY_MS);
}
