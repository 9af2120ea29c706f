/**
 * How wrong guesses slow down the next ones: a pure function of their number and times. See docs/adr/0020.
 *
 *   level: + 1 with each wrong guess, − 1 with each `leakMs` that passes
 *   below `free` there is no wait; from there on the wait is 1, 2, 4, 8 … seconds, at most `maxDelayMs`
 *
 * An attacker gets a handful of tries at once, a few more within minutes, and then one for each `leakMs`.
 */
export type SlowingRule = Readonly<{ free: number; maxDelayMs: number; leakMs: number }>;

/** The level after the last wrong guess, and when that was. */
export type Guesses = Readonly<{ level: number; atMs: number }>;

const FIRST_DELAY_MS = 1_000;
const ROUNDING = 1e-9;

/** The wait after a guess that raised the level to `level`. */
export function delayMs(level: number, { free, maxDelayMs }: SlowingRule): number {
  // A guess counts until it has leaked as a whole: otherwise each second would halve the next wait.
  const whole = Math.ceil(level - ROUNDING);
  if (whole < free) return 0;
  // 2 to the power of 30 seconds is longer than any wait.
  return Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** Math.min(30, whole - free));
}

export function levelAt(guesses: Guesses | undefined, { leakMs }: SlowingRule, nowMs: number): number {
  if (guesses === undefined) return 0;
  // A clock that was set back must not raise the level.
  return Math.max(0, guesses.level - Math.max(0, nowMs - guesses.atMs) / leakMs);
}

/** How long to wait before the next guess; 0: no wait. */
export function waitMs(guesses: Guesses | undefined, rule: SlowingRule, nowMs: number): number {
  if (guesses === undefined) return 0;
  const untilMs = guesses.atMs + delayMs(guesses.level, rule);
  // A clock that was set back by days must not cause a wait of days.
  return Math.min(rule.maxDelayMs, Math.max(0, untilMs - nowMs));
}

export function afterGuess(guesses: Guesses | undefined, rule: SlowingRule, nowMs: number): Guesses {
  return { level: levelAt(guesses, rule, nowMs) + 1, atMs: nowMs };
}
