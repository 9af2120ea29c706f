import { getPriority, setPriority } from 'node:os';

/** The kernel gives such a thread a third of the time of the thread that has started it, where both want a core. */
const BEHIND = 5;
/** The lowest priority there is. */
const LAST = 19;

/**
 * Lets the threads that serve players go first, whatever priority the operator gave the service. Linux knows a priority for each
 * thread; elsewhere the call would be about the whole process, so nothing is done. A system that forbids it loses nothing else.
 */
export function stepBehindPlayers(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(LAST, getPriority() + BEHIND));
  } catch {
    // Some sandboxes have no such call.
  }
}
