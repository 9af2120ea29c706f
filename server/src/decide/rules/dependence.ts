import type { AttributePath } from '../attributes/attribute.js';
import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import { isChangedByEvents } from '../attributes/fact-source.js';
import type { TimeBasis } from '../attributes/time-basis.js';

/** What besides schedules can change the result of a rule: the bits of its time basis, and those below. */
export type Dependence = TimeBasis;

export const DEPENDENCE = Object.freeze({
  /** What the player does. */
  events: 16,
  /** Overrides, and what else moves flags. */
  flags: 32,
  /** Own attributes, which the back-fill also changes. 64 is in `time-basis.ts`. */
  own: 128,
});

/** Of a rule that reads these attributes, without that of the segments and flags it refers to. */
export function dependenceOn(reads: Iterable<AttributePath>, attributes: AttributeRegistry): Dependence {
  let dependence: Dependence = 0;
  for (const path of reads) {
    const { basis, factsOf } = attributes.valueAt(path);
    const sources = factsOf(path.key ?? '');
    dependence |= basis;
    if (sources.some(isChangedByEvents)) dependence |= DEPENDENCE.events;
    if (sources.some(({ of }) => of === 'own')) dependence |= DEPENDENCE.own;
  }
  return dependence;
}
