import { sleep } from './sleep.js';

/** The time that players live by. Tests use a clock of their own, on which a day passes in a moment. */
export type Clock = {
  now(): number;
  /** Settles at that time, or when `signal` is aborted. */
  sleepUntil(ms: number, signal: AbortSignal): Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  sleepUntil: (ms, signal) => sleep(Math.max(0, ms - Date.now()), signal),
};
