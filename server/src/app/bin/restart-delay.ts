/** A process that ran for this long is not one that fails again and again. */
const LONG_LIFE_MS = 60_000;
const FIRST_DELAY_MS = 1_000;
/** Loading a process takes a second of CPU. More often than this it would take that from the processes that serve. */
const MAX_DELAY_MS = 8_000;

/** How long to wait before a process that has ended is started again, and how many short lives it has had in a row. */
export function restartDelayMs(
  livedMs: number,
  shortLives: number,
): Readonly<{ delayMs: number; shortLives: number }> {
  if (livedMs >= LONG_LIFE_MS) return { delayMs: 0, shortLives: 0 };
  return { delayMs: Math.min(FIRST_DELAY_MS * 2 ** shortLives, MAX_DELAY_MS), shortLives: shortLives + 1 };
}
