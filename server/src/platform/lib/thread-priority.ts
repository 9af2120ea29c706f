import { readdirSync } from 'node:fs';
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

/**
 * The same for a whole process. V8's threads are there before any code of ours runs; they collect garbage and compile for it, and would go on
 * at the priority of players.
 */
export function stepProcessBehindPlayers(): void {
  stepBehindPlayers();
  if (process.platform !== 'linux') return;
  for (const thread of threads()) {
    try {
      setPriority(thread, getPriority());
    } catch {
      // It has ended meanwhile, or a sandbox forbids the call.
    }
  }
}

function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    // Some sandboxes do not tell.
    return [];
  }
}
