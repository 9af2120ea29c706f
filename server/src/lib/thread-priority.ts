import { setPriority } from 'node:os';

/** The kernel gives such a thread a third of the time of one that serves players, where both want a core. */
const BEHIND_PLAYERS = 5;

/**
 * Lets the threads that serve players go first. Linux knows a priority for each thread; elsewhere the call would be about the whole
 * process, so nothing is done.
 */
export function stepBehindPlayers(): void {
  if (process.platform === 'linux') setPriority(BEHIND_PLAYERS);
}
