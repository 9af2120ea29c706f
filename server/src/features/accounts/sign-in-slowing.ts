/**
 * How wrong guesses slow the next ones down: a pure function of how many there were, and when. See docs/adr/0020.
 *
 *   level: + 1 with each wrong guess, − 1 with each `leakMs` that passes
 *   below `free` nobody waits; from there on the wait is 1, 2, 4, 8 … seconds, `maxDelayMs` at the most
 *
 * Who guesses as fast as they may gets a handful of tries at once, a few more within minutes, and then one for each `leakMs`.
 */
export type SlowingRule = Readonly<{ free: number; maxDelayMs: number; leakMs: number }>;

/** What is remembered of wrong guesses. */
export type Guesses = Readonly<{ level: number; atMs: number }>;

const FIRST_DELAY_MS = 1_000;
const ROUNDING = 1e-9;

/** How long after a guess that brought the level here the next one may be made. */
export function delayMs(level: number, { free, maxDelayMs }: SlowingRule): number {
  // A guess that is being forgotten counts until it is: otherwise each second would halve the next wait.
  const whole = Math.ceil(level - ROUNDING);
  if (whole < free) return 0;
  // 2 to the power of more than that is beyond any wait.
  return Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** Math.min(30, whole - free));
}

export function levelAt(guesses: Guesses | undefined, { leakMs }: SlowingRule, nowMs: number): number {
  if (guesses === undefined) return 0;
  // A clock that was set back must not raise the level.
  return Math.max(0, guesses.level - Math.max(0, nowMs - guesses.atMs) / leakMs);
}

/** How long to wait before the next guess; 0: it may be made now. */
export function waitMs(guesses: Guesses | undefined, rule: SlowingRule, nowMs: number): number {
  if (guesses === undefined) return 0;
  const untilMs = guesses.atMs + delayMs(guesses.level, rule);
  // After a clock was set back by days, nobody waits for days.
  return Math.min(rule.maxDelayMs, Math.max(0, untilMs - nowMs));
}

export function afterGuess(guesses: Guesses | undefined, rule: SlowingRule, nowMs: number): Guesses {
  return { level: levelAt(guesses, rule, nowMs) + 1, atMs: nowMs };
}
