import type { TimeBasis } from '../attributes/time-basis.js';
import type { CompiledRule } from './rules.js';

/** What besides schedules can change the answer of a rule: the bits of its time basis, and those below. */
export type Dependence = TimeBasis;

export const DEPENDENCE = Object.freeze({
  /** What the player does. */
  events: 16,
  /** Overrides, and what else moves flags. */
  flags: 32,
});

/** Known from the first login on, or counted where they are decided. */
const NOT_BY_EVENTS: ReadonlySet<string> = new Set(['daysSinceFirstSeen', 'flags', 'segments']);

/** Without that of the segments and flags it refers to. */
export function dependenceOf({ basis, reads }: Pick<CompiledRule, 'basis' | 'reads'>): Dependence {
  return reads.some(({ name }) => !NOT_BY_EVENTS.has(name)) ? basis | DEPENDENCE.events : basis;
}
