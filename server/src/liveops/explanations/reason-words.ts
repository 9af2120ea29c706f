import type { PinTrace, RuleTrace, ScheduleTrace } from '../../decide/decide/decision.js';

/** Words that several kinds of reasons consist of. */

export function inShare(bucket: number, sharePercent: number): string {
  return `the player's bucket is ${rounded(bucket)}, inside of the share of ${sharePercent}%`;
}

export function pinned(pin: PinTrace | null): string {
  if (pin === null) return 'pinned';
  const { author, reason, setAt, until } = pin;
  return `pinned by ${author} because “${reason}”, since ${setAt}${until === null ? '' : `, until ${until}`}`;
}

/** Rounds down: 29.999 is inside a share of 30, and must not be shown as 30. */
export function rounded(bucket: number): string {
  return (Math.floor(bucket * 100) / 100).toFixed(2);
}

/** `flags.isPayer is true (flags["isPayer"] = true)` */
export function evaluationOf(rule: RuleTrace | null): string {
  if (rule === null) return 'it has no rule';
  const { expression, result, error, values } = rule;
  const read = Object.entries(values).map(([path, value]) => `${path} = ${JSON.stringify(value)}`);
  const listed = read.length === 0 ? '' : ` (${read.join(', ')})`;
  // A rule may have several lines, but a sentence has one.
  const told = expression.replace(/\s+/g, ' ').trim();
  if (error !== null) return `${told} could not be worked out, ${error}${listed}`;
  return `${told} is ${result}${listed}`;
}

export function openWindow(schedule: ScheduleTrace | null): string {
  if (schedule === null) return '';
  const { zone, since, until } = schedule;
  return `, and its window is open from ${since} to ${until ?? 'ever'} (${zone})`;
}

export function closedWindow(schedule: ScheduleTrace | null): string {
  if (schedule === null) return '';
  const { zone, until } = schedule;
  return until === null ? ` for good (${zone})` : `, and opens at ${until} (${zone})`;
}
